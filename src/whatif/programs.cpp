// Programs from hints, dumps and traces, and what a dump says that its own program had.
#include <utility>

#include "policy/played_workload.hpp"
#include "whatif/sources.hpp"
#include "whatif/what_if.hpp"

namespace heapwright::whatif {
namespace {

// A trace and a dump state no frames in flight and no budget: a workload's defaults.
const model::Workload& no_hints() {
    static const model::Workload none;
    return none;
}

Figures figures_of_blocks(const workload::Dump& dump) {
    const workload::DumpTotals totals = workload::listed_totals(dump);
    Stretch load;
    load.add(FrameFigures{.is_load = true,
                          .reserved_bytes = totals.block_bytes,
                          .used_bytes = totals.allocation_bytes,
                          .most_reserved_bytes = totals.block_bytes,
                          .most_allocations = totals.block_count});
    Figures figures = figures_of(load, {});
    for (const model::WhatIfColumn unknown :
         {model::WhatIfColumn::kAllocating, model::WhatIfColumn::kMissedTypes, model::WhatIfColumn::kFailedRequests})
        figures[static_cast<std::size_t>(unknown)].reset();
    return figures;
}

}  // namespace

Program program_of_hints(const model::DeviceReport& facts, const model::Workload& workload) {
    const auto sizers = std::make_shared<const policy::HintSizers>(
        policy::Context{.device = facts, .workload = workload, .device_index = 0});
    Program program{.name = workload.name, .kind = "hints", .device_name = {}, .open = {}, .as_dumped = {}};
    program.frames_in_flight = std::max(1u, workload.frames_in_flight);
    program.frame_budget_ns = workload.frame_budget_ns;
    program.open = [sizers](std::uint64_t run) { return steps_of_hints(*sizers, sizers->context.workload.seed + run); };
    return program;
}

Program program_of_dump(const model::DeviceReport& facts, std::string name,
                        std::shared_ptr<const workload::Dump> dump) {
    Program program{.name = std::move(name),
                    .kind = "dump",
                    .device_name = dump->device_name,
                    .open = {},
                    .as_dumped = figures_of_blocks(*dump)};
    program.open = [&facts, dump = std::move(dump)](std::uint64_t run) -> Result<std::unique_ptr<StepSource>> {
        return steps_of_dump({.device = facts, .workload = no_hints(), .device_index = 0}, *dump, run + 1);
    };
    return program;
}

Program program_of_trace(const model::DeviceReport& facts, std::string name, workload::OpenTrace open) {
    Program program{.name = std::move(name), .kind = "trace", .device_name = {}, .open = {}, .as_dumped = {}};
    program.is_drawn = false;
    program.frames_in_flight = no_hints().frames_in_flight;
    program.frame_budget_ns = no_hints().frame_budget_ns;
    program.open = [&facts, open = std::move(open)](std::uint64_t) -> Result<std::unique_ptr<StepSource>> {
        HEAPWRIGHT_ASSIGN(workload::TraceReader reader, open());
        return steps_of_trace({.device = facts, .workload = no_hints(), .device_index = 0}, std::move(reader));
    };
    return program;
}

}  // namespace heapwright::whatif
