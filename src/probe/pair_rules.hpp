// Helpers of the rules between two answers. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "probe/answers.hpp"
#include "probe/detailed_finding.hpp"

namespace heapwright::probe {

struct PairRule {
    std::string id;
    std::string statement;
    std::string clause;
    std::string violated;
};

[[nodiscard]] inline DetailedFinding pair_finding(const PairRule& rule, const Answer& first, const Answer& second) {
    return {.finding = {.id = rule.id,
                        .severity = model::FindingSeverity::kViolation,
                        .statement = rule.statement,
                        .clause = rule.clause,
                        .evidence = {evidence(first), evidence(second)}},
            .reproduction = {
                .queries = {first.query, second.query}, .structure = {}, .allocations = {}, .violated = rule.violated}};
}

}  // namespace heapwright::probe
