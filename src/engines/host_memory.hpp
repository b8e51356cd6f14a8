// The bytes of a program's resources on the host, and what its steps do to them: what a device must leave behind,
// computed without one. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/program.hpp"

namespace heapwright::engines {

class HostMemory {
public:
    HostMemory(const std::vector<ProgramResource>& resources, std::uint64_t seed);

    void apply(const Step& step);
    void apply(const std::vector<Step>& steps) {
        for (const Step& step : steps) apply(step);
    }

    [[nodiscard]] std::span<const std::byte> bytes(ResourceIndex resource) const { return bytes_[resource.value]; }
    // What each HostRead saw, in the order of their steps.
    [[nodiscard]] const std::vector<std::vector<std::byte>>& reads() const { return reads_; }

private:
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<std::vector<std::byte>> reads_;
};

// The program's operations executed one after the other in this order; each position of an execution once.
[[nodiscard]] HostMemory run_on_host(const EngineProgram& program, const std::vector<std::size_t>& order);

// In the order in which the schedule plays: where no rule is broken, every legal order leaves the same bytes.
[[nodiscard]] HostMemory run_on_host(const EngineProgram& program);

}  // namespace heapwright::engines
