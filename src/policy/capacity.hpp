// Rule: where the workload's peak lives, all of it: what goes into chunks, what gets memory of its own, and what frames
// in flight still use. Demand fills the heaps in the order of the importance that its
// hints state (50 where they state none), and among equals in this order:
//   1 device-only resources that the device writes   2 those of one frame   3 persistent ones   4 those of a level
//   5 those that stream   6 what the host writes and the device reads in place   7 uploads   8 readback
// First all of it asks for its first memory type, then what found no room for its second, and so on, so that nothing is
// driven out by what another heap could not take. Resources move whole; a demand of many may be split.
// A heap is full at its usable bytes. What goes into chunks counts a sixteenth more than its resources, for what chunks
// hold beyond them; what is too large for chunks counts as it is. Lazily allocated memory counts nothing: a device that
// offers it keeps such attachments on the chip. An estimate, by which buckets are chosen; whether the workload fits is
// what the whole policy over numbers says (default_workload.hpp).
// Sizes in bytes. Pure.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "policy/memory_types.hpp"

namespace heapwright::policy {

// Of the bytes of resources in chunks, what chunks take beyond.
inline constexpr double kChunkOverhead = 1.0 / 16;

struct CapacityResult {
    std::vector<PlacedDemand> placed;  // what has a place, in the demands' order
    std::deque<Demand> parts;          // of the demands that were split; `placed` refers to them
    model::CapacityPlan plan;
    bool serves_any = false;  // a memory type admits some of it, whether it has room or not
    // By hint.
    std::map<std::string, std::set<std::uint32_t>, std::less<>> heaps;  // that may hold it, lazily allocated ones apart
    std::map<std::string, model::ExceededLimit, std::less<>> too_large;
    std::map<std::string, model::Statement, std::less<>> beyond_limit;  // why the device refuses it
};

// `uses` is indexed by MemoryUse. `demands` outlives the result. `warnings`: what moved, is staged, or is served by no
// type.
[[nodiscard]] CapacityResult plan_capacity(const Context& context, std::span<const Demand> demands,
                                           std::span<const model::MemoryUsePolicy> uses,
                                           std::span<const model::HeapPolicy> heaps, model::Statement& warnings);

}  // namespace heapwright::policy
