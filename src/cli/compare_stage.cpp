#include "cli/compare_stage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/input.hpp"
#include "cli/output.hpp"
#include "core/file.hpp"
#include "core/system.hpp"
#include "core/text.hpp"
#include "heapwright_generated/version.hpp"
#include "isolate/messages.hpp"
#include "model/printable.hpp"
#include "render/comparison_forms.hpp"

namespace heapwright::cli {

model::Comparison empty_comparison() {
    model::Comparison comparison;
    comparison.header.tool_version = kVersion;
    comparison.run = isolate::run_facts();
    return comparison;
}

Result<compare::LoadedDocument> load_document(const std::string& file, const std::string& folder) {
    if (folder.empty()) {
        HEAPWRIGHT_ASSIGN(const Input input, read_input(file));
        return compare::load_document(input.text, input.name);
    }
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(path_of(folder) / path_of(file)));
    return compare::load_document(text, file);
}

Result<std::optional<compare::AllowList>> load_allow_list(const std::string& file, const std::string& today) {
    if (file.empty()) return std::nullopt;
    HEAPWRIGHT_ASSIGN(const compare::Date date, compare::parse_date(today.empty() ? utc_now().substr(0, 10) : today));
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(file));
    HEAPWRIGHT_ASSIGN(compare::AllowList list, compare::AllowList::parse(text, file, date));
    return list;
}

Status add_pairs(const std::vector<FilePair>& pairs, const std::string& folder, CompareTwo compare_two,
                 const compare::CompareOptions& how, model::Comparison& comparison) {
    for (const auto& [from, to] : pairs) {
        HEAPWRIGHT_ASSIGN(const compare::LoadedDocument baseline, load_document(from, folder));
        HEAPWRIGHT_ASSIGN(const compare::LoadedDocument other, load_document(to, folder));
        HEAPWRIGHT_ASSIGN(auto result, compare_two(baseline, other, how));
        comparison.documents.push_back(std::move(result));
    }
    return {};
}

std::string summary(const compare::Outcome& outcome) {
    return fmt::format("{} failing, {} improved or new, {} inconclusive, {} expected; {} on the allow-list",
                       outcome.failing, outcome.improved, outcome.inconclusive, outcome.expected,
                       counted(outcome.allow_list_notes, "note"));
}

namespace {

struct FormAndFile {
    std::string form;
    std::string file;
};

Result<FormAndFile> split(const std::string& entry) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals + 1 == entry.size())
        return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not FORM=FILE", entry));
    return FormAndFile{.form = entry.substr(0, equals), .file = entry.substr(equals + 1)};
}

tl::unexpected<Error> unknown_form(const std::string& form) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no form \"{}\"; known are {}", form, fmt::join(comparison_form_names(), ", ")));
}

}  // namespace

std::vector<std::string> comparison_form_names() {
    return {"text", "markdown", "json", "junit", "sarif", "github", "step-summary"};
}

Result<std::string> render_comparison(const model::Comparison& comparison, const std::string& form,
                                      const ComparisonForms& options) {
    if (form == "json") return model::write(comparison);
    if (form == "sarif") return render::comparison_sarif(comparison, options.strict);
    const model::Comparison shown = model::printable(comparison);
    if (form == "text")
        return printable_lines(render::comparison_text(shown, {.all = options.all, .one_screen = options.one_screen}));
    if (form == "markdown") return printable_lines(render::comparison_markdown(shown));
    if (form == "junit") return render::comparison_junit(shown, options.strict);
    if (form == "github") return render::comparison_annotations(shown, options.strict, options.has_step_summary);
    if (form == "step-summary") return printable_lines(render::comparison_markdown(shown, render::kStepSummaryBytes));
    return unknown_form(form);
}

Status check_comparison_file(const std::string& entry) {
    HEAPWRIGHT_ASSIGN(const FormAndFile wanted, split(entry));
    const std::vector<std::string> known = comparison_form_names();
    if (std::ranges::find(known, wanted.form) == known.end()) return unknown_form(wanted.form);
    return wanted.file == "-" ? Status() : check_writable(wanted.file);
}

bool has_step_summary(const std::vector<std::string>& files) {
    return std::ranges::any_of(files, [](const std::string& entry) { return entry.starts_with("step-summary="); });
}

Status write_comparison_files(const model::Comparison& comparison, const std::vector<std::string>& files,
                              const ComparisonForms& options) {
    Status all;
    for (const std::string& entry : files) {
        HEAPWRIGHT_ASSIGN(const FormAndFile wanted, split(entry));
        HEAPWRIGHT_ASSIGN(const std::string bytes, render_comparison(comparison, wanted.form, options));
        const Status written = write_output(bytes, wanted.file);
        if (all) all = written;
    }
    return all;
}

Status write_no_comparison(const Error& error, const std::vector<std::string>& files) {
    const std::string reason = printable(to_string(error));
    Status all;
    for (const std::string& entry : files) {
        HEAPWRIGHT_ASSIGN(const FormAndFile wanted, split(entry));
        if (wanted.form == "json") continue;
        const std::string text = wanted.form == "junit"    ? render::no_comparison_junit(reason)
                                 : wanted.form == "sarif"  ? render::no_comparison_sarif(reason)
                                 : wanted.form == "github" ? render::no_comparison_annotation(reason)
                                 : wanted.form == "text"   ? fmt::format("not compared: {}\n", reason)
                                                           : render::no_comparison_markdown(reason);
        const Status written = write_output(text, wanted.file);
        if (all) all = written;
    }
    return all;
}

}  // namespace heapwright::cli
