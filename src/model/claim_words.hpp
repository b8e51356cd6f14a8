// The words of claims and figures, in English and in units for people. For the documents and for what is shown; what
// decides by a policy reads its values. Pure and thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/model/claim.hpp"

#ifndef HEAPWRIGHT_SHOWS_WORDS
#error "a claim's words are for people: what decides reads the value that the claim stands beside"
#endif

namespace heapwright::model {

struct ClaimParts {
    static ClaimId id(const Claim& claim) { return claim.id_; }
    static std::span<const Figure> figures(const Claim& claim) { return claim.figures_; }
    static std::span<Figure> figures(Claim& claim) { return claim.figures_; }
};

// "32 MiB", "2.08 ms", "5.2%", "12", "maxMemoryAllocationSize".
[[nodiscard]] std::string text_of(const Figure& figure);
// No longer than kLongestClaim where its figures are no long names.
[[nodiscard]] std::string text_of(const Claim& claim);
// Its claims as sentences: "A chunk for every request. 32 MiB is ..."
[[nodiscard]] std::string text_of(const Statement& statement);

// Each claim alone.
[[nodiscard]] std::vector<std::string> lines_of(const Statement& statement);

inline constexpr std::size_t kLongestClaim = 160;

// Its name in documents: "chunk_least_of". Of a text, nothing.
[[nodiscard]] std::string_view name_of_claim(const Claim& claim);
// Nothing: no claim has this name and that many figures.
[[nodiscard]] std::optional<Claim> claim_of(std::string_view name, std::vector<Figure> figures);
// The words of every claim, "{}" for each figure; by ClaimId, without the first.
[[nodiscard]] std::span<const std::string_view> words_of_claims();

}  // namespace heapwright::model
