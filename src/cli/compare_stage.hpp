// What the commands that compare documents share: loading them, comparing them in pairs, and writing every form.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/allow_list.hpp"
#include "compare/compare.hpp"
#include "compare/documents.hpp"
#include "heapwright/core/result.hpp"
#include "model/comparison.hpp"

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

// The forms in which a comparison is written: by name, for standard output and for further files.

struct ComparisonForms {
    bool strict = false;
    bool all = false;               // text: expected differences one by one
    bool one_screen = false;        // text: the gravest differences alone
    bool has_step_summary = false;  // github: one is written beside it
};

// text, markdown, json, junit, sarif, github (annotations), step-summary (Markdown within GitHub's limit).
[[nodiscard]] std::vector<std::string> comparison_form_names();

// Errors: kInvalidArgument naming the known forms.
[[nodiscard]] Result<std::string> render_comparison(const model::Comparison& comparison, const std::string& form,
                                                    const ComparisonForms& options);

// Whether "FORM=FILE" names a known form and a file that could be written now ("-" is standard output).
[[nodiscard]] Status check_comparison_file(const std::string& entry);

// Whether one of the "FORM=FILE" is a step summary.
[[nodiscard]] bool has_step_summary(const std::vector<std::string>& files);

// Each "FORM=FILE", whatever becomes of the others. Errors: the first.
[[nodiscard]] Status write_comparison_files(const model::Comparison& comparison, const std::vector<std::string>& files,
                                            const ComparisonForms& options);

// The same where there is no comparison: each says why. JSON is left out, because a document of this kind would say
// that nothing differs.
[[nodiscard]] Status write_no_comparison(const Error& error, const std::vector<std::string>& files);

}  // namespace heapwright::cli
