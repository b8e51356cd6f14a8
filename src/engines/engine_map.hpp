// Which engine of a device each queue of a program runs on: one of the wished kind where the device has it, else one
// that can do its work; of the wished priority where there is one, else of the normal one. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/submitter.hpp"
#include "engines/program.hpp"

namespace heapwright::engines {

struct EngineMap {
    std::vector<device::EngineId> engine_of;  // by actor; of the host: engine 0, without meaning
    std::vector<std::uint32_t> queue_of;      // by actor: a number for each queue behind the engines; of the host: 0
    std::vector<std::uint32_t> family_of;     // by actor: the queue family, Direct3D 12: 0; of the host: 0
    std::vector<std::string> names;           // the engines of the program's queues, in their order
    std::vector<std::string> notes;           // what the device lacks and what took its place
    std::uint32_t queues = 0;                 // distinct ones
    std::uint32_t families = 0;               // distinct ones
    bool shares_queues = false;               // two queues of the program are one of the device
};

// `one_queue`: everything on engine 0.
[[nodiscard]] EngineMap map_engines(std::span<const device::EngineInfo> engines,
                                    const std::vector<engines::Actor>& actors, const std::vector<EngineWish>& wishes,
                                    bool one_queue);

// The program's schedule as such a device runs it: queues that are one are one, and where any are, submitted so that
// no wait stands before a signal that meets it; each queue of its engine's family. The schedule has no deadlock.
[[nodiscard]] engines::Schedule as_mapped(const engines::Schedule& schedule, const EngineMap& map);

}  // namespace heapwright::engines
