#include "cli/matrix_drivers.hpp"

#include <system_error>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "core/file.hpp"
#include "core/interrupt.hpp"
#include "heapwright/model/json.hpp"
#include "isolate/command.hpp"

namespace heapwright::cli {
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
    row.reason = compare::last_line(outcome.diagnostics);
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
