// Whether text is UTF-8, and text of drivers made into it: the API asks for UTF-8, and drivers give what they like.
// Pure and thread-safe. Source: Unicode 15, table 3-7.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heapwright {

// Length of the well-formed sequence at `at`, 0 when it is none.
[[nodiscard]] std::size_t utf8_sequence_bytes(std::string_view text, std::size_t at);

// U+FFFD in place of each byte that belongs to no well-formed sequence, as a document holds it.
[[nodiscard]] std::string well_formed_utf8(std::string_view text);

// The text of an array of a driver's structure: up to its zero, or whole where it has none.
template <std::size_t kBytes>
[[nodiscard]] std::string driver_text(const char (&array)[kBytes]) {
    const std::string_view whole(array, kBytes);
    return well_formed_utf8(whole.substr(0, whole.find('\0')));
}

// Files that other programs wrote in UTF-16, as UTF-8. Pure and thread-safe.

// `bytes` as UTF-8 without a byte order mark. UTF-16 of either byte order is known by its mark, or without one by the
// zero bytes of its Latin letters; what is no well-formed UTF-16 becomes U+FFFD. `storage` holds the text where it had
// to be made.
[[nodiscard]] std::string_view as_utf8(std::string_view bytes, std::string& storage);

}  // namespace heapwright
