// The words of reasons, warnings and notes, in English and in units for people. What decides by a policy reads its
// values instead, so only a target that defines HEAPWRIGHT_SHOWS_WORDS may include this header; those that link the
// installed library do. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/claim.hpp"

#ifndef HEAPWRIGHT_SHOWS_WORDS
#error "a claim's words are for people: what decides reads the value that the claim stands beside"
#endif

namespace heapwright::model {

// "32 MiB", "2.08 ms", "5.2%", "12", "maxMemoryAllocationSize".
[[nodiscard]] std::string text_of(const Figure& figure);
[[nodiscard]] std::string text_of(const Claim& claim);
// Its claims as sentences: "A chunk for every request. 32 MiB is ..."
[[nodiscard]] std::string text_of(const Statement& statement);

// Each claim alone.
[[nodiscard]] std::vector<std::string> lines_of(const Statement& statement);

}  // namespace heapwright::model
