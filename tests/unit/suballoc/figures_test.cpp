#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/occupancy_map.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"

using namespace heapwright::suballoc;

TEST_CASE("figures tell fragmentation and contiguity") {
    //   aaaa....bbbbbbbb..  (capacity 18): free ranges of 4 and 2
    auto block = TlsfAllocator::create({.capacity = 18}).value();
    REQUIRE(block.allocate(4));
    const auto gap = block.allocate(4).value();
    REQUIRE(block.allocate(8));
    block.free(gap.handle);
    const Figures figures = block.figures();
    CHECK(figures.free == 6);
    CHECK(figures.largest_free_range == 4);
    CHECK(figures.free_range_count == 2);
    CHECK(figures.external_fragmentation() == 1.0 - 4.0 / 6.0);
    CHECK(figures.free_ranges_by_size[1] == 1);
    CHECK(figures.free_ranges_by_size[2] == 1);

    Figures sum = figures;
    sum += figures;
    CHECK(sum.free == 12);
    CHECK(sum.largest_free_range == 4);
    CHECK(sum.free_ranges_by_size[2] == 2);
    CHECK(Figures{}.external_fragmentation() == 0.0);
}

TEST_CASE("an occupancy map gives the used share of each cell") {
    OccupancyMap map(10, 4);  // cells of 3, 3, 2 and 2 units
    map.add_used(2, 2);
    map.add_used(6, 4);
    const auto shares = map.shares();
    REQUIRE(shares.size() == 4);
    CHECK(shares[0] == 1.0 / 3.0);
    CHECK(shares[1] == 1.0 / 3.0);
    CHECK(shares[2] == 1.0);
    CHECK(shares[3] == 1.0);
    CHECK(OccupancyMap(2, 100).shares().size() == 2);
    CHECK(OccupancyMap(0, 8).shares().empty());
    CHECK(OccupancyMap(~0ull, 3).shares().size() == 3);
}
