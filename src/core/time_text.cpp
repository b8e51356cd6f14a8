#include "heapwright/core/time_text.hpp"

#include <fmt/format.h>

namespace heapwright {

std::string time_text(std::uint64_t ns) {
    const auto value = static_cast<double>(ns);
    if (ns >= 1'000'000'000) return fmt::format("{:.2f} s", value / 1e9);
    if (ns >= 1'000'000) return fmt::format("{:.2f} ms", value / 1e6);
    if (ns >= 1'000) return fmt::format("{:.2f} us", value / 1e3);
    return fmt::format("{} ns", ns);
}

}  // namespace heapwright
