// Counts every allocation of host memory by operator new and realloc() in a program that is linked with
// host_allocations.cpp.
#pragma once

#include <cstdint>

namespace heapwright::test {

// By all threads since the program began.
[[nodiscard]] std::uint64_t host_allocations();

}  // namespace heapwright::test
