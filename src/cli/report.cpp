#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/folder_lock.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/chart_tables.hpp"
#include "heapwright/render/device_list.hpp"
#include "heapwright/render/html_report.hpp"

namespace heapwright::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> files;
    OutputOptions output;
    std::string csv_folder;
    bool index = false;
};

Result<render::ReportDocument> load(const std::string& file) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(file));
    const auto& [text, source] = input;
    HEAPWRIGHT_ASSIGN(const model::DocumentKind kind, model::document_kind(text, source));
    render::ReportDocument result{.file = path_text(path_of(source).filename()), .document = {}};
    const auto take = [&](auto document) -> Status {
        if (!document) return fail(std::move(document.error()));
        result.document = std::move(*document);
        return {};
    };
    switch (kind) {
        case model::DocumentKind::kReport: HEAPWRIGHT_TRY(take(model::read_report(text, source))); break;
        case model::DocumentKind::kPolicy: HEAPWRIGHT_TRY(take(model::read_policy(text, source))); break;
        case model::DocumentKind::kValidation: HEAPWRIGHT_TRY(take(model::read_validation(text, source))); break;
        case model::DocumentKind::kComparison: HEAPWRIGHT_TRY(take(model::read_comparison(text, source))); break;
        case model::DocumentKind::kWorkload:
            return fail(ErrorCode::kInvalidArgument,
                        "is a workload; the page shows reports, policies, validations and comparisons", source);
    }
    return result;
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

Status report(const ReportOptions& options) {
    if (options.output.file.empty() && options.csv_folder.empty() && standard_output_is_terminal()) {
        return fail(ErrorCode::kInvalidArgument, "a page needs a file, as: heapwright report ... -o page.html",
                    "--output");
    }
    std::vector<render::ReportDocument> documents;
    for (const std::string& file : options.files) {
        HEAPWRIGHT_ASSIGN(render::ReportDocument document, load(file));
        documents.push_back(std::move(document));
    }
    if (!options.csv_folder.empty()) HEAPWRIGHT_TRY(write_csv(documents, options.csv_folder));
    if (!options.csv_folder.empty() && options.output.file.empty()) return {};
    const bool index = options.index || render::list_devices(documents).size() > render::kMostSideBySide;
    HEAPWRIGHT_ASSIGN(const std::string page,
                      render::html_report(documents, index ? render::PageForm::kIndex : render::PageForm::kSideBySide));
    return write_output(page, options.output.file);
}

}  // namespace

void add_report_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "report", "Writes a page that shows reports, policies, validations and comparisons; one file, no network");
    auto options = std::make_shared<ReportOptions>();
    command
        ->add_option("FILES", options->files,
                     "Documents of any kind but workloads, of one device or many; - is standard input")
        ->required();
    add_output_options(*command, options->output);
    command->add_option("--csv", options->csv_folder,
                        "Also write every chart's data into this folder as CSV; without -o, only that");
    command->add_flag(
        "--index", options->index,
        fmt::format("A table of the devices with a page for each, in the same file; so it is anyway where "
                    "there are more than {}",
                    render::kMostSideBySide));
    command->callback([=, &exit_code] {
        if (const auto done = report(*options); !done) exit_code = report_error(done.error());
    });
}

}  // namespace heapwright::cli
