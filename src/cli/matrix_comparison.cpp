#include "cli/matrix_comparison.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "cli/compare_stage.hpp"
#include "cli/exit_code.hpp"
#include "compare/matrix_pairs.hpp"
#include "core/file.hpp"
#include "core/interrupt.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "isolate/command.hpp"

namespace heapwright::cli {

namespace {

namespace fs = std::filesystem;

struct FormFile {
    const char* form;
    const char* file;
};
constexpr FormFile kVersionFiles[] = {{"text", "comparison.txt"},
                                      {"json", "comparison.json"},
                                      {"markdown", "comparison.md"},
                                      {"junit", "comparison.xml"},
                                      {"step-summary", "step-summary.md"}};
constexpr FormFile kBaselineFiles[] = {{"text", "comparison-with-baseline.txt"},
                                       {"json", "comparison-with-baseline.json"},
                                       {"markdown", "comparison-with-baseline.md"},
                                       {"junit", "comparison-with-baseline.xml"},
                                       {"github", "annotations.txt"},
                                       {"step-summary", "step-summary.md"}};

// Sorted, without ".json".
Result<std::vector<std::string>> report_names(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& file = entry->path();
        const bool hidden = path_text(file.filename()).starts_with('.');
        if (file.extension() == ".json" && !hidden) names.push_back(path_text(file.stem()));
    }
    if (error) return fail(ErrorCode::kIoError, "cannot be listed: " + error.message(), path_text(folder));
    std::ranges::sort(names);
    return names;
}

Status write_forms(const model::Comparison& comparison, const fs::path& folder, std::span<const FormFile> files,
                   bool strict) {
    std::vector<std::string> entries;
    for (const auto& [form, file] : files) entries.push_back(fmt::format("{}={}", form, path_text(folder / file)));
    return write_comparison_files(comparison, entries,
                                  {.strict = strict, .has_step_summary = has_step_summary(entries)});
}

std::string file_in(const fs::path& folder, const std::string& name) {
    return path_text(folder / path_of(name + ".json"));
}

}  // namespace

Result<MatrixReports> find_matrix_reports(const fs::path& folder) {
    MatrixReports reports{.folder = folder, .names = {}};
    HEAPWRIGHT_ASSIGN(reports.names, report_names(folder / "reports"));
    if (reports.names.empty()) {
        return fail(ErrorCode::kNoDevice, "no driver gave a report; skipped.txt says why", path_text(folder));
    }
    return reports;
}

Status compare_matrix_versions(const MatrixReports& reports, const model::Workload& workload,
                               std::vector<std::string>& notes) {
    std::error_code ignored;
    for (const FormFile& each : kVersionFiles) fs::remove(reports.folder / each.file, ignored);
    for (const FormFile& each : kBaselineFiles) fs::remove(reports.folder / each.file, ignored);
    const auto pairs = compare::version_pairs(reports.names);
    if (pairs.versions.empty() && !pairs.across) {
        notes.emplace_back("comparison of versions: no driver is there in two versions");
        return {};
    }
    // The comparison names the reports as whoever reads it in the folder finds them.
    const auto within = [](const compare::NamePair& pair) {
        return FilePair{"reports/" + pair.first + ".json", "reports/" + pair.second + ".json"};
    };
    std::vector<FilePair> versions;
    std::ranges::transform(pairs.versions, std::back_inserter(versions), within);
    std::vector<FilePair> across;
    if (pairs.across) across.push_back(within(*pairs.across));
    model::Comparison comparison = empty_comparison();
    const compare::CompareOptions how{.noise = {}, .allow_list = nullptr, .workload = &workload};
    const std::string folder = path_text(reports.folder);
    HEAPWRIGHT_TRY(add_pairs(versions, folder, compare::compare_documents, how, comparison));
    HEAPWRIGHT_TRY(add_pairs(across, folder, compare::compare_across, how, comparison));
    return write_forms(comparison, reports.folder, kVersionFiles, false);
}

Result<compare::Outcome> compare_matrix_with_baseline(const MatrixReports& reports, const BaselineChoice& baseline,
                                                      const model::Workload& workload,
                                                      std::vector<std::string>& notes) {
    HEAPWRIGHT_ASSIGN(const fs::path absolute, absolute_path(path_of(baseline.folder)));
    const fs::path folder = absolute.lexically_normal();
    HEAPWRIGHT_ASSIGN(std::vector<std::string> known, report_names(folder));
    const compare::BaselinePairs names = compare::baseline_pairs(reports.names, std::move(known));
    for (const std::string& name : names.only_new) {
        notes.push_back(fmt::format("comparison with the baseline: it has no {}.json", name));
    }
    for (const std::string& name : names.only_baseline) {
        notes.push_back(fmt::format("comparison with the baseline: only it has {}.json", name));
    }
    if (names.both.empty()) return compare::Outcome{};
    HEAPWRIGHT_ASSIGN(auto allow_list, load_allow_list(baseline.allow_file));
    std::vector<FilePair> pairs;
    for (const std::string& name : names.both)
        pairs.emplace_back(file_in(folder, name), file_in(reports.folder / "reports", name));
    model::Comparison comparison = empty_comparison();
    HEAPWRIGHT_TRY(add_pairs(pairs, {}, compare::compare_documents,
                             {.noise = {}, .allow_list = allow_list ? &*allow_list : nullptr, .workload = &workload},
                             comparison));
    if (allow_list) comparison.allow_list = allow_list->notes();
    HEAPWRIGHT_TRY(write_forms(comparison, reports.folder, kBaselineFiles, baseline.strict));
    return compare::outcome_of(comparison);
}

