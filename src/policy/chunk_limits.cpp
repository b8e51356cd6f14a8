#include "heapwright/policy/chunk_limits.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "heapwright/model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

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

model::Statement limits_broken(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const auto budget = static_cast<double>(limits.frame_budget_ns);
    const double worst_ns = figures.worst_frame_ns;
    const model::Figure allocations = model::count(figures.peak_allocations);
    model::Statement broken;
    if (limits.most_bytes && expected_reserve(figures, rule, limits) > *limits.most_bytes) {
        broken += claim<ClaimId::kBreaksRoom>(model::bytes(saturating_bytes(expected_reserve(figures, rule, limits))),
                                              model::bytes(saturating_bytes(*limits.most_bytes)));
    }
    if (worst_ns > budget)
        broken += claim<ClaimId::kBreaksBudget>(model::nanoseconds(worst_ns), model::nanoseconds(budget));
    const double allowed = allowed_of_simulated(limits);
    if (static_cast<double>(figures.peak_allocations) > allowed)
        broken += claim<ClaimId::kBreaksAllowed>(allocations, model::number(std::floor(allowed)));
    if (!broken.empty()) return broken;
    if (worst_ns * static_cast<double>(limits.frame_parts) > budget) {
        broken += claim<ClaimId::kBreaksFramePart>(model::nanoseconds(worst_ns), model::count(limits.frame_parts),
                                                   model::nanoseconds(budget));
    }
    if (figures.peak_allocations > limits.wanted_allocations)
        broken += claim<ClaimId::kBreaksWanted>(allocations, model::count(limits.wanted_allocations));
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
