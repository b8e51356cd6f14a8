// A comparison as workflow commands of GitHub Actions, which become annotations:
//   ::error file=reports/b.json,title=...::message
// Errors: regressed, missing, changed. Warnings: inconclusive and notes on the allow-list. Notices: improved, new.
// GitHub shows ten errors, ten warnings and ten notices a step; the last of each says how many more there are.
// Source: GitHub documentation, "Workflow commands for GitHub Actions"; escaping as in its toolkit (% CR LF, in
// properties also : and ,). Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "heapwright/model/comparison.hpp"

namespace heapwright::render {

[[nodiscard]] std::string comparison_annotations(const model::Comparison& comparison, bool strict);

[[nodiscard]] std::string escaped_annotation_message(std::string_view text);
[[nodiscard]] std::string escaped_annotation_property(std::string_view text);

}  // namespace heapwright::render
