// What a memory type's curve holds of costs: which calls, of which memory, and how a comparison names them. Pure and
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::compare {

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
