// The one check of the fuzz entries, in every build type.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace heapwright::fuzz {

inline void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz entry: %s\n", what.c_str());
    std::abort();
}

}  // namespace heapwright::fuzz
