// The order in which memory is tried for a request when its bucket, the heap or the device is full. In each memory type
// (bucket_choice.hpp):
//   1  the bucket: its chunks, then a new one as it grows
//   2  the same again after each kind of memory that can be given back, the least missed first: prepared chunks of the
//      heap, prepared chunks of all heaps, empty chunks of the heap; where a limit over all heaps is met (device
//      allocations, bytes) the empty chunks of all; where the device's budget is met what the application gives back
//      when it is told
//   3  a new chunk of 1/2, 1/4, 1/8, 1/16 of the usual size, while that is larger than the request
//   4  a new chunk of the request's own size
//   5  the chunks that buckets of larger S have
// then the next memory type. Where a resource gets memory of its own (bucket_choice.hpp), 1 is that, and 2 is all. Any
// error that other memory would not mend ends it all. Templates over what carries the steps out; sizes in bytes. No
// state.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "heapwright/core/error.hpp"

namespace heapwright::contract {

enum class Relief : std::uint8_t { kPreparedOfHeap, kPreparedOfAll, kEmptyOfHeap, kEmptyOfAll, kOfApplication };
inline constexpr std::array kReliefs{Relief::kPreparedOfHeap, Relief::kPreparedOfAll, Relief::kEmptyOfHeap,
                                     Relief::kEmptyOfAll, Relief::kOfApplication};

// The smallest chunk tried under pressure is this part of the usual one; then one of the request's own size.
inline constexpr std::uint64_t kLargestShrink = 16;

[[nodiscard]] constexpr bool wants_other_memory(ErrorCode code) {
    return code == ErrorCode::kOutOfDeviceMemory || code == ErrorCode::kOutOfHostMemory ||
           code == ErrorCode::kTooManyObjects || code == ErrorCode::kExhausted || code == ErrorCode::kOverBudget;
}

// Whether a result ends the search: it succeeded, or failed for another reason than memory.
template <class Outcome>
[[nodiscard]] bool is_final(const Outcome& outcome) {
    return outcome || !wants_other_memory(outcome.error().code);
}

// Step 1 and 2. give_back(Relief, ErrorCode of the attempt): the bytes that went back; attempt(): a Result.
template <class GiveBack, class Attempt>
[[nodiscard]] auto try_with_relief(GiveBack&& give_back, Attempt&& attempt) -> decltype(attempt()) {
    auto outcome = attempt();
    for (const Relief relief : kReliefs) {
        if (is_final(outcome)) break;
        if (give_back(relief, outcome.error().code) != 0) outcome = attempt();
    }
    return outcome;
}

// All steps in one memory type. `memory` has
//   give_back(Relief, ErrorCode) -> bytes that went back
//   allocate(shrink)         -> a Result: from the bucket's chunks, else from a new one of the usual size / shrink
//   usual_chunk_bytes()      -> of a new chunk of the bucket
//   allocate_beside()        -> from the chunks of buckets of larger S; converts to false
// The error is that of step 2, whose figures are those of the usual chunk.
template <class Memory>
[[nodiscard]] auto try_memory_type(Memory&& memory, std::uint64_t size_bytes) -> decltype(memory.allocate(1)) {
    auto usual = try_with_relief([&](Relief relief, ErrorCode met) { return memory.give_back(relief, met); },
                                 [&] { return memory.allocate(1); });
    if (is_final(usual)) return usual;
    const std::uint64_t chunk_bytes = memory.usual_chunk_bytes();
    for (std::uint64_t shrink = 2; shrink <= kLargestShrink && chunk_bytes / shrink > size_bytes; shrink *= 2) {
        auto smaller = memory.allocate(shrink);
        if (is_final(smaller)) return smaller;
    }
    if (chunk_bytes > size_bytes) {
        auto smallest = memory.allocate(chunk_bytes);
        if (is_final(smallest)) return smallest;
    }
    if (auto beside = memory.allocate_beside()) return *beside;
    return usual;
}

}  // namespace heapwright::contract
