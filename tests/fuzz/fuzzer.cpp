#include <cstddef>
#include <cstdint>

#include "entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    heapwright::fuzz::HEAPWRIGHT_FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
    return 0;
}
