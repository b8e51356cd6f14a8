#include "heapwright/policy/chunk_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

// What is reserved beyond the resources is, in part, one chunk that is being filled and one that was kept empty,
// however many resources there are; the rest grows with their number.
double expected_reserve(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const double simulated = limits.expected_bytes * limits.simulated_share;
    const double beyond = std::max(0.0, static_cast<double>(figures.peak_reserved_bytes) - simulated);
    const double fixed = std::min(beyond, 2 * static_cast<double>(rule.chunk_bytes));
    return limits.expected_bytes + fixed + (beyond - fixed) / limits.simulated_share;
}

// The policy's allocations, in proportion to what is simulated. A bucket always has one that is being filled and one
// that was kept empty, of however few resources: no proportion may take these away.
double allowed_of_simulated(const ChunkLimits& limits) {
    constexpr double kFixed = 2;
    return std::max(kFixed, static_cast<double>(limits.allowed_allocations) * limits.simulated_share);
}

}  // namespace

LimitsKept limits_kept(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const auto budget = static_cast<double>(limits.frame_budget_ns);
    const bool fits = !limits.most_bytes || expected_reserve(figures, rule, limits) <= *limits.most_bytes;
    if (!fits || figures.worst_frame_ns > budget ||
        static_cast<double>(figures.peak_allocations) > allowed_of_simulated(limits))
        return LimitsKept::kNone;
    const bool all = figures.worst_frame_ns * static_cast<double>(limits.frame_parts) <= budget &&
                     figures.peak_allocations <= limits.wanted_allocations;
    return all ? LimitsKept::kAll : LimitsKept::kOfDevice;
}

std::string limits_broken(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const auto budget = static_cast<double>(limits.frame_budget_ns);
    std::string broken;
    const auto add = [&broken](std::string text) { broken += (broken.empty() ? "" : ", and ") + std::move(text); };
    if (limits.most_bytes && expected_reserve(figures, rule, limits) > *limits.most_bytes) {
        add(fmt::format("it would reserve {} bytes of the {} that the bucket may",
                        saturating_bytes(expected_reserve(figures, rule, limits)),
                        saturating_bytes(*limits.most_bytes)));
    }
    if (figures.worst_frame_ns > budget) add(fmt::format("its worst frame is above the whole {} ns", budget));
    if (static_cast<double>(figures.peak_allocations) > allowed_of_simulated(limits)) {
        add(fmt::format("it takes more than the {:.0f} device allocations that the policy allows here",
                        allowed_of_simulated(limits)));
    }
    if (!broken.empty()) return broken;
    if (figures.worst_frame_ns * static_cast<double>(limits.frame_parts) > budget) {
        add(fmt::format("its worst frame is above 1/{} of the {} ns of a frame", limits.frame_parts, budget));
    }
    if (figures.peak_allocations > limits.wanted_allocations) {
        add(fmt::format("it takes more than the {} that this bucket should",
                        counted(limits.wanted_allocations, "device allocation")));
    }
    return broken;
}

std::vector<HeapRoom> find_room(const BucketInputs& inputs, std::span<const model::HeapPolicy> heaps) {
    std::vector<double> expected(heaps.size(), 0);
    std::vector<std::set<std::uint32_t>> types(heaps.size());
    for (const PlacedDemand& entry : inputs.placed) {
        if (!entry.lazily_allocated) expected[entry.heap] += entry.demand->held_bytes();
        if (is_ordinary(*entry.demand, inputs)) types[entry.heap].insert(entry.memory_type);
    }
    std::vector<HeapRoom> rooms(heaps.size());
    for (std::size_t heap = 0; heap < heaps.size(); ++heap) {
        const double spare = static_cast<double>(heaps[heap].usable_bytes.value) - expected[heap];
        if (spare >= 0) rooms[heap].spare_bytes = spare;
        rooms[heap].memory_types = static_cast<std::uint32_t>(types[heap].size());
    }
    return rooms;
}

}  // namespace heapwright::policy
