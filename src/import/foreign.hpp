// Files that are no report, known by what stands in them: dumps, recordings and logs of other tools, each refused by
// its name with what to use instead; and, for all others, which of the known formats is nearest.
// A reader asks once it knows the text to be none of its own, so a mark may be a common word. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "heapwright/core/error.hpp"

namespace heapwright::imports {

// Dumps and recordings that are read as a workload (src/workload/dump.hpp) are foreign to a report alone.
enum class WantedFile : std::uint8_t { kReport, kWorkload };

// The refusal of a text of a foreign kind, which names the kind; nothing for a text of no kind known here.
[[nodiscard]] std::optional<Error> foreign_file(std::string_view text, std::string_view source, WantedFile wanted);

// The refusal of any other text by `import`: the nearest format with what of it was found and what was missing, and all
// formats that can be imported.
[[nodiscard]] Error unknown_file(std::string_view text, std::string_view source);

}  // namespace heapwright::imports
