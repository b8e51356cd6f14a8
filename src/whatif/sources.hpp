// Where the steps of a what-if come from: hints, a trace, a dump. What a device asks for each resource is told by its
// report as policy/played_workload.hpp says; a dump knows its sizes. Not thread-safe; one source a thread. Ownership:
// what is given by reference outlives the source.
#pragma once

#include <cstdint>
#include <memory>

#include "heapwright/core/result.hpp"
#include "policy/context.hpp"
#include "policy/played_workload.hpp"
#include "whatif/player.hpp"
#include "workload/dump.hpp"
#include "workload/trace_reader.hpp"

namespace heapwright::whatif {

// Errors: workload::ResourceStream's.
[[nodiscard]] Result<std::unique_ptr<StepSource>> steps_of_hints(const policy::HintSizers& sizers, std::uint64_t seed);

// In the trace's own order. Errors, of read(): the reader's.
[[nodiscard]] std::unique_ptr<StepSource> steps_of_trace(const policy::Context& context, workload::TraceReader reader);

// A load, in an order that the seed draws: a dump has none. Sizes are the dump's, alignments and memory types those of
// such a resource on the report's device. What had memory of its own goes by each player's rule.
[[nodiscard]] std::unique_ptr<StepSource> steps_of_dump(const policy::Context& context, const workload::Dump& dump,
                                                        std::uint64_t seed);

}  // namespace heapwright::whatif
