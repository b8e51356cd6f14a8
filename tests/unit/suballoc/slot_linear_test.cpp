#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/linear_allocator.hpp"
#include "heapwright/suballoc/slot_allocator.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

TEST_CASE("slots are handed out from the lowest, the last freed first") {
    auto slots = SlotAllocator::create({.capacity = 100, .slot_size = 24}).value();
    CHECK(slots.capacity() == 96);
    const auto a = slots.allocate(24).value();
    const auto b = slots.allocate(10, 8).value();
    CHECK(a.offset == 0);
    CHECK(b.offset == 24);
    CHECK(slots.figures().internal_waste == 14);
    CHECK(slots.free(a.handle) == FreeOutcome::kFreed);
    CHECK(slots.free(a.handle) == FreeOutcome::kInvalidHandle);
    CHECK(slots.allocate(1).value().offset == 0);
    CHECK(slots.free(a.handle) == FreeOutcome::kInvalidHandle);
    CHECK(slots.allocate(25).error() == AllocateFailure::kTooLarge);
    CHECK(slots.allocate(1, 16).error() == AllocateFailure::kBadAlignment);
    CHECK(slots.allocate(0).error() == AllocateFailure::kZeroSize);
    REQUIRE(slots.allocate(24));
    REQUIRE(slots.allocate(24));
    CHECK(slots.allocate(24).error() == AllocateFailure::kExhausted);
    CHECK(slots.validate_invariants());
}

TEST_CASE("a stack falls as far as its top is free") {
    //   aabbcc  free b: deferred;  free c: b goes with it;  aa....
    auto stack = LinearAllocator::create({.capacity = 6}).value();
    const auto a = stack.allocate(2).value();
    const auto b = stack.allocate(2).value();
    const auto c = stack.allocate(2).value();
    CHECK(stack.allocate(1).error() == AllocateFailure::kExhausted);
    CHECK(stack.free(b.handle) == FreeOutcome::kDeferred);
    CHECK(stack.free(b.handle) == FreeOutcome::kInvalidHandle);
    CHECK(stack.figures().internal_waste == 2);
    CHECK(stack.free(c.handle) == FreeOutcome::kFreed);
    CHECK(stack.used() == 2);
    CHECK(stack.free(c.handle) == FreeOutcome::kInvalidHandle);
    CHECK(stack.free(a.handle) == FreeOutcome::kFreed);
    CHECK(stack.allocate(6).has_value());
    CHECK(stack.validate_invariants());
}

TEST_CASE("a rollback frees what came after its marker and refuses a marker that fell") {
    auto stack = LinearAllocator::create({.capacity = 1024}).value();
    const auto a = stack.allocate(3).value();
    const auto marker = stack.marker();
    const auto b = stack.allocate(16, 16).value();
    CHECK(b.offset == 16);
    CHECK(stack.figures().internal_waste == 13);
    REQUIRE(stack.rollback(marker));
    CHECK(stack.used() == 3);
    CHECK(stack.free(b.handle) == FreeOutcome::kInvalidHandle);
    stack.free(a.handle);
    REQUIRE(stack.allocate(5));
    CHECK(stack.rollback(marker).error().code == ErrorCode::kInvalidArgument);
    stack.reset();
    CHECK(stack.is_empty());
    CHECK(stack.allocate(1024).has_value());
}
