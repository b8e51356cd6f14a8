#include "heapwright/cli/what_if_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/core/path.hpp"
#include "heapwright/dumps/dump.hpp"
#include "heapwright/dumps/dump_workload.hpp"
#include "heapwright/dumps/recording.hpp"
#include "heapwright/workload/presets.hpp"
#include "heapwright/workload/read.hpp"
#include "heapwright/workload/trace.hpp"
#include "heapwright/workload/trace_reader.hpp"

namespace heapwright::cli {
namespace {

using Text = std::shared_ptr<const std::string>;

WhatIfInput input_of_trace(std::string name, std::string kind, std::string source, Text text) {
    const auto open = [text, source] {
        return workload::TraceReader::create(
            [text, bytes = workload::bytes_of(*text)](std::span<char> into) mutable { return bytes(into); }, source);
    };
    return {
        .workload = [text, source, name]() -> Result<model::Workload> {
            HEAPWRIGHT_ASSIGN(const workload::Trace trace, workload::read_trace(*text, source));
            return workload::workload_from_trace(trace, name);
        },
        .program = [open, name, kind = std::move(kind)](const model::DeviceReport& facts) -> Result<whatif::Program> {
            whatif::Program program = whatif::program_of_trace(facts, name, open);
            program.kind = kind;
            return program;
        }};
}

WhatIfInput input_of_hints(model::Workload workload) {
    const auto kept = std::make_shared<const model::Workload>(std::move(workload));
    return {.workload = [kept]() -> Result<model::Workload> { return *kept; },
            .program = [kept](const model::DeviceReport& facts) -> Result<whatif::Program> {
                whatif::Program program = whatif::program_of_hints(facts, *kept);
                program.open = [kept, open = std::move(program.open)](std::uint64_t run) { return open(run); };
                return program;
            }};
}

WhatIfInput input_of_dump(std::string name, dumps::Dump dump) {
    const auto kept = std::make_shared<const dumps::Dump>(std::move(dump));
    return {.workload = [kept, name]() -> Result<model::Workload> { return dumps::workload_from_dump(*kept, name); },
            .program = [kept, name](const model::DeviceReport& facts) -> Result<whatif::Program> {
                return whatif::program_of_dump(facts, name, kept);
            },
            .is_dump = true};
}

}  // namespace

Result<WhatIfInput> load_what_if_input(const std::string& name_or_file, const OutputOptions& output) {
    std::error_code ignored;
    const bool is_file = name_or_file == "-" || std::filesystem::exists(path_of(name_or_file), ignored);
    if (!is_file) {
        HEAPWRIGHT_ASSIGN(model::Workload preset, workload::preset(name_or_file));
        return input_of_hints(std::move(preset));
    }
    HEAPWRIGHT_ASSIGN(Input input, read_input(name_or_file));
    const std::string name = path_text(path_of(input.name).stem());
    const auto note_all = [&](const std::vector<std::string>& findings) {
        for (const std::string& finding : findings) print_note(fmt::format("{}: {}", input.name, finding), output);
    };
    if (workload::is_trace(input.text))
        return input_of_trace(name, "trace", input.name, std::make_shared<const std::string>(std::move(input.text)));
    if (dumps::is_recording(input.text)) {
        HEAPWRIGHT_ASSIGN(const dumps::Recording recording, dumps::read_recording(input.text, input.name));
        note_all(recording.findings);
        return input_of_trace(name, "recording", input.name,
                              std::make_shared<const std::string>(workload::write_trace(recording.trace)));
    }
    if (dumps::is_dump(input.text)) {
        HEAPWRIGHT_ASSIGN(dumps::Dump dump, dumps::read_dump(input.text, input.name));
        if (dump.allocations.empty())
            return fail(ErrorCode::kInvalidArgument, "the dump lists no allocation: there is nothing to play",
                        input.name);
        note_all(dump.findings);
        return input_of_dump(name, std::move(dump));
    }
    HEAPWRIGHT_ASSIGN(model::Workload workload, workload::read_checked_workload(input.text, input.name));
    return input_of_hints(std::move(workload));
}

}  // namespace heapwright::cli
