#include "heapwright/core/share_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heapwright {

std::string share_text(double share) {
    constexpr double kLeast = 0.01;
    constexpr double kMost = 99.9;
    constexpr double kWhole = 99.95;  // of three digits none is a part
    const double percent = 100 * share;
    if (percent > 0 && percent < kLeast) return fmt::format("less than {}%", kLeast);
    if (percent >= kWhole && share < 1) return fmt::format("over {}%", kMost);
    return std::abs(percent) >= kWhole ? fmt::format("{:.0f}%", percent) : fmt::format("{:.3g}%", percent);
}

}  // namespace heapwright
