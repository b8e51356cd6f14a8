// Strong index types: a memory type index is not a queue family index.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace heapwright {

template <class Tag>
struct StrongIndex {
    std::uint32_t value = 0;
    friend constexpr auto operator<=>(StrongIndex, StrongIndex) = default;
};

using MemoryTypeIndex = StrongIndex<struct MemoryTypeIndexTag>;
using QueueFamilyIndex = StrongIndex<struct QueueFamilyIndexTag>;

// A point on a timeline: a timeline semaphore's or fence's value.
struct TimelineValue {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(TimelineValue, TimelineValue) = default;
};

}  // namespace heapwright

template <class Tag>
struct std::hash<heapwright::StrongIndex<Tag>> {
    std::size_t operator()(heapwright::StrongIndex<Tag> index) const noexcept { return index.value; }
};
