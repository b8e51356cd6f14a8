#include "policy/allocation_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "core/percentile.hpp"
#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// Assumed where no curve was measured: the order of what drivers were seen to take.
constexpr double kAssumedFixedNs = 400'000;
constexpr double kAssumedFreeShare = 0.25;  // of what allocating costs

struct AssumedSlope {
    double ns_per_mib = 0;
    model::Claim of;
};

// By the class of the memory, not by whether the host sees it: a resizable BAR is the device's own memory.
AssumedSlope assumed_slope(const Context& context, const model::MemoryType& type) {
    const bool local = (type.property_flags & model::memory_property::kDeviceLocal) != 0;
    if (context.device.identity.type == model::DeviceType::kCpu || is_unified_memory(context.device))
        return {100'000, claim<ClaimId::kCostOfSharedMemory>()};
    if (local) return {25'000, claim<ClaimId::kCostOfOwnMemory>()};
    return {300'000, claim<ClaimId::kCostOfSystemMemory>()};
}

// Steps of the steady line, with borders that captures of a device stay well away from. For its first MiB and for each
// further one, in us: lavapipe takes 70 to 290 and 73 to 290 (by the machine that it runs on), SwiftShader 2,500 to
// 5,500 and 3,300 to 7,400, an H100's own memory 170 to 400 and 30 to 60 (one capture of 15 showed 158), host memory
// beside it 760 to 1,950 and 280 to 690. Below the first border all is cheap.
struct Step {
    double below = 0;
    double taken = 0;
};
constexpr double kBeyond = std::numeric_limits<double>::infinity();
constexpr std::array kFirstMiBNs{Step{56e3, 5e3}, Step{553e3, 160e3}, Step{8.8e6, 1.28e6}, Step{kBeyond, 20.5e6}};
constexpr std::array kPerMiBNs{Step{11e3, 1e3}, Step{66e3, 30e3}, Step{1.06e6, 240e3}, Step{17e6, 3.84e6},
                               Step{kBeyond, 61.4e6}};
// Allocations of these sizes, the dearest, show what a MiB takes; those of at most one MiB what the call does. No chunk
// is smaller. What is larger, a probe does not always get to.
constexpr double kLargeBytes = 16.0 * static_cast<double>(kMiB);
constexpr double kLargestBytes = 64.0 * static_cast<double>(kMiB);

double in_steps(double value, std::span<const Step> steps) {
    if (value < 1) return 0;
    return std::ranges::find_if(steps, [value](const Step& step) { return value < step.below; })->taken;
}

}  // namespace

AllocationCost::AllocationCost(const Context& context, std::uint32_t memory_type, CostBasis basis) : context_(context) {
    const auto& curves = context.device.run.memory_cost;
    const auto found = std::find_if(curves.begin(), curves.end(), [memory_type](const model::MemoryCostCurve& curve) {
        return curve.memory_type == memory_type && !curve.points.empty();
    });
    if (found != curves.end()) {
        measured_ = true;
        curve_ = static_cast<std::size_t>(found - curves.begin());
        const double factor = context.cost_factor;
        of_anyone_ = prices_of(found->points, found->allocate_fit, factor);
        of_image_ = prices_of(found->dedicated_image_points, found->dedicated_image_fit, factor);
        const Line measured = measured_line(of_anyone_.medians);
        allocate_ = steady_line(measured);
        is_line_ = basis == CostBasis::kSteady;
        source_ = claim<ClaimId::kCostCurve>(model::count(memory_type));
        if (is_line_) {
            source_ += claim<ClaimId::kCostSteps>(
                model::nanoseconds(allocate_.fixed_ns), model::nanoseconds(allocate_.ns_per_mib),
                model::nanoseconds(measured.fixed_ns + measured.ns_per_mib), model::nanoseconds(measured.ns_per_mib));
        }
        if (factor != 1) source_ += claim<ClaimId::kCostFactor>(model::number(factor));
        return;
    }
    const auto& type = context.device.memory_types[memory_type];
    const AssumedSlope assumed = assumed_slope(context, type);
    const double slope = assumed.ns_per_mib;
    for (const double mib : {0.0, 1024.0}) {
        const double cost = kAssumedFixedNs + slope * mib;
        of_anyone_.late.push_back(
            {.size_bytes = mib * static_cast<double>(kMiB), .allocate_ns = cost, .free_ns = cost * kAssumedFreeShare});
    }
    of_anyone_.medians = of_anyone_.late;
    of_anyone_.least = of_anyone_.late;
    allocate_ = {.fixed_ns = kAssumedFixedNs, .ns_per_mib = slope};
    free_ = {.fixed_ns = kAssumedFixedNs * kAssumedFreeShare, .ns_per_mib = slope * kAssumedFreeShare};
    source_ = claim<ClaimId::kCostAssumed>(model::count(memory_type), model::nanoseconds(kAssumedFixedNs),
                                           model::nanoseconds(slope));
    source_ += assumed.of;
}

AllocationCost::Prices AllocationCost::prices_of(const std::vector<model::MemoryCostPoint>& points,
                                                 const std::optional<model::MemoryCostFit>& fit, double factor) {
    Prices prices;
    for (const model::MemoryCostPoint& point : points) {
        // What has not settled, or has too few samples to tell, spreads no less than the curve.
        const bool settled = !point.steadiness || *point.steadiness == model::Steadiness::kSteady;
        const double least_ratio = settled || !fit ? 1 : std::min(1.0, fit->least_ratio.value_or(1));
        const double late_ratio = settled || !fit ? 1 : std::max(1.0, fit->late_ratio.value_or(1));
        const auto least = [least_ratio](std::uint64_t quickest_ns, std::uint64_t median_ns) {
            const auto median = static_cast<double>(median_ns);
            return std::min(quickest_ns != 0 ? static_cast<double>(quickest_ns) : median, median * least_ratio);
        };
        const auto late = [late_ratio](std::uint64_t p90_ns, std::uint64_t median_ns) {
            return std::max(static_cast<double>(p90_ns), static_cast<double>(median_ns) * late_ratio);
        };
        const auto size_bytes = static_cast<double>(point.size_bytes);
        prices.medians.push_back({.size_bytes = size_bytes,
                                  .allocate_ns = factor * static_cast<double>(point.allocate_ns),
                                  .free_ns = factor * static_cast<double>(point.free_ns)});
        prices.least.push_back({.size_bytes = size_bytes,
                                .allocate_ns = factor * least(point.allocate_min_ns, point.allocate_ns),
                                .free_ns = factor * least(point.free_min_ns, point.free_ns)});
        prices.late.push_back({.size_bytes = size_bytes,
                               .allocate_ns = factor * late(point.allocate_p90_ns, point.allocate_ns),
                               .free_ns = factor * late(point.free_p90_ns, point.free_ns)});
    }
    return prices;
}

AllocationCost::Line AllocationCost::measured_line(const std::vector<Point>& points) {
    constexpr auto kOneMiB = static_cast<double>(kMiB);
    const auto by_mib = [](const Point& point) { return point.life_ns() / std::max(1.0, point.size_bytes) * kOneMiB; };
    double slope = 0;
    for (const Point& point : points) {
        if (point.size_bytes >= kLargeBytes && point.size_bytes <= kLargestBytes)
            slope = std::max(slope, by_mib(point));
    }
    if (slope == 0) slope = by_mib(points.back());
    std::vector<double> of_first_mib;
    for (const Point& point : points) {
        const bool is_smallest = &point == &points.front();
        if (point.size_bytes <= kOneMiB || is_smallest)
            of_first_mib.push_back(std::max(0.0, point.life_ns() + slope * (1 - point.size_bytes / kOneMiB)));
    }
    return {.fixed_ns = percentile(std::move(of_first_mib), 50) - slope, .ns_per_mib = slope};
}

AllocationCost::Line AllocationCost::steady_line(const Line& measured) {
    const double slope = in_steps(measured.ns_per_mib, kPerMiBNs);
    const double first_mib = in_steps(measured.fixed_ns + measured.ns_per_mib, kFirstMiBNs);
    return {.fixed_ns = std::max(0.0, first_mib - slope), .ns_per_mib = slope};
}

// The point that ends the segment for a size.
std::size_t AllocationCost::upper_point(const std::vector<Point>& points, double size_bytes) {
    std::size_t upper = 1;
    while (upper + 1 < points.size() && points[upper].size_bytes < size_bytes) ++upper;
    return std::min(upper, points.size() - 1);
}

AllocationCost::Point AllocationCost::at(const std::vector<Point>& points, std::uint64_t size_bytes) {
    const auto size = static_cast<double>(size_bytes);
    const std::size_t upper = upper_point(points, size);
    const Point& high = points[upper];
    const Point& low = points[upper == 0 ? 0 : upper - 1];
    const double span = high.size_bytes - low.size_bytes;
    // Below the smallest measured size its cost holds: what remains is the call itself.
    const double share = span > 0 ? std::max(0.0, (size - low.size_bytes) / span) : 0.0;
    return {.size_bytes = size,
            .allocate_ns = std::max(0.0, low.allocate_ns + share * (high.allocate_ns - low.allocate_ns)),
            .free_ns = std::max(0.0, low.free_ns + share * (high.free_ns - low.free_ns))};
}

std::size_t AllocationCost::evidence_point(std::uint64_t size_bytes) const {
    const std::size_t upper = upper_point(of_anyone_.medians, static_cast<double>(size_bytes));
    const std::size_t lower = upper == 0 ? 0 : upper - 1;
    return of_anyone_.medians[lower].size_bytes >= static_cast<double>(size_bytes) ? lower : upper;
}

model::Statement AllocationCost::nearest_point(std::uint64_t size_bytes) const {
    if (!measured_) return {};
    const model::MemoryCostPoint& point = context_.device.run.memory_cost[curve_].points[evidence_point(size_bytes)];
    return claim<ClaimId::kCostPointNear>(model::bytes(point.size_bytes), model::nanoseconds(point.allocate_ns));
}

std::vector<model::DecisionInput> AllocationCost::evidence(std::uint64_t size_bytes) const {
    std::vector<model::DecisionInput> inputs;
    if (!measured_) return inputs;
    const std::size_t point = evidence_point(size_bytes);
    inputs.push_back(
        context_.cite_device(fmt::format("/volatile/memory_cost/{}/points/{}/allocate_ns", curve_, point),
                             model::nanoseconds(context_.device.run.memory_cost[curve_].points[point].allocate_ns)));
    return inputs;
}

}  // namespace heapwright::policy
