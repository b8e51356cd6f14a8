// A document as the HTML report and its CSV files take it: with the name of the file that it came from.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "heapwright/model/json.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "model/comparison.hpp"
#include "model/what_if.hpp"

namespace heapwright::render {

struct ReportDocument {
    std::string file;  // as shown; without its folder
    std::variant<model::Report, model::Policy, model::Validation, model::Comparison, model::WhatIf> document;
    // Of a policy of which this is one device's part: the whole one's, by which validations name it. Empty: it is
    // whole.
    std::optional<std::string> policy_hash = std::nullopt;
};

// The hash by which a validation names the policy that it ran.
[[nodiscard]] inline std::string hash_of(const ReportDocument& document, const model::Policy& policy) {
    return document.policy_hash ? *document.policy_hash : model::stable_hash(policy);
}

}  // namespace heapwright::render
