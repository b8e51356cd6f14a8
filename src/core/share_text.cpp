#include "heapwright/core/share_text.hpp"

#include <fmt/format.h>

namespace heapwright {

std::string share_text(double share) {
    if (share >= 0.995 && share < 1) return share >= 0.9995 ? "over 99.9%" : fmt::format("{:.1f}%", share * 100);
    return share >= 0.0095 || share <= 0 ? fmt::format("{:.0f}%", share * 100) : fmt::format("{:.2g}%", share * 100);
}

}  // namespace heapwright
