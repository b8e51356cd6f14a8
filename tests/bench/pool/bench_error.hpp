// A benchmark ends with exit code 2 and the reason where something fails.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/result.hpp"

namespace heapwright::bench {

[[noreturn]] inline void give_up(std::string_view why) {
    fmt::print(stderr, "{}\n", why);
    std::exit(2);
}

template <class T>
T require(Result<T> result) {
    if (!result) give_up(to_string(result.error()));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace heapwright::bench
