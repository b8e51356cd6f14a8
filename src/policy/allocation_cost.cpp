#include "heapwright/policy/allocation_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace heapwright::policy {
namespace {

// Assumed where no curve was measured: the order of what drivers were seen to take.
constexpr double kAssumedFixedNs = 400'000;
constexpr double kAssumedFreeShare = 0.25;  // of what allocating costs

struct AssumedSlope {
    double ns_per_mib = 0;
    std::string_view of;
};

// By the class of the memory, not by whether the host sees it: a resizable BAR is the device's own memory.
AssumedSlope assumed_slope(const Context& context, const model::MemoryType& type) {
    const bool local = (type.property_flags & model::memory_property::kDeviceLocal) != 0;
    if (context.device.identity.type == model::DeviceType::kCpu || is_unified_memory(context.device))
        return {100'000, "memory that the device shares with the host, whose pages the system clears at some 10 GB/s"};
    if (local) return {25'000, "a discrete GPU's own memory, as its drivers were seen to take"};
    return {300'000, "system memory, whose pages a discrete GPU's driver clears and pins"};
}

// Steps of the steady line, through values that put measured GPUs well inside a step: for its first MiB an H100 takes
// some 100 us, of host memory 300 to 1,000, and 20 or 300 us for each further one. What a call takes is the noisier.
constexpr double kFirstMiBStepNs = 80'000;
constexpr double kFirstMiBStep = 8;
constexpr double kAllocateStepNsPerMiB = 16'000;
constexpr double kFreeStepNsPerMiB = 14'000;
constexpr double kPerMiBStep = 4;
// Allocations from here on show what a MiB takes; those of at most one MiB what the call does. No chunk is smaller.
constexpr double kLargeBytes = 16.0 * static_cast<double>(kMiB);

double in_steps(double value, double one_step, double ratio) {
    if (value < 1) return 0;
    return one_step * std::pow(ratio, std::round(std::log(value / one_step) / std::log(ratio)));
}

// The middle of the values, the lower one of two.
double low_middle(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
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
        for (const model::MemoryCostPoint& point : found->points) {
            medians_.push_back({.size_bytes = static_cast<double>(point.size_bytes),
                                .allocate_ns = factor * static_cast<double>(point.allocate_ns),
                                .free_ns = factor * static_cast<double>(point.free_ns)});
            late_.push_back(
                {.size_bytes = static_cast<double>(point.size_bytes),
                 .allocate_ns = factor * static_cast<double>(std::max(point.allocate_ns, point.allocate_p90_ns)),
                 .free_ns = factor * static_cast<double>(std::max(point.free_ns, point.free_p90_ns))});
        }
        allocate_ = steady_line(medians_, &Point::allocate_ns, kAllocateStepNsPerMiB);
        free_ = steady_line(medians_, &Point::free_ns, kFreeStepNsPerMiB);
        is_line_ = basis == CostBasis::kSteady;
        source_ = fmt::format("by the measured latency curve of memory type {}", memory_type);
        if (is_line_) {
            source_ += fmt::format(" in steps that captures of one device share ({:.4g} us a call and {:.4g} us a MiB)",
                                   allocate_.fixed_ns / 1e3, allocate_.ns_per_mib / 1e3);
        }
        if (factor != 1) source_ += fmt::format(", {:.3g} times what was captured, as a validation measured", factor);
        return;
    }
    const auto& type = context.device.memory_types[memory_type];
    const AssumedSlope assumed = assumed_slope(context, type);
    const double slope = assumed.ns_per_mib;
    for (const double mib : {0.0, 1024.0}) {
        const double cost = kAssumedFixedNs + slope * mib;
        late_.push_back(
            {.size_bytes = mib * static_cast<double>(kMiB), .allocate_ns = cost, .free_ns = cost * kAssumedFreeShare});
    }
    medians_ = late_;
    allocate_ = {.fixed_ns = kAssumedFixedNs, .ns_per_mib = slope};
    free_ = {.fixed_ns = kAssumedFixedNs * kAssumedFreeShare, .ns_per_mib = slope * kAssumedFreeShare};
    source_ = fmt::format(
        "the report has no latency curve of memory type {}: an allocation is taken to cost {:.0f} us "
        "and {:.0f} us for every MiB ({}), freeing it a quarter of that",
        memory_type, kAssumedFixedNs / 1e3, slope / 1e3, assumed.of);
}

AllocationCost::Line AllocationCost::steady_line(const std::vector<Point>& points, double Point::*ns,
                                                 double step_ns_per_mib) {
    constexpr auto kOneMiB = static_cast<double>(kMiB);
    std::vector<double> by_mib;
    for (const Point& point : points) {
        const bool is_largest = &point == &points.back();
        if ((point.size_bytes >= kLargeBytes || is_largest) && point.size_bytes > 0)
            by_mib.push_back(point.*ns / point.size_bytes * kOneMiB);
    }
    const double slope = low_middle(std::move(by_mib));
    std::vector<double> of_first_mib;
    for (const Point& point : points) {
        const bool is_smallest = &point == &points.front();
        if (point.size_bytes <= kOneMiB || is_smallest)
            of_first_mib.push_back(std::max(0.0, point.*ns + slope * (1 - point.size_bytes / kOneMiB)));
    }
    const double steady_slope = in_steps(slope, step_ns_per_mib, kPerMiBStep);
    const double first_mib = in_steps(low_middle(std::move(of_first_mib)), kFirstMiBStepNs, kFirstMiBStep);
    return {.fixed_ns = std::max(0.0, first_mib - steady_slope), .ns_per_mib = steady_slope};
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
    const std::size_t upper = upper_point(medians_, static_cast<double>(size_bytes));
    const std::size_t lower = upper == 0 ? 0 : upper - 1;
    return medians_[lower].size_bytes >= static_cast<double>(size_bytes) ? lower : upper;
}

std::string AllocationCost::evidence_text(std::uint64_t size_bytes) const {
    if (!measured_) return {};
    return fmt::format("; its point next to {} bytes is {} ns", size_bytes,
                       context_.device.run.memory_cost[curve_].points[evidence_point(size_bytes)].allocate_ns);
}

std::vector<model::DecisionInput> AllocationCost::evidence(std::uint64_t size_bytes) const {
    std::vector<model::DecisionInput> inputs;
    if (!measured_) return inputs;
    const std::size_t point = evidence_point(size_bytes);
    inputs.push_back(
        context_.cite_device(fmt::format("/volatile/memory_cost/{}/points/{}/allocate_ns", curve_, point),
                             std::to_string(context_.device.run.memory_cost[curve_].points[point].allocate_ns)));
    return inputs;
}

}  // namespace heapwright::policy
