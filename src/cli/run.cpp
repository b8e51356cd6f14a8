#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "core/file.hpp"
#include "core/folder_lock.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "isolate/memory_limit.hpp"
#include "policy/advise.hpp"

namespace heapwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunDocuments[] = {"report.json", "policy.json", "validation.json"};

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

fs::path aside_of(const fs::path& document, std::string_view kind) {
    fs::path aside = document;
    aside += fmt::format(".{}", kind);
    return aside;
}

Status move_file(const fs::path& document, const fs::path& aside) {
    std::error_code error;
    const bool is_link = fs::is_symlink(document, error);
    const fs::path from = is_link ? fs::canonical(document, error) : document;
    if (!error) fs::rename(from, aside, error);
    if (error && is_link) {  // on another file system
        error.clear();
        fs::copy_file(from, aside, fs::copy_options::overwrite_existing, error);
        if (!error) fs::remove(from, error);
    }
    if (!error) return {};
    return fail(
        ErrorCode::kIoError,
        fmt::format("an earlier run's cannot be renamed to {}: {}", path_text(aside.filename()), error.message()),
        path_text(document));
}

// Renames the documents of an earlier run: NAME.previous if it came to its end (there is a validation.json), else
// NAME.unfinished. They replace an older set of their kind as a whole, so that no set is ever mixed from two runs, and
// one that ended early replaces none that did not. Of a link what it points to is moved, and the link stays; what is no
// file stays. Says what it did, empty for nothing.
Result<std::string> set_earlier_run_aside(const fs::path& folder) {
    const auto is_there = [&](const char* name) { return is_file(folder / name); };
    if (std::ranges::none_of(kRunDocuments, is_there)) return std::string();
    const std::string_view kind = is_there("validation.json") ? "previous" : "unfinished";
    std::string moved;
    // The verdict first: were this to be cut off, no verdict would be left beside another run's report.
    for (auto name = std::rbegin(kRunDocuments); name != std::rend(kRunDocuments); ++name) {
        const fs::path document = folder / *name;
        const fs::path aside = aside_of(document, kind);
        if (is_file(document)) {
            HEAPWRIGHT_TRY(move_file(document, aside));
            moved += fmt::format("{}{}", moved.empty() ? "" : ", ", path_text(aside.filename()));
        } else if (std::error_code error; fs::remove(aside, error), error) {
            return fail(ErrorCode::kIoError, "an older run's cannot be removed: " + error.message(), path_text(aside));
        }
    }
    return fmt::format("what an earlier run left in {} is now {}", path_text(folder), moved);
}

struct RunOptions {
    isolate::DeviceChoice devices;
    isolate::ProbeRequest probe;
    validate::ValidationRequest validation;
    std::string workload;  // empty: the default one, as the devices hold it
    std::string folder;
    OutputOptions output;  // its file stays empty: `folder` takes its place
};

// Each document is written as soon as it is there: what a later stage does cannot lose it. A folder that was made for
// them goes again when none came; from one that was there already an earlier run's documents are set aside first.
class Sink {
public:
    Sink(std::string folder, const OutputOptions& output)
        : folder_(folder == "-" ? "" : std::move(folder)),
          keeps_bundle_(output.json || (folder_.empty() && !wants_words(output))) {}
    ~Sink() {
        std::error_code ignored;
        if (made_folder_) std::filesystem::remove(path_of(folder_), ignored);  // an empty one alone
    }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    Status prepare(const OutputOptions& output) {
        if (folder_.empty()) return {};
        std::error_code error;
        made_folder_ = std::filesystem::create_directories(path_of(folder_), error);
        if (error) return fail(ErrorCode::kIoError, "cannot be created: " + error.message(), folder_);
        HEAPWRIGHT_ASSIGN(lock_, FolderLock::take(path_of(folder_)));
        for (const char* name : kRunDocuments) HEAPWRIGHT_TRY(check_writable(path_of(folder_) / name));
        HEAPWRIGHT_ASSIGN(const std::string set_aside, set_earlier_run_aside(path_of(folder_)));
        if (!set_aside.empty()) print_note(set_aside, output);
        return {};
    }

    Status take(std::string_view name, const std::string& document) {
        if (!folder_.empty()) HEAPWRIGHT_TRY(write_file_atomically(path_of(folder_) / name, document));
        if (!folder_.empty() && !keeps_bundle_) return {};
        bundle_ +=
            fmt::format("{}\"{}\": {}", bundle_.empty() ? "{\n" : ",\n", name.substr(0, name.find('.')), document);
        return {};
    }

