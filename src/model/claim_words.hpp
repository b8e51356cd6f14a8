// What stands beside the words of claims (heapwright/model/claim_text.hpp): their names in documents, and what they
// hold. Pure and thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/model/claim_text.hpp"

namespace heapwright::model {

struct ClaimParts {
    static ClaimId id(const Claim& claim) { return claim.id_; }
    static std::span<const Figure> figures(const Claim& claim) { return claim.figures_; }
    static std::span<Figure> figures(Claim& claim) { return claim.figures_; }
};

inline constexpr std::size_t kLongestClaim = 160;

// Its name in documents: "chunk_least_of". Of a text, nothing.
[[nodiscard]] std::string_view name_of_claim(const Claim& claim);
// Nothing: no claim has this name and that many figures.
[[nodiscard]] std::optional<Claim> claim_of(std::string_view name, std::vector<Figure> figures);
// The words of every claim, "{}" for each figure; by ClaimId, without the first.
[[nodiscard]] std::span<const std::string_view> words_of_claims();

}  // namespace heapwright::model
