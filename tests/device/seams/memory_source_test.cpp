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

TEST_CASE("device memory is allocated, mapped once and freed", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::MemorySource& source = device->memory();
    const auto type = device.memory_type(kAnyType, model::memory_property::kHostVisible);
    REQUIRE(type);
    const auto memory = source.allocate({.memory_type = *type, .size_bytes = kMiB, .priority = 0.75f});
    REQUIRE(memory);
    const auto mapped = source.map(*memory);
    REQUIRE(mapped);
    CHECK(mapped->size() == kMiB);
    std::fill(mapped->begin(), mapped->end(), std::byte{0x5a});
    CHECK(source.map(*memory)->data() == mapped->data());
    CHECK(source.flush(*memory, 3, 70));
    CHECK(source.invalidate(*memory, kMiB - 1, 1));
    CHECK(std::all_of(mapped->begin(), mapped->end(), [](std::byte byte) { return byte == std::byte{0x5a}; }));

    source.free(*memory);
    const auto stale = source.map(*memory);
    REQUIRE_FALSE(stale);
    CHECK(stale.error().code == ErrorCode::kInvalidArgument);
    device.close();
}

TEST_CASE("budgets name every memory heap and follow allocations", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto before = device->memory().budgets();
    REQUIRE(before);
    REQUIRE_FALSE(before->empty());
    const auto type = device.memory_type(kAnyType, model::memory_property::kDeviceLocal);
    REQUIRE(type);
    const auto memory = device->memory().allocate({.memory_type = *type, .size_bytes = 64 * kMiB});
    REQUIRE(memory);
    const auto after = device->memory().budgets();
    REQUIRE(after);
    CHECK(after->size() == before->size());
    for (const model::HeapBudget& budget : *after) CHECK(budget.budget_bytes > 0);
    device->memory().free(*memory);
    device.close();
}

TEST_CASE("impossible allocations are errors that keep nothing", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::MemorySource& source = device->memory();
    const auto code_of = [&source](const device::AllocationRequest& request) {
        const auto memory = source.allocate(request);
        REQUIRE_FALSE(memory);
        CHECK_FALSE(memory.error().message.empty());
        return memory.error().code;
    };
    CHECK(code_of({.memory_type = {31}, .size_bytes = kMiB}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = 0}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = std::numeric_limits<std::uint64_t>::max()}) == kEndlessHeapError);
    device.close();
}

TEST_CASE("a device that is closed with live objects frees them", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto memory = device->memory().allocate({.memory_type = {0}, .size_bytes = kMiB});
    REQUIRE(memory);
    const device::ResourceId buffer = device.host_buffer(4096);
    const device::Work work = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 4096, .value = 1};
    REQUIRE(device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&work, 1), .signals = {}}));
    const LiveObjects live = device.live();
    CHECK(live.source_allocations == 1);
    CHECK(live.resources == 1);
    if (live.allocations) CHECK(*live.allocations == 2);
    device.abandon();
}

}  // namespace
}  // namespace heapwright::test
