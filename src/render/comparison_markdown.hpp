// A comparison as Markdown (GitHub's flavour), and no longer than it may be: what does not fit is left out from the
// end, and the text says how much. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "heapwright/model/comparison.hpp"

namespace heapwright::render {

// GitHub refuses a step summary above 1 MiB.
inline constexpr std::size_t kStepSummaryBytes = 1u << 20;

[[nodiscard]] std::string comparison_markdown(const model::Comparison& comparison, std::size_t most_bytes = 16u << 20);

}  // namespace heapwright::render
