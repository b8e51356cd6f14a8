#include "export/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/checked.hpp"

namespace heapwright::exporting {
namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

std::string with_unit(std::uint64_t value, const Setting& setting) {
    return setting.unit.empty() ? std::to_string(value) : fmt::format("{} {}", value, setting.unit);
}

std::uint64_t rounded(const Setting& setting, std::uint64_t value) {
    switch (setting.rounding) {
        case Rounding::kNone: return value;
        case Rounding::kDown: return value / setting.multiple * setting.multiple;
        case Rounding::kPowerOfTwoDown: return value == 0 ? 0 : std::bit_floor(value);
        case Rounding::kUp: {
            const auto up = checked_mul(div_ceil(value, setting.multiple), setting.multiple);
            return up ? *up : kUnbounded / setting.multiple * setting.multiple;
        }
    }
    return value;
}

}  // namespace

Applied apply(const Setting& setting, std::uint64_t policy_value) {
    Applied applied;
    const bool down = setting.rounding == Rounding::kDown || setting.rounding == Rounding::kPowerOfTwoDown;
    const std::uint64_t whole = policy_value / setting.unit_size;
    const bool uneven = policy_value % setting.unit_size != 0;
    applied.value = whole + (uneven && !down ? 1 : 0);
    if (uneven) {
        applied.changes.push_back(fmt::format("{} is no whole number of {}: rounded {} to {}", policy_value,
                                              setting.unit, down ? "down" : "up", with_unit(applied.value, setting)));
    }
    if (const std::uint64_t value = rounded(setting, applied.value); value != applied.value) {
        applied.changes.push_back(fmt::format("{} rounded {} to {} ({})", with_unit(applied.value, setting),
                                              value < applied.value ? "down" : "up", with_unit(value, setting),
                                              rounding_text(setting)));
        applied.value = value;
    }
    if (const std::uint64_t value = std::clamp(applied.value, setting.least, setting.most); value != applied.value) {
        applied.changes.push_back(fmt::format("{} {} {}, the {} that the setting takes",
                                              with_unit(applied.value, setting),
                                              value < applied.value ? "held down to" : "raised to",
                                              with_unit(value, setting), value < applied.value ? "most" : "least"));
        applied.value = value;
    }
    return applied;
}

std::string range_text(const Setting& setting) {
    if (setting.least == 0 && setting.most == kUnbounded) return "any";
    if (setting.most == kUnbounded) return fmt::format("{} and more", setting.least);
    return fmt::format("{} to {}", setting.least, setting.most);
}

std::string rounding_text(const Setting& setting) {
    switch (setting.rounding) {
        case Rounding::kNone: return "none";
        case Rounding::kPowerOfTwoDown: return "down to a power of two";
        case Rounding::kUp:
        case Rounding::kDown: {
            const std::string_view way = setting.rounding == Rounding::kUp ? "up" : "down";
            return setting.multiple == 1 ? fmt::format("{} to a whole number", way)
                                         : fmt::format("{} to a multiple of {}", way, setting.multiple);
        }
    }
    return {};
}

}  // namespace heapwright::exporting
