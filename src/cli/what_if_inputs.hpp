// What `what-if` plays, from what its command line names: presets, hints, traces, dumps and recordings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heapwright/cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/whatif/what_if.hpp"

namespace heapwright::cli {

struct WhatIfInput {
    // The hints of it, or behind it: what advice goes by. Read when it is asked for.
    std::function<Result<model::Workload>()> workload;
    // On a device, which outlives it.
    std::function<Result<whatif::Program>(const model::DeviceReport& facts)> program;
    bool is_dump = false;
};

// A preset's name, or a file. What was odd in a dump or a recording is noted.
[[nodiscard]] Result<WhatIfInput> load_what_if_input(const std::string& name_or_file, const OutputOptions& output);

}  // namespace heapwright::cli
