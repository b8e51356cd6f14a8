#include <catch2/catch_test_macros.hpp>

#include "contract/chunks.hpp"

using namespace heapwright::contract;

TEST_CASE("the last empty chunk stays for the age, one of several for an eighth of it") {
    struct Case {
        std::uint64_t empty_for;
        std::size_t empty_chunks;
        bool outlived;
    };
    for (const Case& one : {Case{120, 1, false}, Case{121, 1, true}, Case{15, 2, false}, Case{16, 2, true},
                            Case{16, 1, false}, Case{0, 9, false}, Case{1, 9, false}}) {
        CAPTURE(one.empty_for, one.empty_chunks);
        CHECK(has_outlived(1000 + one.empty_for, 1000, 120, one.empty_chunks) == one.outlived);
    }
    CHECK(has_outlived(1001, 1000, 0, 1));
    CHECK(has_outlived(1001, 1000, 7, 2));
    CHECK_FALSE(has_outlived(1001, 1000, 8, 2));
}

TEST_CASE("empty chunks of a heap keep to its share, and sums that would wrap do not fit") {
    CHECK(most_kept_empty_bytes(800, 0.125) == 100);
    CHECK(most_kept_empty_bytes(800, 0) == 0);
    CHECK(may_keep_empty(60, 40, 100));
    CHECK_FALSE(may_keep_empty(60, 41, 100));
    CHECK_FALSE(may_keep_empty(101, 0, 100));
    CHECK_FALSE(may_keep_empty(1, ~0ull, ~0ull));
}
