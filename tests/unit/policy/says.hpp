// What a statement says: which claims it makes, and rarely its words.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "model/claim_words.hpp"
#include "model/claims.hpp"
#include "model/decisions.hpp"

namespace heapwright::test {

using model::ClaimId;

[[nodiscard]] inline std::size_t times(const model::Statement& statement, ClaimId id) {
    return static_cast<std::size_t>(std::ranges::count_if(
        statement.claims(), [id](const model::Claim& claim) { return model::ClaimParts::id(claim) == id; }));
}
[[nodiscard]] inline bool makes(const model::Statement& statement, ClaimId id) {
    return times(statement, id) != 0;
}
// How many claims have these words among theirs.
[[nodiscard]] inline std::size_t times(const model::Statement& statement, std::string_view words) {
    return static_cast<std::size_t>(std::ranges::count_if(statement.claims(), [words](const model::Claim& claim) {
        return model::text_of(claim).find(words) != std::string::npos;
    }));
}
[[nodiscard]] inline bool says(const model::Statement& statement, std::string_view words) {
    return times(statement, words) != 0;
}

// The words of every claim of a device's policy, each once: why its numbers are as they are, why others lost, warnings.
[[nodiscard]] inline std::set<std::string> all_claims(const model::DevicePolicy& policy) {
    std::set<std::string> words;
    const auto add = [&](const model::Statement& statement) {
        for (std::string& line : model::lines_of(statement)) words.insert(std::move(line));
    };
    for (const model::ListedDecision& decision : model::list_decisions(policy)) {
        add(decision.why->reason);
        for (const model::Alternative& other : decision.why->alternatives) add(other.reason);
    }
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        for (const model::ExcludedMemoryType& excluded : use.excluded) add(excluded.reason);
    }
    if (policy.capacity) {
        add(policy.capacity->statement);
        add(policy.capacity->reason);
    }
    add(policy.assumed);
    add(policy.warnings);
    return words;
}
// The words of the first claim; empty: it has none.
[[nodiscard]] inline std::string first(const model::Statement& statement) {
    return statement.empty() ? std::string() : model::text_of(statement.claims().front());
}
// The figure as a document writes a plain number.
[[nodiscard]] inline std::string exact(const model::Figure& figure) {
    if (const auto* whole = std::get_if<std::uint64_t>(&figure.value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&figure.value)) return std::to_string(static_cast<std::uint64_t>(*real));
    return std::get<std::string>(figure.value);
}

}  // namespace heapwright::test
