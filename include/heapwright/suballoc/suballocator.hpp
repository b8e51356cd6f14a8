// The concept that every suballocator satisfies, so that pools and descriptor heaps take any of them.
// allocate() gives a range of at least `size` at a multiple of `alignment` (a power of two) or says why not; free()
// takes it back at once or with its group (see FreeOutcome); reset() empties the block whatever is live.
// for_each_range(visit(offset, size, is_used)) covers the block in order of offset; neighbouring used ranges may be
// one or several. Not thread-safe: LockedSuballocator is.
#pragma once

#include <concepts>
#include <cstdint>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

template <class T>
concept Suballocator = std::movable<T> &&
    requires(T allocator, const T& constant, std::uint64_t number, SuballocationHandle handle) {
    { allocator.allocate(number, number) } -> std::same_as<AllocateResult>;
    { allocator.free(handle) } -> std::same_as<FreeOutcome>;
    { allocator.reset() } -> std::same_as<void>;
    { constant.capacity() } -> std::same_as<std::uint64_t>;
    { constant.used() } -> std::same_as<std::uint64_t>;
    { constant.suballocation_count() } -> std::same_as<std::uint64_t>;
    { constant.is_empty() } -> std::same_as<bool>;
    { constant.figures() } -> std::same_as<Figures>;
    { constant.validate_invariants() } -> std::same_as<Status>;
    constant.for_each_range([](std::uint64_t, std::uint64_t, bool) {});
};

}  // namespace heapwright::suballoc
