// The rules of a comparison as SARIF: what sort of difference one is, by where it stands in a document and never by its
// values or by what became of it. Code scanning knows an alert by its rule, so an id is never given another meaning.
// Pure and thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heapwright::render {

struct ComparisonRule {
    std::string_view id;     // "HW-LIMIT"
    std::string_view name;   // "Limit"
    std::string_view brief;  // one sentence
    std::string_view full;   // what it means to an allocator
};

// In an order that only grows at its end.
[[nodiscard]] std::span<const ComparisonRule> comparison_rules();

// Index of the rule of a difference's path: "/limits/VkPhysicalDeviceLimits/maxPushConstantsSize". A path of none of
// the known sections has HW-OTHER.
[[nodiscard]] std::size_t rule_of_path(std::string_view path);

// Of the notes on the allow-list, on bounds and on probes that did nothing.
[[nodiscard]] std::size_t rule_of_notes();

}  // namespace heapwright::render
