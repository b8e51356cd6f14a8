// A comparison in the forms in which people and CI systems read it. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/comparison.hpp"

namespace heapwright::render {

// A comparison for people at a terminal. Lines not wrapped.

struct ComparisonTextOptions {
    bool all = false;         // expected differences too, one by one
    bool one_screen = false;  // the gravest differences alone, lines cut to the screen's width (overview.hpp)
};

[[nodiscard]] std::string comparison_text(const model::Comparison& comparison,
                                          const ComparisonTextOptions& options = {});

// A comparison as Markdown (GitHub's flavour), and no longer than it may be: what does not fit is left out from the
// end, and the text says how much.

// GitHub refuses a step summary above 1 MiB.
inline constexpr std::size_t kStepSummaryBytes = 1u << 20;

[[nodiscard]] std::string comparison_markdown(const model::Comparison& comparison, std::size_t most_bytes = 16u << 20);

// A comparison as JUnit XML, the report that CI systems read: a test suite for every device, a test case for every
// difference and one for every section without. Failing: regressed, missing, changed. Skipped: inconclusive.
// Source: the schema that Jenkins' xUnit plugin publishes (junit-10.xsd) for what is allowed where.

// `strict`: improvements, new fields and notes on the allow-list fail too.
[[nodiscard]] std::string comparison_junit(const model::Comparison& comparison, bool strict);

// A comparison as workflow commands of GitHub Actions, which become annotations:
//   ::error file=reports/b.json,title=...::message
// Errors: regressed, missing, changed. Warnings: inconclusive and notes on the allow-list. Notices: improved, new.
// GitHub shows ten errors, ten warnings and ten notices a step; the last of each says how many more there are. A driver
// that newly breaks the specification comes first.
// Source: GitHub documentation, "Workflow commands for GitHub Actions"; escaping as in its toolkit (% CR LF, in
// properties also : and ,).

// `has_step_summary`: the step has one, which lists what no annotation has room for.
[[nodiscard]] std::string comparison_annotations(const model::Comparison& comparison, bool strict,
                                                 bool has_step_summary);

// A comparison as SARIF 2.1.0, which code scanning takes: a result for every difference, of the rule of its section
// (comparison_words.hpp), at the other document's file. Errors: what fails. Warnings: inconclusive and notes on the
// allow-list. Notes: the rest; what is expected is suppressed, with the reason. New violations of the specification
// come first, and what is more than `most_results` is left out from the end and counted in a notification. A result is
// known from run to run by its device and path, never by values or versions: `partialFingerprints`; of several
// documents also by the file. `baselineState` is never given: it would tell of the results of an earlier run, and
// viewers hide what is "absent", where a missing limit is an error. The comparison is taken as it is, not printable():
// a file's URI has its exact bytes. Source: OASIS SARIF 2.1.0; GitHub documentation, "SARIF support for code scanning"
// (limits, primaryLocationLineHash).

// GitHub refuses a run of more results, and shows 5,000 of them.
inline constexpr std::size_t kSarifResults = 25'000;

[[nodiscard]] std::string comparison_sarif(const model::Comparison& comparison, bool strict,
                                           std::size_t most_results = kSarifResults);

// What stands in the place of a comparison that could not be made, so that whoever reads it in CI sees the reason, and
// not the result of an earlier one or none: a line of Markdown, a JUnit test case with an error, an annotation, a SARIF
// run that did not succeed, which closes no alert.

[[nodiscard]] std::string no_comparison_markdown(const std::string& reason);
[[nodiscard]] std::string no_comparison_junit(const std::string& reason);
[[nodiscard]] std::string no_comparison_annotation(const std::string& reason);
[[nodiscard]] std::string no_comparison_sarif(const std::string& reason);

[[nodiscard]] std::string escaped_annotation_message(std::string_view text);
[[nodiscard]] std::string escaped_annotation_property(std::string_view text);

}  // namespace heapwright::render
