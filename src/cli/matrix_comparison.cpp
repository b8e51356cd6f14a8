#include "cli/matrix_comparison.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "cli/compare_stage.hpp"
#include "compare/matrix_pairs.hpp"
#include "core/path.hpp"

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

}  // namespace heapwright::cli
