#include <catch2/catch_test_macros.hpp>

#include "test_paths.hpp"

extern "C" int heapwright_c99_check(const char* folder);

TEST_CASE("a C99 program uses the loader") {
    CHECK(heapwright_c99_check(heapwright::test::source_path("policies").c_str()) == 0);
}
