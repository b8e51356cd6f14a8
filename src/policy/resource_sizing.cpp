#include "heapwright/policy/resource_sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heapwright/core/checked.hpp"

namespace heapwright::policy {

std::string requirements_text(const model::MemoryRequirements& requirements, const std::string& where) {
    return fmt::format("size_bytes {}, alignment_bytes {} at {}", requirements.size_bytes, requirements.alignment_bytes,
                       where);
}

std::uint64_t scaled_size(std::uint64_t size, std::uint64_t numerator, std::uint64_t denominator,
                          std::uint64_t alignment) {
    const std::uint64_t scaled = numerator == denominator
                                     ? size
                                     : saturating_bytes(static_cast<double>(size) * static_cast<double>(numerator) /
                                                        static_cast<double>(std::max<std::uint64_t>(1, denominator)));
    const std::uint64_t unit = std::max<std::uint64_t>(1, alignment);
    return checked_align_up(std::max<std::uint64_t>(1, scaled), unit)
        .value_or(align_down(std::numeric_limits<std::uint64_t>::max(), unit));
}

std::uint32_t all_memory_types(const model::DeviceReport& device) {
    const std::size_t count = device.memory_types.size();
    return count >= 32 ? ~0u : (1u << count) - 1;
}

}  // namespace heapwright::policy
