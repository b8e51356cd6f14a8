#include "heapwright/core/byte_text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace heapwright {

std::string byte_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    auto scaled = static_cast<double>(bytes);
    std::string_view unit;
    for (const std::string_view next : kUnits) {
        if (scaled < 1024) break;
        scaled /= 1024;
        unit = next;
    }
    return fmt::format("{:.4g} {}", scaled, unit);
}

}  // namespace heapwright
