#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "compare/documents.hpp"
#include "core/file.hpp"
#include "core/folder_lock.hpp"
#include "core/interrupt.hpp"
#include "heapwright/model/json.hpp"
#include "render/chart_tables.hpp"
#include "render/device_list.hpp"
#include "render/html_report.hpp"

namespace heapwright::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> files;
    OutputOptions output;
    std::string csv_folder;
    bool index = false;
};

// What of the files the page shows.
struct Loaded {
    std::vector<render::ReportDocument> documents;
    std::size_t lost = 0;  // named on standard error
};

// `file`: as shown.
Result<render::ReportDocument> read(const Result<model::DocumentKind>& kind, const std::string& text,
                                    const std::string& source, const std::string& file) {
    if (!kind) return fail(kind.error());
    render::ReportDocument result{.file = file, .document = {}};
    const auto take = [&](auto document) -> Status {
        if (!document) return fail(std::move(document.error()));
        result.document = std::move(*document);
        return {};
    };
    switch (*kind) {
        case model::DocumentKind::kReport: HEAPWRIGHT_TRY(take(model::read_report(text, source))); break;
        case model::DocumentKind::kPolicy: HEAPWRIGHT_TRY(take(model::read_policy(text, source))); break;
        case model::DocumentKind::kValidation: HEAPWRIGHT_TRY(take(model::read_validation(text, source))); break;
        case model::DocumentKind::kComparison: HEAPWRIGHT_TRY(take(model::read_comparison(text, source))); break;
        case model::DocumentKind::kWhatIf: HEAPWRIGHT_TRY(take(model::read_what_if(text, source))); break;
        case model::DocumentKind::kWorkload:
            return fail(ErrorCode::kInvalidArgument,
                        "is a workload; the page shows reports, policies, validations, comparisons and what-ifs",
                        source);
    }
    return result;
}

void keep(Result<render::ReportDocument> document, Loaded& loaded) {
    if (document) {
        loaded.documents.push_back(std::move(*document));
    } else {
        print_error(document.error());
        ++loaded.lost;
    }
}

Status load_folder(const std::string& folder, Loaded& loaded) {
    HEAPWRIGHT_ASSIGN(compare::ReportSource source, compare::ReportSource::open({folder}));
    while (auto sourced = source.next()) {
        HEAPWRIGHT_TRY(check_interrupted());
        if (!sourced->text) {
            keep(fail(sourced->text.error()), loaded);
            continue;
        }
        // A folder may hold what became of a batch, and workloads; nobody asked to see one.
        if (path_of(sourced->name).filename() == kBatchIndexFile) continue;
        const auto kind = model::document_kind(*sourced->text, sourced->name);
        if (kind && *kind == model::DocumentKind::kWorkload) continue;
        keep(read(kind, *sourced->text, sourced->name,
                  path_text(path_of(sourced->name).lexically_relative(path_of(folder)))),
             loaded);
    }
    return {};
}

Result<Loaded> load(const std::vector<std::string>& files) {
    Loaded loaded;
    for (const std::string& file : files) {
        if (is_folder(path_of(file))) {
            HEAPWRIGHT_TRY(load_folder(file, loaded));
            continue;
        }
        const auto input = read_input(file);
        if (!input) {
            keep(fail(input.error()), loaded);
            continue;
        }
        keep(read(model::document_kind(input->text, input->name), input->text, input->name,
                  path_text(path_of(input->name).filename())),
             loaded);
    }
    return loaded;
}

Status write_csv(std::span<const render::ReportDocument> documents, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(path_of(folder), error);
    if (error) return fail(ErrorCode::kIoError, "cannot be created: " + error.message(), folder);
    HEAPWRIGHT_ASSIGN(const FolderLock lock, FolderLock::take(path_of(folder)));
    for (const render::CsvTable& table : render::chart_tables(documents)) {
        HEAPWRIGHT_TRY(write_file_atomically(path_of(folder) / (table.name + ".csv"), render::csv_text(table)));
    }
    return {};
}

Status write_page(const ReportOptions& options, std::span<const render::ReportDocument> documents) {
    if (!options.csv_folder.empty()) HEAPWRIGHT_TRY(write_csv(documents, options.csv_folder));
    if (!options.csv_folder.empty() && options.output.file.empty()) return {};
    const bool index = options.index || render::list_devices(documents).size() > render::kMostSideBySide;
    HEAPWRIGHT_ASSIGN(const std::string page,
                      render::html_report(documents, index ? render::PageForm::kIndex : render::PageForm::kSideBySide));
    return write_output(page, options.output.file);
}

ExitCode report(const ReportOptions& options) {
    if (options.output.file.empty() && options.csv_folder.empty() && standard_output_is_terminal()) {
        return report_error({.code = ErrorCode::kInvalidArgument,
                             .message = "a page needs a file, as: heapwright report ... -o page.html",
                             .where = "--output"});
    }
    const auto loaded = load(options.files);
    if (!loaded) return report_error(loaded.error());
    if (loaded->documents.empty() && loaded->lost != 0) return ExitCode::kUsage;
    if (const auto written = write_page(options, loaded->documents); !written) return report_error(written.error());
    return loaded->lost == 0 ? ExitCode::kGood : ExitCode::kPartlyFailed;
}

}  // namespace

void add_report_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "report",
        "Writes a page that shows reports, policies, validations, comparisons and what-ifs; one file, no network");
    auto options = std::make_shared<ReportOptions>();
    command
        ->add_option("FILES", options->files,
                     "Documents of any kind but workloads, of one device or many, and folders of them; what cannot be "
                     "read is named and left out; - is standard input")
        ->required();
    add_output_options(*command, options->output);
    command->add_option("--csv", options->csv_folder,
                        "Also write every chart's data into this folder as CSV; without -o, only that");
    command->add_flag(
        "--index", options->index,
        fmt::format("A table of the devices with a page for each, in the same file; so it is anyway where "
                    "there are more than {}",
                    render::kMostSideBySide));
    command->callback([=, &exit_code] { exit_code = report(*options); });
}

}  // namespace heapwright::cli