    // Standard output gets the three at once, or the words.
    Status finish(const Answer& answer, const OutputOptions& output) const {
        if (keeps_bundle_) {
            HEAPWRIGHT_TRY(write_output(bundle_ + "}\n", ""));
            if (folder_.empty()) print_words(words_of(answer, output), output);
            return {};
        }
        // The documents are kept; words that nobody can take are no failure. Without a folder they are the answer.
        const Status written = output.quiet ? Status{} : write_output(words_of(answer, output), "");
        return folder_.empty() ? written : Status{};
    }

    [[nodiscard]] std::string next() const {
        if (folder_.empty()) return "the documents were not kept; -o FOLDER keeps them";
        const std::string at = path_text(path_of(folder_) / "");
        return fmt::format("heapwright report {}*.json -o {}", shell_argument(at), shell_argument(at + "report.html"));
    }

private:
    std::string folder_;
    bool keeps_bundle_;
    std::string bundle_;
    bool made_folder_ = false;
    FolderLock lock_;
};

Result<ExitCode> run_stages(const RunOptions& options) {
    HEAPWRIGHT_ASSIGN(model::Workload workload,
                      load_workload(options.workload.empty() ? kDefaultWorkload : options.workload, options.output));
    Sink sink(options.folder, options.output);
    HEAPWRIGHT_TRY(sink.prepare(options.output));

    HEAPWRIGHT_ASSIGN(const isolate::Probed probed,
                      probe_stage(options.devices, options.probe, &workload, options.output));
    const model::Report& report = probed.report;
    print_failures("not probed", report.failures, options.output);
    HEAPWRIGHT_TRY(sink.take("report.json", model::write(report)));

    HEAPWRIGHT_ASSIGN(const AdvisableDevices advisable, advisable_devices(report, workload, {}));
    print_failures("left out", advisable.left_out, options.output);
    if (options.workload.empty()) {
        // What the validation below will take.
        const auto most_bytes = [&](const model::DeviceReport& device) {
            return isolate::memory_limit_bytes(device, options.devices.limits.memory_limit_bytes,
                                               available_ram_bytes());
        };
        HEAPWRIGHT_ASSIGN(workload,
                          default_workload_stage(report, advisable.chosen, workload, most_bytes, options.output));
    }
    HEAPWRIGHT_ASSIGN(const model::Policy policy, policy::advise(report, workload, advisable.chosen));
    HEAPWRIGHT_TRY(sink.take("policy.json", model::write(policy)));
    say_what_does_not_fit(policy, options.output);

    HEAPWRIGHT_ASSIGN(model::Validation validation,
                      validate_stage(policy, workload, options.devices, options.validation, options.output));
    name_missing_devices(policy, validation);
    print_failures("not validated", validation.failures, options.output);
    validation.failures.insert(validation.failures.end(), advisable.left_out.begin(), advisable.left_out.end());
    HEAPWRIGHT_TRY(sink.take("validation.json", model::write(validation)));
    HEAPWRIGHT_TRY(
        sink.finish({.document = {},
                     .screen =
                         [&](const render::ScreenStyle& style) {
                             return render::overview(report, policy, validation, style, sink.next());
                         },
                     .all = [&] { return summary(report) + "\n" + summary(policy) + "\n" + summary(validation); }},
                    options.output));
    return worse(exit_code_of(validation), probed.faults ? ExitCode::kPartlyFailed : ExitCode::kGood);
}

ExitCode run(const RunOptions& options) {
    const auto code = run_stages(options);
    return code ? *code : report_error(code.error());
}

}  // namespace

void add_run_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("run", "Probes, advises and validates in one go");
    auto options = std::make_shared<RunOptions>();
    options->devices.apis = isolate::ApiChoice::kVulkan;
    add_api_option(*command, options->devices.apis);
    add_device_options(*command, options->devices);
    add_workload_option(*command, options->workload);
    command->add_option("-o,--output", options->folder,
                        "Write report.json, policy.json and validation.json into this folder; those of an earlier run "
                        "are renamed first, to NAME.previous, or NAME.unfinished where it left no validation.json; a "
                        "folder that another run is writing into is refused "
                        "(default: one JSON object with the three on standard output)");
    command->add_flag("-q,--quiet", options->output.quiet, "No progress, no notes and no words");
    add_answer_options(*command, options->output);
    add_validation_options(*command, options->validation);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
