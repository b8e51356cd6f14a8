#include "core/shell_argument.hpp"

namespace heapwright {

std::string shell_argument(std::string_view text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/:=,@";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos && text.front() != '-')
        return std::string(text);
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

}  // namespace heapwright
