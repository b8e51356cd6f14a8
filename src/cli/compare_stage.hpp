// What the commands that compare documents share: loading them and comparing them in pairs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heapwright/compare/allow_list.hpp"
#include "heapwright/compare/compare.hpp"
#include "heapwright/compare/documents.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/comparison.hpp"

namespace heapwright::cli {

// Without documents, made now by this build.
[[nodiscard]] model::Comparison empty_comparison();

// The comparison calls the document `file`, whatever folder it lies in. Errors: as read_input() and
// compare::load_document().
[[nodiscard]] Result<compare::LoadedDocument> load_document(const std::string& file, const std::string& folder = {});

// Nothing without a file. `today` (empty: today) judges expiry dates.
[[nodiscard]] Result<std::optional<compare::AllowList>> load_allow_list(const std::string& file,
                                                                        const std::string& today = {});

using FilePair = std::pair<std::string, std::string>;  // the baseline first
using CompareTwo = Result<model::DocumentComparison> (&)(const compare::LoadedDocument&, const compare::LoadedDocument&,
                                                         const compare::CompareOptions&);

// Adds the comparison of each pair; no more than two documents are held at once.
[[nodiscard]] Status add_pairs(const std::vector<FilePair>& pairs, const std::string& folder, CompareTwo compare_two,
                               const compare::CompareOptions& how, model::Comparison& comparison);

// "3 failing, 1 improved or new, ...", for people.
[[nodiscard]] std::string summary(const compare::Outcome& outcome);

}  // namespace heapwright::cli
