#include <catch2/catch_test_macros.hpp>

extern "C" int heapwright_c99_check(const char* folder);

TEST_CASE("a C99 program uses the loader") {
    CHECK(heapwright_c99_check(HEAPWRIGHT_SOURCE_DIR "/policies") == 0);
}
