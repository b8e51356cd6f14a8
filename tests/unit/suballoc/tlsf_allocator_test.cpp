// Memory maps: one letter a unit of the map, '.' free, '-' padding that stays free.
#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "heapwright/suballoc/tlsf_allocator.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

namespace {

TlsfAllocator make(std::uint64_t capacity, std::uint64_t granule = 1) {
    return TlsfAllocator::create({.capacity = capacity, .granule = granule}).value();
}

}  // namespace

TEST_CASE("an empty block gives its whole capacity, also where no bin begins") {
    for (const std::uint64_t capacity :
         {1ull, 63ull, 64ull, 65ull, 1000ull, 1'000'003ull, (1ull << 40) + 1, 1ull << 62}) {
        auto block = make(capacity);
        const auto whole = block.allocate(capacity);
        REQUIRE(whole);
        CHECK(whole->offset == 0);
        CHECK(whole->size == capacity);
        CHECK(block.allocate(1).error() == AllocateFailure::kExhausted);
        CHECK(block.free(whole->handle) == FreeOutcome::kFreed);
        CHECK(block.largest_free_range() == capacity);
        CHECK(block.validate_invariants());
    }
}

TEST_CASE("an alignment costs only the padding that the place needs") {
    // 16 units: a 1, then b of 8 aligned to 8, then c fills the gap.
    //   a.......bbbbbbbb   the gap behind a stays free
    //   acccccccbbbbbbbb   c of 7 fits exactly
    auto block = make(16);
    const auto a = block.allocate(1);
    const auto b = block.allocate(8, 8);
    REQUIRE(b);
    CHECK(b->offset == 8);
    const auto c = block.allocate(7);
    REQUIRE(c);
    CHECK(c->offset == 1);
    CHECK(block.figures().free == 0);
    CHECK(block.free(a->handle) == FreeOutcome::kFreed);
    CHECK(block.free(c->handle) == FreeOutcome::kFreed);
    CHECK(block.allocate(8, 8).value().offset == 0);
    CHECK(block.validate_invariants());
}

TEST_CASE("an aligned request finds the one place where it just fits") {
    //   aaaaaaaabbbbbbbbaaaaaaaa
    //   aaaaaaaa........aaaaaaaa   8 aligned to 8: a padded request of 15 would fail
    auto block = make(24);
    REQUIRE(block.allocate(8));
    const auto b = block.allocate(8);
    REQUIRE(block.allocate(8));
    block.free(b->handle);
    const auto again = block.allocate(8, 8);
    REQUIRE(again);
    CHECK(again->offset == 8);
}

TEST_CASE("an alignment above the block means offset 0") {
    auto block = make(1000);
    const auto first = block.allocate(10, 1ull << 63);
    REQUIRE(first);
    CHECK(first->offset == 0);
    CHECK(block.allocate(10, 1ull << 63).error() == AllocateFailure::kExhausted);
    CHECK(block.validate_invariants());
}

TEST_CASE("neighbouring free ranges are merged in every order") {
    //   aabbcc -> free two, then the one between or beside them
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& order : orders) {
        auto block = make(6);
        std::vector<Suballocation> made;
        for (int index = 0; index < 3; ++index) made.push_back(block.allocate(2).value());
        for (const int index : order) {
            CHECK(block.free(made[static_cast<std::size_t>(index)].handle) == FreeOutcome::kFreed);
            CHECK(block.validate_invariants());
        }
        CHECK(block.figures().free_range_count == 1);
        CHECK(block.allocate(6).has_value());
    }
}

TEST_CASE("a handle frees once, and not what took its place") {
    auto block = make(64);
    const auto a = block.allocate(8).value();
    CHECK(block.free(a.handle) == FreeOutcome::kFreed);
    CHECK(block.free(a.handle) == FreeOutcome::kInvalidHandle);
    const auto b = block.allocate(8).value();
    CHECK(b.offset == a.offset);
    CHECK(block.free(a.handle) == FreeOutcome::kInvalidHandle);
    CHECK(block.free({}) == FreeOutcome::kInvalidHandle);
    CHECK(block.free({.index = 0, .generation = 0}) == FreeOutcome::kInvalidHandle);
    CHECK(block.free({.index = 4'000'000'000u, .generation = 1}) == FreeOutcome::kInvalidHandle);
    CHECK(block.find(b.handle).value() == b);
    CHECK_FALSE(block.find(a.handle));
    block.reset();
    CHECK(block.free(b.handle) == FreeOutcome::kInvalidHandle);
    CHECK(block.is_empty());
}

TEST_CASE("sizes round up to the granule and the rest counts as waste") {
    auto block = make(4096 + 100, 256);
    CHECK(block.capacity() == 4096);
    const auto a = block.allocate(300).value();
    CHECK(a.size == 512);
    const Figures figures = block.figures();
    CHECK(figures.used == 512);
    CHECK(figures.internal_waste == 212);
    CHECK(block.allocate(1, 128).value().offset == 512);
    block.free(a.handle);
    CHECK(block.figures().internal_waste == 255);
}

TEST_CASE("requests that no block can serve say why") {
    auto block = make(100);
    CHECK(block.allocate(0).error() == AllocateFailure::kZeroSize);
    CHECK(block.allocate(101).error() == AllocateFailure::kTooLarge);
    CHECK(block.allocate(~0ull).error() == AllocateFailure::kTooLarge);
    CHECK(block.allocate(1, 0).error() == AllocateFailure::kBadAlignment);
    CHECK(block.allocate(1, 3).error() == AllocateFailure::kBadAlignment);
    CHECK(to_error(AllocateFailure::kTooLarge, 101, 1, 100).limit == 100);
    CHECK(to_error(AllocateFailure::kExhausted, 5, 1, 100).code == ErrorCode::kExhausted);
}

TEST_CASE("bad options are refused") {
    CHECK(TlsfAllocator::create({.capacity = 0}).error().code == ErrorCode::kInvalidArgument);
    CHECK(TlsfAllocator::create({.capacity = 100, .granule = 3}).error().value == 3);
    CHECK(TlsfAllocator::create({.capacity = 100, .granule = 128}).error().code == ErrorCode::kInvalidArgument);
    CHECK(TlsfAllocator::create({.capacity = ~0ull}).error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("a planned move takes exactly its destination") {
    //   aaaa....bbbb....  ->  aaaa..ccbbbb....
    auto block = make(16);
    const auto a = block.allocate(4).value();
    const auto gap = block.allocate(4).value();
    REQUIRE(block.allocate(4));
    block.free(gap.handle);
    const auto c = block.allocate_at(6, 2);
    REQUIRE(c);
    CHECK(c->offset == 6);
    CHECK(block.allocate_at(7, 1).error() == AllocateFailure::kExhausted);
    CHECK(block.allocate_at(3, 2).error() == AllocateFailure::kExhausted);
    CHECK(block.allocate_at(15, 2).error() == AllocateFailure::kTooLarge);
    CHECK(block.allocate_at(a.offset, 0).error() == AllocateFailure::kZeroSize);
    CHECK(block.validate_invariants());
}
