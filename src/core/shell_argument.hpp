// A file's name as an argument of a command that a user copies: quoted where a shell would read more than a name. Pure
// and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright {

[[nodiscard]] std::string shell_argument(std::string_view text);

}  // namespace heapwright
