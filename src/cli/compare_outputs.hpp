// The forms in which a comparison is written: by name, for standard output and for further files.
#pragma once

#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/comparison.hpp"

namespace heapwright::cli {

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
