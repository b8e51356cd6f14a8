#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/compare_stage.hpp"
#include "cli/input.hpp"
#include "cli/matrix_comparison.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "compare/matrix_driver.hpp"
#include "compare/matrix_table.hpp"
#include "core/file.hpp"
#include "core/folder_lock.hpp"
#include "core/text.hpp"
#include "heapwright_generated/version.hpp"
#include "workload/read.hpp"

namespace heapwright::cli {
namespace {

namespace fs = std::filesystem;

struct MatrixOptions {
    std::string folder;
    std::string drivers_file;
    compare::DriverSelection selection;
    bool compare_only = false;
    BaselineChoice baseline;
    // More than a probe's own limit for a device, so that a probe can still say in which call its driver hung.
    std::uint64_t timeout_ns = 900'000'000'000;
    OutputOptions output;
};

Result<std::vector<compare::MatrixDriver>> chosen_drivers(const MatrixOptions& options) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.drivers_file));
    HEAPWRIGHT_ASSIGN(const std::vector<compare::MatrixDriver> drivers, compare::read_drivers(input.text, input.name));
    return compare::choose_drivers(drivers, options.selection);
}

// Written anew after every driver, so that a matrix that is ended early leaves what it found out.
Status write_table(const fs::path& folder, const compare::MatrixTable& table) {
    HEAPWRIGHT_TRY(write_file_atomically(folder / "matrix.json", compare::table_json(table)));
    HEAPWRIGHT_TRY(write_file_atomically(folder / "matrix.md", compare::table_markdown(table)));
    return write_file_atomically(folder / "skipped.txt", compare::skipped_lines(table));
}

// Where the reports were brought together from several matrices, their lines of skipped.txt stay, and no table is made.
Status add_notes(const fs::path& folder, const compare::MatrixTable& notes) {
    std::string earlier;
    std::error_code ignored;
    if (fs::exists(folder / "skipped.txt", ignored)) {
        HEAPWRIGHT_ASSIGN(earlier, read_file(folder / "skipped.txt"));
    }
    return write_file_atomically(folder / "skipped.txt", compare::skipped_lines(notes, earlier));
}

std::string row_text(const compare::MatrixRow& row) {
    if (row.outcome == compare::MatrixOutcome::kReported) {
        return fmt::format("{}: {} in {:.1f} s{}{}", row.driver, counted(row.device_count, "device"),
                           row.elapsed_seconds, row.reason.empty() ? "" : "; ", row.reason);
    }
    const std::string line = compare::skipped_lines({.tool_version = {}, .rows = {row}, .notes = {}});
    return fmt::format("{}: {}", row.outcome == compare::MatrixOutcome::kAbsent ? "skipped" : "failed",
                       last_line(line));
}

Status run_drivers(const MatrixOptions& options, const fs::path& folder, compare::MatrixTable& table) {
    HEAPWRIGHT_ASSIGN(const std::vector<compare::MatrixDriver> drivers, chosen_drivers(options));
    HEAPWRIGHT_TRY(write_table(folder, table));
    const DriverRun run{.reports = folder / "reports", .timeout_ns = options.timeout_ns};
    for (std::size_t index = 0; index < drivers.size(); ++index) {
        {
            Progress progress(options.output);
            progress.show(drivers[index].id, static_cast<double>(index) / static_cast<double>(drivers.size()));
            HEAPWRIGHT_ASSIGN(compare::MatrixRow row, run_driver(drivers[index], run));
            table.rows.push_back(std::move(row));
        }
        HEAPWRIGHT_TRY(write_table(folder, table));
        print_note(row_text(table.rows.back()), options.output);
    }
    if (compare::verdict_of(table.rows) == compare::MatrixVerdict::kNothingRan) {
        return fail(ErrorCode::kNoDevice, "no driver of the list is on this machine", options.drivers_file);
    }
    return {};
}

struct MatrixFolder {
    fs::path path;
    FolderLock lock;
};

Result<MatrixFolder> prepare_folder(const MatrixOptions& options) {
    HEAPWRIGHT_ASSIGN(const fs::path absolute, absolute_path(path_of(options.folder)));
    fs::path folder = absolute.lexically_normal();
    std::error_code error;
    fs::create_directories(folder / "reports", error);
    if (error) return fail(ErrorCode::kIoError, "cannot be created: " + error.message(), options.folder);
    HEAPWRIGHT_ASSIGN(FolderLock lock, FolderLock::take(folder));
    for (const char* name : {"matrix.json", "matrix.md", "skipped.txt"}) HEAPWRIGHT_TRY(check_writable(folder / name));
    return MatrixFolder{.path = std::move(folder), .lock = std::move(lock)};
}

