// What a missing wait can do: the program's bytes when the engines take their time in the worst way that its other
// waits allow. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engines/program.hpp"
#include "engines/program_memory.hpp"

namespace heapwright::engines {

// An order that the schedule without this wait allows, and that turns the two accesses round: the one that should come
// second runs as soon as it can, the other one after it. Empty when the remaining waits do not allow it.
[[nodiscard]] std::optional<std::vector<std::size_t>> disorder(const engines::Schedule& schedule, std::size_t wait,
                                                               std::size_t one_access, std::size_t other_access);

struct Difference {
    ResourceIndex resource;
    std::uint64_t offset_bytes = 0;  // of the first byte that differs
    std::uint64_t bytes = 0;         // how many do
};

// Of buffers outside the host's reach and of what the host read; resources in their order.
[[nodiscard]] std::vector<Difference> differences(const EngineProgram& program, const HostMemory& expected,
                                                  const HostMemory& seen);

}  // namespace heapwright::engines
