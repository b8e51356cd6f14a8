#include "cli/input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "cli/output.hpp"
#include "core/file.hpp"
#include "core/path.hpp"
#include "import/import.hpp"
#include "workload/draw.hpp"
#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"
#include "workload/read.hpp"
#include "workload/recording.hpp"
#include "workload/trace.hpp"
#include "workload/trace_hints.hpp"
#include "workload/trace_reader.hpp"

namespace heapwright::cli {

Result<Input> read_input(const std::string& file) {
    const bool is_standard_input = file == "-";
    HEAPWRIGHT_ASSIGN(std::string text, is_standard_input ? read_standard_input() : read_file(file));
    return Input{.text = std::move(text), .name = is_standard_input ? "standard input" : file};
}

namespace {

workload::OpenTrace open_text(std::string text, std::string source) {
    return [text = std::make_shared<const std::string>(std::move(text)), source = std::move(source)] {
        return workload::TraceReader::create(
            [text, bytes = workload::bytes_of(*text)](std::span<char> into) mutable { return bytes(into); }, source);
    };
}

workload::OpenTrace open_file(const std::string& file) {
    return [file]() -> Result<workload::TraceReader> {
        HEAPWRIGHT_ASSIGN(ReadBytes bytes, open_for_reading(path_of(file)));
        return workload::TraceReader::create(std::move(bytes), file);
    };
}

// Whether it is a file that can be read again, and begins as a trace.
bool is_plain_trace(const std::string& file) {
    std::error_code ignored;
    if (file == "-" || !std::filesystem::is_regular_file(path_of(file), ignored)) return false;
    auto bytes = open_for_reading(path_of(file));
    char beginning[64];
    const auto count = bytes ? (*bytes)(beginning) : Result<std::size_t>(0);
    return count && workload::is_trace({beginning, *count});
}

ProgramInput input_of_trace(const std::string& name, const std::string& kind, const workload::OpenTrace& open) {
    return {.workload = [open, name] { return workload::workload_from_trace(open, name); },
            .program =
                [open, name, kind](const model::DeviceReport& facts, const model::DevicePolicy&) {
                    whatif::Program program = whatif::program_of_trace(facts, name, open);
                    program.kind = kind;
                    return program;
                }};
}

ProgramInput input_of_hints(model::Workload workload) {
    const auto kept = std::make_shared<const model::Workload>(std::move(workload));
    return {.workload = [kept]() -> Result<model::Workload> { return *kept; },
            .program =
                [kept](const model::DeviceReport& facts, const model::DevicePolicy& policy) {
                    const auto split = std::make_shared<const model::Workload>(workload::split_buffers(*kept, policy));
                    whatif::Program program = whatif::program_of_hints(facts, *split);
                    program.open = [split, open = std::move(program.open)](std::uint64_t run) { return open(run); };
                    return program;
                }};
}

ProgramInput input_of_dump(const std::string& name, workload::Dump dump) {
    const auto kept = std::make_shared<const workload::Dump>(std::move(dump));
    return {.workload = [kept, name]() -> Result<model::Workload> { return workload::workload_from_dump(*kept, name); },
            .program = [kept, name](const model::DeviceReport& facts,
                                    const model::DevicePolicy&) { return whatif::program_of_dump(facts, name, kept); },
            .is_dump = true};
}

}  // namespace

Result<ProgramInput> load_program(const std::string& name_or_file, const OutputOptions& output) {
    std::error_code ignored;
    if (name_or_file != "-" && !std::filesystem::exists(path_of(name_or_file), ignored)) {
        // No preset's name has such letters.
        if (name_or_file.find_first_of("./\\") != std::string::npos)
            return fail(ErrorCode::kIoError, "there is no such file, and no preset of that name", name_or_file);
        HEAPWRIGHT_ASSIGN(model::Workload preset, workload::preset(name_or_file));
        return input_of_hints(std::move(preset));
    }
    if (is_plain_trace(name_or_file))
        return input_of_trace(path_text(path_of(name_or_file).stem()), "trace", open_file(name_or_file));
    HEAPWRIGHT_ASSIGN(Input input, read_input(name_or_file));
    const std::string name = path_text(path_of(input.name).stem());
    const auto note_all = [&](const std::vector<std::string>& findings) {
        for (const std::string& finding : findings) print_note(fmt::format("{}: {}", input.name, finding), output);
    };
    if (workload::is_trace(input.text))
        return input_of_trace(name, "trace", open_text(std::move(input.text), input.name));
    if (workload::is_recording(input.text)) {
        HEAPWRIGHT_ASSIGN(const workload::Recording recording, workload::read_recording(input.text, input.name));
        note_all(recording.findings);
        return input_of_trace(name, "recording", open_text(workload::write_trace(recording.trace), input.name));
    }
    if (workload::is_dump(input.text)) {
        HEAPWRIGHT_ASSIGN(workload::Dump dump, workload::read_dump(input.text, input.name));
        if (dump.allocations.empty())
            return fail(ErrorCode::kInvalidArgument, "the dump lists no allocation: there is nothing to advise on",
                        input.name);
        note_all(dump.findings);
        return input_of_dump(name, std::move(dump));
    }
    auto workload = workload::read_checked_workload(input.text, input.name);
    if (workload) return input_of_hints(std::move(*workload));
    auto foreign = imports::foreign_file(input.text, input.name, imports::WantedFile::kWorkload);
    return tl::unexpected(foreign ? std::move(*foreign) : std::move(workload.error()));
}

}  // namespace heapwright::cli
