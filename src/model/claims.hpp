// Every claim that the program makes, by id; its words are one line of detail/claims/. A claim of the wrong number of
// figures does not compile. Pure and thread-safe.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>

#include "heapwright/model/claim.hpp"

namespace heapwright::model {

enum class ClaimId : std::uint16_t {
    kText,  // one figure: words that no program made as a claim
#define HEAPWRIGHT_CLAIM(id, words) id,
#include "model/detail/claims/all.inc"
#undef HEAPWRIGHT_CLAIM
};

namespace detail {

// "{}" takes a figure, and so does "{chunk}", which counts: "1 chunk", "2 chunks". Braces without a partner do not
// compile.
consteval std::size_t slots_of(std::string_view words) {
    std::size_t slots = 0;
    bool is_open = false;
    for (const char letter : words) {
        if (letter != '{' && letter != '}') continue;
        if (is_open == (letter == '{')) throw "a brace without its partner";
        is_open = letter == '{';
        slots += is_open ? 1 : 0;
    }
    if (is_open) throw "a brace without its partner";
    return slots;
}

inline constexpr auto kClaimSlots = std::to_array<std::size_t>({
    1,
#define HEAPWRIGHT_CLAIM(id, words) slots_of(words),
#include "model/detail/claims/all.inc"
#undef HEAPWRIGHT_CLAIM
});

}  // namespace detail

// For claim() and for what reads documents (claim_of()), which see to the number of figures.
struct ClaimMaker {
    static Claim make(ClaimId id, std::vector<Figure> figures) { return {id, std::move(figures)}; }
};

template <ClaimId id, std::convertible_to<Figure>... F>
[[nodiscard]] Claim claim(F&&... figures) {
    static_assert(sizeof...(F) == detail::kClaimSlots.at(static_cast<std::size_t>(id)), "one figure for each slot");
    return ClaimMaker::make(id, {Figure(std::forward<F>(figures))...});
}

}  // namespace heapwright::model
