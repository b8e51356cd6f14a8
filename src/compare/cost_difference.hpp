// The noisy fields of two reports: what allocating, touching and freeing memory costs, by memory type, and how fast the
// host copies to and from it.
//
// A field is a memory type, a kind of cost and a range of sizes (up to 1 MiB, above). Two runs of one build differ by
// more than the spread within either, because each meets another moment of the machine and another state of the
// process: of 780 pairs of runs of lavapipe 22.3.6, half of them under load, 1 in 10 differed by more than 1.5 times in
// some field's medians and 1 in 1,000 by more than 2.7 times. So the test asks not whether the costs differ but whether
// they differ by more than `least_ratio`: the baseline's samples are scaled by it and by its inverse, a field's p-value
// combines the precedence tests of its points (Fisher) for either direction, and Holm's correction over all fields of
// the device keeps the chance of any false alarm among them below `false_alarm_rate`. Differences below
// `least_difference_ns` are below what clocks and caches tell apart. What differs by `told_ratio` beyond the spread
// within the runs is inconclusive, and so is a difference beyond `least_ratio` that so few samples could never have
// proven; so are slow calls (one in ten, or outliers) beside a median that stayed. Single sizes, bandwidths and counts:
// cost_figures.hpp.
//
// A size takes part only where both runs say that it had settled; where they say nothing of sizes, the whole curve had
// to settle. The machine must have been as busy in both: other processes took shares of the processors that differ by
// no more than `alike_others`, and the measuring thread waited for shares of the time that differ by no more than
// `alike_waiting`. Elsewhere a difference is inconclusive, and the reason says what was unlike. Two reports that say
// nothing of it are judged. Pure and thread-safe.
// Beside it: which costs of a curve are compared, and their names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct NoiseOptions {
    double false_alarm_rate = 0.001;  // of a device, over all of its noisy fields
    double least_ratio = 2;           // by which two runs of one build may differ
    double told_ratio = 1.5;          // from which on a difference is told, as inconclusive
    // The same of single sizes and of figures without a distribution (measured_figure.hpp). Chosen; of 270 pairs of
    // runs on H100s, a part of them beside busy processors, and of 56 of lavapipe 22.3.6 on a busy machine, none
    // alarmed.
    double least_figure_ratio = 4;
    double least_difference_ns = 1000;
    double alike_others = 0.10;
    double alike_waiting = 0.05;
};

struct CostDifferences {
    std::vector<model::FieldChange> changes;  // what is not the same
    std::uint64_t same_fields = 0;
};

// The other against several runs of one build: a difference counts where it is one from every run under like
// conditions, and the runs' own spread says by how much two may differ. With kRunsThatTell runs that is the spread and
// kBeyondSpread times more, even below `least_ratio`; with fewer it only raises `least_ratio`. `baselines` holds at
// least one, none null.
inline constexpr std::size_t kRunsThatTell = 5;
inline constexpr double kBeyondSpread = 1.25;
[[nodiscard]] CostDifferences compare_costs(std::span<const model::DeviceReport* const> baselines,
                                            const model::DeviceReport& other, const NoiseOptions& options);

[[nodiscard]] CostDifferences compare_costs(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                            const NoiseOptions& options);

// What a memory type's curve holds of costs: which calls, of which memory, and how a comparison names them. Pure and
// thread-safe.

// One of the calls that a sample times, and what a point keeps of it.
struct CostKind {
    std::string_view name;
    std::uint64_t model::MemoryCostPoint::*median;
    std::uint64_t model::MemoryCostPoint::*least;
    std::uint64_t model::MemoryCostPoint::*p90;
    std::uint64_t model::MemoryCostPoint::*worst;  // 0 where the call was not timed
    std::vector<std::uint64_t> model::MemoryCostPoint::*outliers;
};
inline constexpr std::array kCosts{
    CostKind{"allocate", &model::MemoryCostPoint::allocate_ns, &model::MemoryCostPoint::allocate_min_ns,
             &model::MemoryCostPoint::allocate_p90_ns, &model::MemoryCostPoint::allocate_worst_ns,
             &model::MemoryCostPoint::allocate_outliers_ns},
    CostKind{"touch", &model::MemoryCostPoint::touch_ns, &model::MemoryCostPoint::touch_min_ns,
             &model::MemoryCostPoint::touch_p90_ns, &model::MemoryCostPoint::touch_worst_ns,
             &model::MemoryCostPoint::touch_outliers_ns},
    CostKind{"free", &model::MemoryCostPoint::free_ns, &model::MemoryCostPoint::free_min_ns,
             &model::MemoryCostPoint::free_p90_ns, &model::MemoryCostPoint::free_worst_ns,
             &model::MemoryCostPoint::free_outliers_ns}};

// Memory for anything, or dedicated to an image.
struct CostPoints {
    std::string_view prefix;
    std::vector<model::MemoryCostPoint> model::MemoryCostCurve::*points;
};
inline constexpr std::array kCostPoints{
    CostPoints{"", &model::MemoryCostCurve::points},
    CostPoints{"dedicated_image_", &model::MemoryCostCurve::dedicated_image_points}};

// A curve of the baseline and the other run's of the same memory type.
struct SharedCurve {
    const model::MemoryCostCurve* from = nullptr;
    const model::MemoryCostCurve* to = nullptr;
    std::string type;  // its name in paths
};
// They point into both reports.
[[nodiscard]] std::vector<SharedCurve> shared_curves(const model::DeviceReport& baseline,
                                                     const model::DeviceReport& other);

// Sizes up to this one are judged together, and so are those above.
inline constexpr std::uint64_t kSmallBytes = 1ull << 20;

// "/volatile/memory_cost/TYPE/dedicated_image_allocate_ns", of all sizes; below it ranges of sizes and single ones.
[[nodiscard]] std::string cost_root(const std::string& type, const CostPoints& of, const CostKind& cost);
[[nodiscard]] std::string range_path(const std::string& type, const CostPoints& of, const CostKind& cost, bool small);
[[nodiscard]] std::string size_path(const std::string& type, const CostPoints& of, const CostKind& cost,
                                    std::uint64_t size_bytes);

// Why a size of a run tells nothing, "the other run had not settled"; empty: it had, or nothing says so. Older reports
// say it of the whole curve, and of memory dedicated to an image not at all.
[[nodiscard]] std::string why_unsettled(std::string_view which_run, const model::MemoryCostCurve& curve,
                                        const CostPoints& of, const model::MemoryCostPoint& point);

}  // namespace heapwright::compare
