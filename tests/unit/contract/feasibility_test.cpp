#include <catch2/catch_test_macros.hpp>

#include <numeric>

#include "contract/feasibility.hpp"
#include "core/random.hpp"

using namespace heapwright;
using contract::ChunkWish;

namespace {

model::HeapPolicy heap_of(std::uint64_t usable_bytes) {
    return {.heap = 3, .usable_bytes = model::because(usable_bytes, {})};
}

}  // namespace

TEST_CASE("chunks that fit together stay as they are") {
    const std::vector<ChunkWish> wishes{{.wanted_bytes = 60}, {.wanted_bytes = 40}};
    const auto each = contract::fit_one_chunk_each(heap_of(100), wishes);
    CHECK(each.chunk_bytes == std::vector<std::uint64_t>{60, 40});
    CHECK(each.proof.one_chunk_each_bytes == 100);
    CHECK(each.proof.fits);
    CHECK(each.proof.heap == 3);
    CHECK(each.proof.buckets == 2);
    CHECK(each.proof.usable_bytes == 100);
}

TEST_CASE("the largest shrink first, to one cap, in units, none below its smallest") {
    const auto shrunk = [](std::vector<ChunkWish> wishes, std::uint64_t usable) {
        return contract::fit_one_chunk_each(heap_of(usable), wishes).chunk_bytes;
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
        contract::fit_one_chunk_each(heap_of(60), std::vector<ChunkWish>{{.wanted_bytes = 10, .resource_bytes = 70}});
    CHECK(each.chunk_bytes.front() <= 10);
    CHECK(each.proof.one_chunk_each_bytes == 70);
    CHECK(each.wanted_total_bytes == 70);
    CHECK_FALSE(each.proof.fits);
    const auto huge = contract::fit_one_chunk_each(
        heap_of(100), std::vector<ChunkWish>{{.wanted_bytes = ~0ull}, {.wanted_bytes = ~0ull}});
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
        const auto each = contract::fit_one_chunk_each(heap_of(usable), wishes);
        CHECK(each.proof.fits == (smallest <= usable));
        std::size_t shrunk = 0;
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            CHECK(each.chunk_bytes[i] >= wishes[i].smallest_bytes);
            CHECK(each.chunk_bytes[i] <= wishes[i].wanted_bytes);
            if (each.chunk_bytes[i] < wishes[i].wanted_bytes) ++shrunk;
        }
        if (each.proof.fits && shrunk != 0) CHECK(each.proof.one_chunk_each_bytes + shrunk > usable);
    }
}

TEST_CASE("chunks ahead get a sixteenth of the heap, and no more than one chunk for each bucket leaves") {
    const auto room = [](std::uint64_t one_chunk_each, std::uint32_t heap = 3) {
        const model::HeapFeasibility proof{.heap = heap, .one_chunk_each_bytes = one_chunk_each};
        return contract::RoomAhead(heap_of(1600), std::vector{proof});
    };
    CHECK(room(0).bytes() == 100);
    CHECK(room(1550).bytes() == 50);
    CHECK(room(1700).bytes() == 0);
    CHECK(room(1700, 2).bytes() == 100);  // another heap's proof
    model::BucketPolicy bucket;
    bucket.chunk_size_bytes.value = 40;
    contract::RoomAhead left = room(0);
    CHECK(left.chunks(bucket) == 2);
    left.take(1, bucket);
    CHECK(left.bytes() == 60);
    CHECK(left.chunks(bucket) == 1);
}
