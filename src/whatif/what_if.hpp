// Plays every way on every program and writes down what came of it: a document. Ways play side by side, in one pass
// over each program's steps; seeds play at once on all processors, but on a device's own memory one after another. Pure
// over numbers; same input, same document, but for its volatile section. Thread-safe over numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/memory_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"
#include "model/what_if.hpp"
#include "policy/context.hpp"
#include "whatif/account.hpp"
#include "whatif/player.hpp"
#include "whatif/ways.hpp"
#include "workload/dump.hpp"
#include "workload/trace_reader.hpp"

namespace heapwright::whatif {

inline constexpr std::uint64_t kSeeds = 8;  // of a program that is drawn

// What is played.
struct Program {
    std::string name;
    std::string kind;         // as WhatIfInput's
    std::string device_name;  // of a dump that says so
    double weight = 1;
    std::uint64_t frames_in_flight = 2;
    std::uint64_t frame_budget_ns = 16'666'667;
    bool is_drawn = true;  // kSeeds times; else once, as it is
    // A source from the start, of the run with that number from 0. Thread-safe.
    std::function<Result<std::unique_ptr<StepSource>>(std::uint64_t run)> open;
    std::optional<Figures> as_dumped;
};

// What is given by reference outlives the program.
[[nodiscard]] Program program_of_hints(const model::DeviceReport& facts, const model::Workload& workload);
[[nodiscard]] Program program_of_dump(const model::DeviceReport& facts, std::string name,
                                      std::shared_ptr<const workload::Dump> dump);
[[nodiscard]] Program program_of_trace(const model::DeviceReport& facts, std::string name, workload::OpenTrace open);

struct Curve {
    std::string of;  // the way's name
    SweptWays swept;
};

struct WhatIfRequest {
    const model::DeviceReport& facts;
    const std::vector<Program>& programs;  // at least one
    const std::vector<Way>& ways;          // at least one; the first is what the others are compared with
    const std::vector<Curve>& curves;
    device::MemorySource* memory = nullptr;  // the device's own: every way plays on it, too
};

// The document but for its header. Errors: those of a source, with its place; kInvariantBroken.
[[nodiscard]] Result<model::WhatIf> play_what_if(const WhatIfRequest& request);

// A what-if on a device's own memory: every way once over numbers and once more by the device's own calls, each timed.
// Memory alone: no resource is created in it, nothing is copied.

// request.memory is the device's from here on. Gives back all that it takes. Not thread-safe. Errors: those of
// play_what_if(), kDeviceLost.
[[nodiscard]] Result<model::WhatIf> play_on_device(WhatIfRequest request, device::Device& device);

}  // namespace heapwright::whatif
