#include "core/share_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heapwright {

std::string share_text(double share) {
    constexpr double kWhole = 99.95;  // of three digits none is a part
    const double percent = 100 * share;
    if (percent > 0 && percent < 0.01) return "less than 0.01%";
    if (percent >= kWhole && share < 1) return "over 99.9%";
    return std::abs(percent) >= kWhole ? fmt::format("{:.0f}%", percent) : fmt::format("{:.3g}%", percent);
}

}  // namespace heapwright
