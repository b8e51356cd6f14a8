#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/block_best_fit_allocator.hpp"

using namespace heapwright::suballoc;

TEST_CASE("the smallest range that holds the request is taken, the lowest of equal ones") {
    // S = 16. Blocks:  aaaa bb cccc dd ee  with a, b and d freed:
    //   ....bb  is 4+2 merged; dd is 2 blocks
    //   ......cccc..ee   a request of 2 blocks takes dd, not the larger one before it
    auto block = BlockBestFitAllocator::create({.capacity = 16 * 14, .block_size = 16}).value();
    const auto a = block.allocate(64).value();
    const auto b = block.allocate(32).value();
    const auto c = block.allocate(64).value();
    const auto d = block.allocate(32).value();
    const auto e = block.allocate(32).value();
    block.free(a.handle);
    block.free(b.handle);
    block.free(d.handle);
    CHECK(block.figures().free_range_count == 2);
    CHECK(block.figures().largest_free_range == 96);
    const auto taken = block.allocate(20).value();
    CHECK(taken.offset == d.offset);
    CHECK(taken.size == 32);
    CHECK(block.figures().internal_waste == 12);
    CHECK(block.validate_invariants());
    block.free(taken.handle);
    block.free(c.handle);
    block.free(e.handle);
    CHECK(block.figures().free_range_count == 1);
    CHECK(block.free(e.handle) == FreeOutcome::kInvalidHandle);
}

TEST_CASE("every offset is a multiple of S, and larger alignments are searched for") {
    auto block = BlockBestFitAllocator::create({.capacity = 4096, .block_size = 64}).value();
    CHECK(block.allocate(1, 64).value().offset == 0);
    CHECK(block.allocate(64, 1024).value().offset == 1024);
    CHECK(block.allocate(960, 1).value().offset == 64);
    CHECK(block.allocate(64, 4096).error() == AllocateFailure::kExhausted);
    CHECK(block.allocate_at(2048, 64).value().offset == 2048);
    CHECK(block.validate_invariants());
}
