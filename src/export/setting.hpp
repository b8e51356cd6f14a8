// A setting of an engine or allocator: its key, unit, range and rounding, the policy value that it comes from and what
// the engine does without it. Values go through apply(), which says what it changed. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace heapwright::exporting {

enum class Rounding : std::uint8_t {
    kNone,
    kUp,              // to the next multiple
    kDown,            // to the multiple below
    kPowerOfTwoDown,  // to the power of two below
};

struct Setting {
    std::string_view key;
    std::string_view unit;        // "bytes", "MiB", "descriptors"; empty for names and flags
    std::string_view source;      // the policy value it comes from, in words
    std::string_view by_default;  // what stands without it
    std::uint64_t unit_size = 1;  // policy units in one of the setting's
    std::uint64_t least = 0;      // in the setting's unit
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    Rounding rounding = Rounding::kNone;
    std::uint64_t multiple = 1;  // in the setting's unit
};

struct Applied {
    std::uint64_t value = 0;           // in the setting's unit
    std::vector<std::string> changes;  // "rounded up to a multiple of 4 MiB", "held down to 256 MiB"
};

// Converts `policy_value` to the setting's unit, rounds it and holds it within the range. Converting rounds down where
// the rule is to round down, else up, so that what the policy asks for fits.
[[nodiscard]] Applied apply(const Setting& setting, std::uint64_t policy_value);

[[nodiscard]] std::string range_text(const Setting& setting);
[[nodiscard]] std::string rounding_text(const Setting& setting);

}  // namespace heapwright::exporting
