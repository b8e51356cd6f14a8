#include "heapwright/cli/compare_stage.hpp"

#include <fmt/format.h>

#include "heapwright/cli/input.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/system.hpp"
#include "heapwright/isolate/run_facts.hpp"
#include "heapwright_generated/version.hpp"

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

}  // namespace heapwright::cli
