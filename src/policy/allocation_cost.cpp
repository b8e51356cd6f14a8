#include "heapwright/policy/allocation_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
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
}  // namespace

AllocationCost::AllocationCost(const Context& context, std::uint32_t memory_type) : context_(context) {
    const auto& curves = context.device.run.memory_cost;
    const auto found = std::find_if(curves.begin(), curves.end(), [memory_type](const model::MemoryCostCurve& curve) {
        return curve.memory_type == memory_type && !curve.points.empty();
    });
    if (found != curves.end()) {
        measured_ = true;
        curve_ = static_cast<std::size_t>(found - curves.begin());
        for (const model::MemoryCostPoint& point : found->points) {
            points_.push_back({.size_bytes = static_cast<double>(point.size_bytes),
                               .allocate_ns = static_cast<double>(point.allocate_ns),
                               .free_ns = static_cast<double>(point.free_ns)});
        }
        source_ = fmt::format("by the measured latency curve of memory type {}", memory_type);
        return;
    }
    const auto& type = context.device.memory_types[memory_type];
    const AssumedSlope assumed = assumed_slope(context, type);
    const double slope = assumed.ns_per_mib;
    for (const double mib : {0.0, 1024.0}) {
        const double cost = kAssumedFixedNs + slope * mib;
        points_.push_back(
            {.size_bytes = mib * static_cast<double>(kMiB), .allocate_ns = cost, .free_ns = cost * kAssumedFreeShare});
    }
    source_ = fmt::format(
        "the report has no latency curve of memory type {}: an allocation is taken to cost {:.0f} us "
        "and {:.0f} us for every MiB ({}), freeing it a quarter of that",
        memory_type, kAssumedFixedNs / 1e3, slope / 1e3, assumed.of);
}

// The point that ends the segment for a size.
std::size_t AllocationCost::upper_point(double size_bytes) const {
    std::size_t upper = 1;
    while (upper + 1 < points_.size() && points_[upper].size_bytes < size_bytes) ++upper;
    return std::min(upper, points_.size() - 1);
}

AllocationCost::Point AllocationCost::at(std::uint64_t size_bytes) const {
    const auto size = static_cast<double>(size_bytes);
    const std::size_t upper = upper_point(size);
    const Point& high = points_[upper];
    const Point& low = points_[upper == 0 ? 0 : upper - 1];
    const double span = high.size_bytes - low.size_bytes;
    // Below the smallest measured size its cost holds: what remains is the call itself.
    const double share = span > 0 ? std::max(0.0, (size - low.size_bytes) / span) : 0.0;
    return {.size_bytes = size,
            .allocate_ns = std::max(0.0, low.allocate_ns + share * (high.allocate_ns - low.allocate_ns)),
            .free_ns = std::max(0.0, low.free_ns + share * (high.free_ns - low.free_ns))};
}

std::vector<model::DecisionInput> AllocationCost::evidence(std::uint64_t size_bytes) const {
    std::vector<model::DecisionInput> inputs;
    if (!measured_) return inputs;
    const std::size_t upper = upper_point(static_cast<double>(size_bytes));
    const std::size_t point = points_[upper == 0 ? 0 : upper - 1].size_bytes >= static_cast<double>(size_bytes)
                                  ? (upper == 0 ? 0 : upper - 1)
                                  : upper;
    inputs.push_back(
        context_.cite_device(fmt::format("/volatile/memory_cost/{}/points/{}/allocate_ns", curve_, point),
                             std::to_string(context_.device.run.memory_cost[curve_].points[point].allocate_ns)));
    return inputs;
}

}  // namespace heapwright::policy
