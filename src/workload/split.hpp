// A buffer that is larger than the device allows, made as several of one size that hold the same data: the weights of a
// layer, the table of embeddings. A hint says whether its buffers may be (`splittable`). What follows sees an ordinary
// hint at the same place in the workload. Sizes in bytes. Pure and thread-safe.
#pragma once

#include <cstdint>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// No element of up to this size lies across two parts.
inline constexpr std::uint64_t kPartUnit = 65536;

struct Parts {
    std::uint64_t count = 1;  // of each buffer; 1: it stays whole
    std::uint64_t bytes = 0;  // of the largest part
};

// As few as the largest buffer of the hint needs, of one size: at most `most_bytes`, a multiple of kPartUnit where that
// is not below it. A power of two where the hint's sizes are.
[[nodiscard]] Parts parts_of(const model::BufferHint& hint, std::uint64_t most_bytes);

// What the policy lets one buffer of the hint have at most: its largest_storage_buffer_bytes where that is there and
// the hint is of storage buffers, else its largest_buffer_bytes; null: no bound.
[[nodiscard]] const model::Decided<std::uint64_t>* largest_of(const model::BufferHint& hint,
                                                              const model::DevicePolicy& policy);

// Hints that parts_of() splits by largest_of() have so many times their count, and sizes by so much smaller.
[[nodiscard]] model::Workload split_buffers(model::Workload workload, const model::DevicePolicy& policy);

}  // namespace heapwright::workload
