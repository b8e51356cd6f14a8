// XXH3-128 of bytes, as 32 lower-case hexadecimal digits. Used to name documents, never for security.
#pragma once

#include <string>
#include <string_view>

namespace heapwright {

[[nodiscard]] std::string hash_hex(std::string_view bytes);

}  // namespace heapwright
