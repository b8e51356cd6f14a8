#include "heapwright/policy/chunk_limits.hpp"

#include <algorithm>
#include <set>

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

std::vector<HeapRoom> find_room(const BucketInputs& inputs, std::span<const model::HeapPolicy> heaps) {
    std::vector<double> expected(heaps.size(), 0);
    std::vector<std::set<std::uint32_t>> types(heaps.size());
    for (const PlacedDemand& entry : inputs.placed) {
        expected[entry.heap] += entry.demand->held_bytes();
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
