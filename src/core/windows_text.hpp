// Text as Windows takes and gives it: UTF-16 there, UTF-8 everywhere else in this program. For the Windows sources
// alone. A part that is no valid text becomes U+FFFD. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heapwright {

[[nodiscard]] std::wstring wide(std::string_view utf8_text);
[[nodiscard]] std::string utf8(std::wstring_view wide_text);

// What an error number of Windows means, with the number: "Access is denied (error 5)".
[[nodiscard]] std::string windows_error_text(unsigned long code);

// The release of Wine that this program runs under, "8.0"; nothing on Windows itself.
[[nodiscard]] std::optional<std::string> wine_version();

}  // namespace heapwright