namespace {

namespace fs = std::filesystem;

fs::path file_of(const DriverRun& run, const std::string& id, std::string_view ending) {
    return run.reports / path_of(id + std::string(ending));
}

Status set_earlier_report_aside(const compare::MatrixDriver& driver, const DriverRun& run) {
    const fs::path report = file_of(run, driver.id, ".json");
    std::error_code error;
    if (!fs::exists(report, error)) return {};
    fs::rename(report, file_of(run, driver.id, ".json.previous"), error);
    if (error) return fail(ErrorCode::kIoError, "cannot be renamed: " + error.message(), path_text(report));
    return {};
}

Status keep_log(const compare::MatrixDriver& driver, const DriverRun& run, const std::string& diagnostics) {
    const fs::path log = file_of(run, driver.id, ".log");
    if (!diagnostics.empty()) return write_file_atomically(log, diagnostics);
    std::error_code ignored;
    fs::remove(log, ignored);  // an earlier run's
    return {};
}

isolate::CommandRequest command_of(const compare::MatrixDriver& driver, const DriverRun& run) {
    isolate::CommandRequest request{.program = {}, .arguments = {}, .environment = {}, .timeout_ns = run.timeout_ns};
    if (!driver.command.empty()) {
        request.program = driver.command.front();
        request.arguments.assign(driver.command.begin() + 1, driver.command.end());
    }
    for (std::string& argument : compare::probe_arguments(driver)) request.arguments.push_back(std::move(argument));
    for (compare::EnvironmentEntry& entry : compare::environment_of(driver)) {
        request.environment.emplace_back(std::move(entry.name), std::move(entry.value));
    }
    return request;
}

std::string failure_text(const model::Report& report) {
    if (report.failures.empty()) return {};
    const model::ProbeFailure& failure = report.failures.front();
    return fmt::format("{}: {}{}{}", failure.driver, failure.reason, failure.last_call.empty() ? "" : ", last call ",
                       failure.last_call);
}

// What the process printed is a report, or the row says why it is none.
Status take_report(const compare::MatrixDriver& driver, const DriverRun& run, const isolate::CommandOutcome& outcome,
                   compare::MatrixRow& row) {
    row.outcome = compare::MatrixOutcome::kFailed;
    if (outcome.output_cut) {
        row.reason = fmt::format("it printed more than {} bytes", outcome.output.size());
        return {};
    }
    if (outcome.output.empty()) {
        row.reason = "it printed no report";
        return {};
    }
    const auto report = model::read_report(outcome.output, driver.id);
    if (!report) {
        row.reason = "it printed no report that can be read: " + to_string(report.error());
        return {};
    }
    HEAPWRIGHT_TRY(write_file_atomically(file_of(run, driver.id, ".json"), outcome.output));
    row.outcome = compare::MatrixOutcome::kReported;
    row.device_count = report->devices.size();
    row.reason = failure_text(*report);
    return {};
}

Status judge(const compare::MatrixDriver& driver, const DriverRun& run, const isolate::CommandOutcome& outcome,
             compare::MatrixRow& row) {
    row.reason = last_line(outcome.diagnostics);
    switch (outcome.end) {
        case isolate::ChildEnd::kTimedOut:
        case isolate::ChildEnd::kStalled:
            row.outcome = compare::MatrixOutcome::kTimedOut;
            row.reason =
                fmt::format("it was ended at the time limit of {} s{}{}", static_cast<double>(run.timeout_ns) / 1e9,
                            row.reason.empty() ? "" : ": ", row.reason);
            return {};
        case isolate::ChildEnd::kSignalled:
            row.outcome = compare::MatrixOutcome::kCrashed;
            row.signal = isolate::signal_text(outcome.code);
            return {};
        case isolate::ChildEnd::kExited: break;
    }
    row.exit_code = outcome.code;
    // What a driver crashed at stands in its report, and is compared like all of it.
    if (outcome.code == 0 || outcome.code == static_cast<int>(ExitCode::kPartlyFailed))
        return take_report(driver, run, outcome, row);
    row.outcome = compare::MatrixOutcome::kFailed;
    return {};
}

}  // namespace

Result<compare::MatrixRow> run_driver(const compare::MatrixDriver& driver, const DriverRun& run) {
    compare::MatrixRow row = compare::row_of(driver);
    HEAPWRIGHT_TRY(set_earlier_report_aside(driver, run));
    if (driver.absent) return row;
    std::error_code ignored;
    if (driver.icd && !fs::exists(path_of(*driver.icd), ignored)) {
        row.reason = "no file " + *driver.icd;
        return row;
    }
    const auto outcome = isolate::run_command(command_of(driver, run));
    HEAPWRIGHT_TRY(check_interrupted());
    if (!outcome) {
        row.outcome = compare::MatrixOutcome::kFailed;
        row.reason = to_string(outcome.error());
        return row;
    }
    row.elapsed_seconds = static_cast<double>(outcome->elapsed_ns) / 1e9;
    HEAPWRIGHT_TRY(keep_log(driver, run, outcome->diagnostics));
    HEAPWRIGHT_TRY(judge(driver, run, *outcome, row));
    return row;
}

}  // namespace heapwright::cli