// Whether something regressed.
Result<bool> compare_reports(const MatrixOptions& options, const MatrixReports& reports,
                             std::vector<std::string>& notes) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, workload::preset("general-engine"));
    HEAPWRIGHT_TRY(compare_matrix_versions(reports, workload, notes));
    if (options.baseline.folder.empty()) return false;
    HEAPWRIGHT_ASSIGN(const compare::Outcome outcome,
                      compare_matrix_with_baseline(reports, options.baseline, workload, notes));
    print_note("with the baseline: " + summary(outcome), options.output);
    return outcome.fails(options.baseline.strict);
}

Result<ExitCode> run_matrix(const MatrixOptions& options) {
    if (!options.compare_only && options.drivers_file.empty()) {
        return fail(ErrorCode::kInvalidArgument, "a list of drivers is needed, unless --compare-only is given",
                    "--drivers");
    }
    HEAPWRIGHT_ASSIGN(const MatrixFolder prepared, prepare_folder(options));
    const fs::path& folder = prepared.path;
    compare::MatrixTable table{.tool_version = kVersion, .rows = {}, .notes = {}};
    if (!options.compare_only) HEAPWRIGHT_TRY(run_drivers(options, folder, table));
    HEAPWRIGHT_ASSIGN(const MatrixReports reports, find_matrix_reports(folder));
    HEAPWRIGHT_ASSIGN(const bool regressed, compare_reports(options, reports, table.notes));
    HEAPWRIGHT_TRY(options.compare_only ? add_notes(folder, table) : write_table(folder, table));

    const std::vector<std::string> failed = compare::failed_drivers(table.rows);
    print_note(fmt::format("{} in {}", counted(reports.names.size(), "report"), path_text(folder / "reports")),
               options.output);
    for (const std::string& note : table.notes) print_note(note, options.output);
    if (!failed.empty()) print_note(fmt::format("no report of {}", fmt::join(failed, ", ")), options.output);
    if (regressed) {
        print_note(fmt::format("something regressed: {}", path_text(folder / "comparison-with-baseline.txt")),
                   options.output);
    }
    return failed.empty() && !regressed ? ExitCode::kGood : ExitCode::kFailed;
}

ExitCode run(const MatrixOptions& options) {
    const auto exit_code = run_matrix(options);
    return exit_code ? *exit_code : report_error(exit_code.error());
}

}  // namespace

void add_matrix_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("matrix", "Probes every driver of a list and compares the reports with each other");
    auto options = std::make_shared<MatrixOptions>();
    command
        ->add_option("FOLDER", options->folder,
                     "Gets reports/ID.json of every driver, the table in matrix.json and matrix.md, skipped.txt with "
                     "what was not probed or compared and why, and the comparisons in comparison.* and "
                     "comparison-with-baseline.*")
        ->required();
    command
        ->add_option("--drivers", options->drivers_file,
                     "The list of drivers, as scripts/drivers --json prints it; - is standard input")
        ->type_name("FILE");
    command->add_option("--only", options->selection.families, "Only the drivers of this family (repeatable)")
        ->allow_extra_args(false)
        ->type_name("FAMILY");
    command->add_option("--gpus", options->selection.gpus, "Of the played GPUs only these, as navi10,kbl")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("LIST");
    command
        ->add_option_function<double>(
            "--time-limit", [options](double limit) { options->timeout_ns = static_cast<std::uint64_t>(limit * 1e9); },
            fmt::format("Most seconds to spend on one driver (default: {})", options->timeout_ns / 1'000'000'000))
        ->check(seconds())
        ->type_name("SECONDS");
    command->add_flag("--compare-only", options->compare_only,
                      "Run no driver: the reports are in FOLDER already, brought together from several matrices");
    CLI::Option* baseline = command
                                ->add_option("--baseline", options->baseline.folder,
                                             "Also compare every report with the one of the same name in this folder")
                                ->check(CLI::ExistingDirectory)
                                ->type_name("FOLDER");
    command
        ->add_option("--allow", options->baseline.allow_file,
                     "TOML file of known differences from the baseline, [[allow]] entries")
        ->needs(baseline)
        ->type_name("FILE");
    command
        ->add_flag("--strict", options->baseline.strict,
                   "Improvements over the baseline and stale entries of the allow-list fail too")
        ->needs(baseline);
    command->add_flag("-q,--quiet", options->output.quiet, "No progress and no notes on standard error");
    command->footer(
        "Exit codes: 0 every driver that is there gave a report, and nothing regressed against the baseline, 1 one "
        "gave none, or something regressed, 2 wrong usage or a bad list or report, 3 nothing ran or no driver gave a "
        "report, 4 interrupted.");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
