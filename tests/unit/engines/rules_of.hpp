#pragma once

#include <vector>

#include "engines/rules.hpp"

namespace heapwright::engines::test {

inline std::vector<Rule> rules_of(const std::vector<Violation>& violations) {
    std::vector<Rule> rules;
    for (const Violation& violation : violations) rules.push_back(violation.rule);
    return rules;
}

}  // namespace heapwright::engines::test
