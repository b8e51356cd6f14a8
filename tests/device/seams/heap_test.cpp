// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <algorithm>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/units.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

constexpr std::uint32_t kAnyType = ~0u;

TEST_CASE("a heap is allocated, mapped once and freed", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::MemorySource& heaps = device->heaps();
    const auto type = device.memory_type(kAnyType, model::memory_property::kHostVisible);
    REQUIRE(type);
    const auto heap = heaps.allocate({.memory_type = *type, .size_bytes = kMiB, .priority = 0.75f});
    REQUIRE(heap);
    const auto mapped = heaps.map(*heap);
    REQUIRE(mapped);
    CHECK(mapped->size() == kMiB);
    std::fill(mapped->begin(), mapped->end(), std::byte{0x5a});
    CHECK(heaps.map(*heap)->data() == mapped->data());
    CHECK(heaps.flush(*heap, 3, 70));
    CHECK(heaps.invalidate(*heap, kMiB - 1, 1));
    CHECK(std::all_of(mapped->begin(), mapped->end(), [](std::byte byte) { return byte == std::byte{0x5a}; }));

    heaps.free(*heap);
    const auto stale = heaps.map(*heap);
    REQUIRE_FALSE(stale);
    CHECK(stale.error().code == ErrorCode::kInvalidArgument);
    device.close();
}

TEST_CASE("budgets name every memory heap and follow allocations", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto before = device->heaps().budgets();
    REQUIRE(before);
    REQUIRE_FALSE(before->empty());
    const auto type = device.memory_type(kAnyType, model::memory_property::kDeviceLocal);
    REQUIRE(type);
    const auto heap = device->heaps().allocate({.memory_type = *type, .size_bytes = 64 * kMiB});
    REQUIRE(heap);
    const auto after = device->heaps().budgets();
    REQUIRE(after);
    CHECK(after->size() == before->size());
    for (const model::HeapBudget& budget : *after) CHECK(budget.budget_bytes > 0);
    device->heaps().free(*heap);
    device.close();
}

TEST_CASE("impossible allocations are errors that keep nothing", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::MemorySource& heaps = device->heaps();
    const auto code_of = [&heaps](const device::AllocationRequest& request) {
        const auto heap = heaps.allocate(request);
        REQUIRE_FALSE(heap);
        CHECK_FALSE(heap.error().message.empty());
        return heap.error().code;
    };
    CHECK(code_of({.memory_type = {31}, .size_bytes = kMiB}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = 0}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = std::numeric_limits<std::uint64_t>::max()}) == kEndlessHeapError);
    device.close();
}

TEST_CASE("a device that is closed with live objects frees them", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto heap = device->heaps().allocate({.memory_type = {0}, .size_bytes = kMiB});
    REQUIRE(heap);
    const device::ResourceId buffer = device.host_buffer(4096);
    const device::Work work = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 4096, .value = 1};
    REQUIRE(device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&work, 1), .signals = {}}));
    const LiveObjects live = device.live();
    CHECK(live.heaps == 1);
    CHECK(live.resources == 1);
    if (live.allocations) CHECK(*live.allocations == 2);
    device.abandon();
}

}  // namespace
}  // namespace heapwright::test
