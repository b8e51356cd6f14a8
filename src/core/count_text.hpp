// Counts as people write them: "1 chunk", "2 chunks". Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heapwright {

// "1 of its sizes is", "0 of its sizes are".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    std::string text = std::to_string(count);
    text += ' ';
    text += count == 1 ? one : many;
    return text;
}

// The plural has an s more.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
    return counted(count, one, std::string(one) + "s");
}

// "the one bucket", "each of the 3 buckets"; `whose` is "the" or "its".
[[nodiscard]] inline std::string each_counted(std::uint64_t count, std::string_view whose, std::string_view one) {
    if (count == 1) return std::string(whose) + " one " + std::string(one);
    return "each of " + std::string(whose) + ' ' + counted(count, one);
}

}  // namespace heapwright
