#include "core/time_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heapwright {

std::string time_text(double ns) {
    constexpr double kStep = 1e3;
    constexpr double kRoundsUp = 0.99995;  // to the next unit, of four digits
    double value = ns;
    for (const char* unit : {"ns", "us", "ms"}) {
        if (std::abs(value) < kStep * kRoundsUp) return fmt::format("{:.4g} {}", value, unit);
        value /= kStep;
    }
    return value < kStep ? fmt::format("{:.4g} s", value) : fmt::format("{:.0f} s", value);
}

}  // namespace heapwright
