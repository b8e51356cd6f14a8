// Helpers that the image and the buffer sizer share. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "heapwright/policy/resource_sizing.hpp"

namespace heapwright::policy {

// "size_bytes 4096, alignment_bytes 64 at WHERE".
[[nodiscard]] std::string requirements_text(const model::MemoryRequirements& requirements, const std::string& where);

// size * numerator / denominator, rounded up to the alignment; saturates.
[[nodiscard]] std::uint64_t scaled_size(std::uint64_t size, std::uint64_t numerator, std::uint64_t denominator,
                                        std::uint64_t alignment);

// One bit for every memory type of the report.
[[nodiscard]] std::uint32_t all_memory_types(const model::DeviceReport& device);

}  // namespace heapwright::policy
