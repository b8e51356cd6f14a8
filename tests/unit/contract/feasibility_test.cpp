#include <catch2/catch_test_macros.hpp>

#include <numeric>

#include "heapwright/contract/feasibility.hpp"
#include "heapwright/core/random.hpp"

using namespace heapwright;
using contract::ChunkWish;

TEST_CASE("chunks that fit together stay as they are") {
    const std::vector<ChunkWish> wishes{{.wanted_bytes = 60}, {.wanted_bytes = 40}};
    const auto each = contract::fit_one_chunk_each(wishes, 100);
    CHECK(each.chunk_bytes == std::vector<std::uint64_t>{60, 40});
    CHECK(each.total_bytes == 100);
    CHECK(each.fits);
}

TEST_CASE("the largest shrink first, to one cap, in units, none below its smallest") {
    const auto shrunk = [](std::vector<ChunkWish> wishes, std::uint64_t usable) {
        return contract::fit_one_chunk_each(wishes, usable).chunk_bytes;
    };
    CHECK(shrunk({{.wanted_bytes = 64}, {.wanted_bytes = 20}}, 60) == std::vector<std::uint64_t>{40, 20});
    CHECK(shrunk({{.wanted_bytes = 64}, {.wanted_bytes = 50}}, 60) == std::vector<std::uint64_t>{30, 30});
    CHECK(shrunk({{.wanted_bytes = 64, .unit_bytes = 16}, {.wanted_bytes = 20}}, 60) ==
          std::vector<std::uint64_t>{32, 20});
    CHECK(shrunk({{.wanted_bytes = 64, .smallest_bytes = 50}, {.wanted_bytes = 40}}, 60) ==
          std::vector<std::uint64_t>{50, 10});
}

TEST_CASE("a resource larger than its chunk is counted, and what cannot fit says so") {
    const auto each =
        contract::fit_one_chunk_each(std::vector<ChunkWish>{{.wanted_bytes = 10, .resource_bytes = 70}}, 60);
    CHECK(each.chunk_bytes.front() <= 10);
    CHECK(each.total_bytes == 70);
    CHECK(each.wanted_total_bytes == 70);
    CHECK_FALSE(each.fits);
    const auto huge =
        contract::fit_one_chunk_each(std::vector<ChunkWish>{{.wanted_bytes = ~0ull}, {.wanted_bytes = ~0ull}}, 100);
    CHECK(huge.wanted_total_bytes == ~0ull);
    CHECK(huge.chunk_bytes == std::vector<std::uint64_t>{50, 50});
}

TEST_CASE("no larger cap would fit") {
    Random random(3);
    for (int round = 0; round < 500; ++round) {
        std::vector<ChunkWish> wishes(1 + random.below(6));
        std::uint64_t smallest = 0;
        for (ChunkWish& wish : wishes) {
            wish.wanted_bytes = 1 + random.below(1000);
            wish.smallest_bytes = 1 + random.below(wish.wanted_bytes);
            smallest += wish.smallest_bytes;
        }
        const std::uint64_t usable = 1 + random.below(4000);
        CAPTURE(round, usable);
        const auto each = contract::fit_one_chunk_each(wishes, usable);
        CHECK(each.fits == (smallest <= usable));
        std::size_t shrunk = 0;
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            CHECK(each.chunk_bytes[i] >= wishes[i].smallest_bytes);
            CHECK(each.chunk_bytes[i] <= wishes[i].wanted_bytes);
            if (each.chunk_bytes[i] < wishes[i].wanted_bytes) ++shrunk;
        }
        if (each.fits && shrunk != 0) CHECK(each.total_bytes + shrunk > usable);
    }
}

TEST_CASE("chunks ahead get a sixteenth of the heap, and no more than one chunk for each bucket leaves") {
    CHECK(contract::room_for_chunks_ahead(1600, 0) == 100);
    CHECK(contract::room_for_chunks_ahead(1600, 1550) == 50);
    CHECK(contract::room_for_chunks_ahead(1600, 1700) == 0);
}
