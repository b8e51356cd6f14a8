#include "heapwright/measure/cost_fit.hpp"

#include <algorithm>
#include <cmath>

namespace heapwright::measure {
namespace {

constexpr double kMibBytes = 1 << 20;

struct Line {
    double fixed = 0;
    double slope = 0;
};

// Sums of the normal equations, every point weighted with 1 / cost^2.
struct Sums {
    double w = 0;
    double wx = 0;
    double wxx = 0;
    double wy = 0;
    double wxy = 0;
};

Line solve(const Sums& sums) {
    const double determinant = sums.w * sums.wxx - sums.wx * sums.wx;
    Line line;
    if (determinant > 1e-12 * sums.w * sums.wxx) {
        line.slope = (sums.w * sums.wxy - sums.wx * sums.wy) / determinant;
        line.fixed = (sums.wy - line.slope * sums.wx) / sums.w;
    } else {
        line.fixed = sums.wy / sums.w;
    }
    if (line.slope < 0) return {.fixed = sums.wy / sums.w};
    if (line.fixed < 0) return {.slope = sums.wxy / sums.wxx};
    return line;
}

}  // namespace

Spread spread(std::vector<std::uint64_t> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t count = samples.size();
    return {.min = samples.front(),
            .median = samples[(count - 1) / 2],
            .p90 = samples[(count * 9 + 9) / 10 - 1],
            .worst = samples.back()};
}

std::optional<model::MemoryCostFit> fit_cost(std::span<const CostPoint> points) {
    Sums sums;
    std::size_t used = 0;
    for (const CostPoint& point : points) {
        if (point.cost_ns == 0) continue;
        const double x = static_cast<double>(point.size_bytes) / kMibBytes;
        const double y = static_cast<double>(point.cost_ns);
        const double weight = 1.0 / (y * y);
        sums.w += weight;
        sums.wx += weight * x;
        sums.wxx += weight * x * x;
        sums.wy += weight * y;
        sums.wxy += weight * x * y;
        ++used;
    }
    if (used < 2) return std::nullopt;
    const Line line = solve(sums);
    double largest = 0;
    for (const CostPoint& point : points) {
        if (point.cost_ns == 0) continue;
        const double fitted = line.fixed + line.slope * static_cast<double>(point.size_bytes) / kMibBytes;
        const double cost = static_cast<double>(point.cost_ns);
        largest = std::max(largest, std::abs(fitted - cost) / cost);
    }
    return model::MemoryCostFit{.fixed_ns = line.fixed, .ns_per_mib = line.slope, .largest_relative_error = largest};
}

}  // namespace heapwright::measure
