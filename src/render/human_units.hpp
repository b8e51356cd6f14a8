// Figures of a text for people: "16777216 bytes" as "16 MiB", "4352 usable bytes" as "4.25 KiB usable", "2083333 ns"
// and "2083.3 us" as "2.08 ms". Everything else stays. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::render {

[[nodiscard]] std::string in_units(std::string_view text);

}  // namespace heapwright::render
