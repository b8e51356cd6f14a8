// From samples to figures: outliers, quantiles, and a cost of the form fixed + per byte. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::probe {

struct Spread {
    std::uint64_t min = 0;
    std::uint64_t median = 0;  // of an even number the lower of the two in the middle
    std::uint64_t p90 = 0;     // the smallest sample that at least 90% do not exceed
    std::uint64_t worst = 0;
};

// Both as they came. An outlier is further above the upper quartile than three times the quartiles' distance (Tukey's
// "far out", Exploratory Data Analysis, 1977), and above twice the median. More than one in eight are no outliers but
// what the device does at times; fewer than eight samples have none.
struct SplitSamples {
    std::vector<std::uint64_t> kept;
    std::vector<std::uint64_t> outliers;
};
[[nodiscard]] SplitSamples split_outliers(std::span<const std::uint64_t> samples);

// All zero without samples.
[[nodiscard]] Spread spread(std::vector<std::uint64_t> samples);

struct CostPoint {
    std::uint64_t size_bytes = 0;
    std::uint64_t cost_ns = 0;
    std::uint64_t least_ns = 0;  // of the samples whose median the cost is, as is the next; 0: too few to tell
    std::uint64_t late_ns = 0;
};

// The least squares of the relative errors, so that a curve over four decades is fitted at its small end too; neither
// part is negative. Points without cost are left out; nothing with fewer than two points.
[[nodiscard]] std::optional<model::MemoryCostFit> fit_cost(std::span<const CostPoint> points);

}  // namespace heapwright::probe
