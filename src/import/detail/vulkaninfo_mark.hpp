// Where in a text vulkaninfo's begins, whatever stands around it or before each of its lines. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace heapwright::imports::detail {

struct VulkaninfoMark {
    // The most telling last: "VULKANINFO", "VkPhysicalDeviceMemoryProperties:", "GPU0:".
    enum class Kind : std::uint8_t { kNone, kTitle, kSection, kGpu };

    Kind kind = Kind::kNone;
    std::string_view line;  // whole, with what stands before it
};

// The first of the most telling kind.
[[nodiscard]] VulkaninfoMark find_vulkaninfo_mark(std::string_view text);

// "GPU0" with any number.
[[nodiscard]] bool is_gpu_name(std::string_view name);

}  // namespace heapwright::imports::detail
