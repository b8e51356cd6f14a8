// Files that other programs wrote in UTF-16, as UTF-8. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright {

// `bytes` as UTF-8 without a byte order mark. UTF-16 of either byte order is known by its mark, or without one by the
// zero bytes of its Latin letters; what is no well-formed UTF-16 becomes U+FFFD. `storage` holds the text where it had
// to be made.
[[nodiscard]] std::string_view as_utf8(std::string_view bytes, std::string& storage);

}  // namespace heapwright
