// What a driver asks for a buffer between two swept sizes, from its answer at a swept one. One rule for the policy,
// which predicts with it, and for the replay, which acts by it. Pure and thread-safe; sizes in bytes.
#pragma once

#include <cstdint>

#include "core/checked.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::model {

// `answer` at `swept_bytes`, for a buffer of `size_bytes`: drivers round a buffer up by a few bytes, so the same
// padding is added to the size asked for, up to the alignment.
[[nodiscard]] inline MemoryRequirements between_swept_sizes(MemoryRequirements answer, std::uint64_t swept_bytes,
                                                            std::uint64_t size_bytes) {
    if (swept_bytes == size_bytes) return answer;
    const std::uint64_t padding = answer.size_bytes > swept_bytes ? answer.size_bytes - swept_bytes : 0;
    const std::uint64_t padded = checked_add(size_bytes, padding).value_or(size_bytes);
    answer.size_bytes = align_up_or_largest(padded, answer.alignment_bytes);
    return answer;
}

}  // namespace heapwright::model
