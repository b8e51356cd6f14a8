// Where a command's documents come from, and the program that a name or a file means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "whatif/what_if.hpp"

namespace heapwright::cli {

struct Input {
    std::string text;
    std::string name;  // for messages: the file as it was given, or "standard input"
};

// "-" is standard input. Errors: as read_file().
[[nodiscard]] Result<Input> read_input(const std::string& file);

// What a command line names a program by: a preset, hints, a trace, a dump or a recording.

struct ProgramInput {
    // The hints of it, or behind it: what advice goes by. Read when it is asked for.
    std::function<Result<model::Workload>()> workload;
    // Its operations on a device, which outlives it. Buffers that hints let be split are, as `policy` says.
    std::function<whatif::Program(const model::DeviceReport& facts, const model::DevicePolicy& policy)> program;
    bool is_dump = false;
};

// A preset's name, or a file. A trace is read when it is asked for, as a stream where it is a plain file. What was odd
// in a dump or a recording is noted.
[[nodiscard]] Result<ProgramInput> load_program(const std::string& name_or_file, const OutputOptions& output);

}  // namespace heapwright::cli
