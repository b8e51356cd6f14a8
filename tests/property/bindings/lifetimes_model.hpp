// What the model of lifetimes keeps: who may still read what, and who waits for whom.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "frame/descriptor_heap_allocation.hpp"

namespace lifetimes {

using namespace heapwright;

// Who may still read something.
struct Uses {
    std::set<std::uint32_t> open;         // contexts that recorded a use and are not submitted
    std::array<std::uint64_t, 2> ends{};  // by queue: what its fence reads once the last list is over

    [[nodiscard]] bool are_over(const std::array<std::uint64_t, 2>& completed) const {
        return open.empty() && ends[0] <= completed[0] && ends[1] <= completed[1];
    }
};

// One object of each kind, used and released together.
struct Bundle {
    device::ResourceId buffer;
    device::PipelineId pipeline;
    frame::DescriptorHeapAllocation table;
    frame::DescriptorHeapAllocation view;
    Uses uses;
    bool is_released = false;
};

// Rows or bytes that a context was given.
struct Space {
    std::uint64_t place = 0;  // a buffer's id; 0 for rows
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Uses uses;
};

// What a list of a queue, or the next one that a context gets, waits for.
struct Wait {
    std::uint64_t end = 0;  // what the queue's fence reads once the list is over
    std::size_t other = 0;  // the queue that it waits for
    std::uint64_t value = 0;
};

}  // namespace lifetimes
