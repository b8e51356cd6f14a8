// A time for people: "812 ns", "1.234 ms", of four digits. Pure and thread-safe.
#pragma once

#include <string>

namespace heapwright {

[[nodiscard]] std::string time_text(double ns);

template <class Integer>
[[nodiscard]] std::string time_text(Integer ns) {
    return time_text(static_cast<double>(ns));
}

}  // namespace heapwright
