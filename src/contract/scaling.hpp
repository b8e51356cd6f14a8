// A policy made for heaps of other sizes or budgets, on a device of the same memory types:
//   usable bytes: the same share of the usable budget
//   chunk sizes:  where a heap has become smaller, no more than an eighth of its usable bytes, or than the same share
//                 of them as before; larger heaps keep the chunk sizes, which the cost of an allocation decided
//   a chunk that became smaller than the largest ordinary resource: larger resources get memory of their own
//   one chunk for each bucket fits the heap's usable bytes (feasibility.hpp), or the proof says that it does not
//   chunks ahead: what room is left for them
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

struct RunningHeap {
    std::uint64_t size_bytes = 0;
    std::uint64_t budget_bytes = 0;  // 0: unknown (feasibility.hpp)
};

// The memory that a policy is scaled to: as many heaps as the policy has, the heap of each memory type.
struct RunningMemory {
    std::vector<RunningHeap> heaps;
    std::vector<std::uint32_t> heap_of_type;
};

struct HeapScaled {
    std::size_t heap = 0;
    std::uint64_t base_before = 0;
    std::uint64_t base_now = 0;
    std::uint64_t usable_before = 0;
    std::uint64_t usable_now = 0;
};
struct ChunkScaled {
    std::size_t bucket = 0;
    std::uint64_t before = 0;
    std::uint64_t now = 0;
    bool for_others = false;  // so that one for each bucket fits, not because of its own heap's size alone
};
struct ChunksAheadScaled {
    std::size_t bucket = 0;
    std::uint64_t before = 0;
    std::uint64_t now = 0;
};
using Scaled = std::variant<HeapScaled, ChunkScaled, ChunksAheadScaled>;

// What changed, in the order in which it was decided; empty: nothing. Feasibility is proved anew where anything did.
[[nodiscard]] std::vector<Scaled> scale(model::DevicePolicy& policy, const RunningMemory& memory);

// What depends on a chunk that shrank: the first chunk is no larger, and nothing larger belongs in one.
void fit_to_chunk(model::BucketPolicy& bucket);

}  // namespace heapwright::contract
