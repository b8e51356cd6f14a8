#include <algorithm>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "opened_device.hpp"

namespace heapwright::test {
namespace {

constexpr std::uint32_t kAnyType = ~0u;
constexpr std::uint64_t kMiB = 1 << 20;

TEST_CASE("a heap is allocated, mapped once and freed", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::HeapSource& heaps = device->heaps();
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
    device::HeapSource& heaps = device->heaps();
    const auto code_of = [&heaps](const device::HeapRequest& request) {
        const auto heap = heaps.allocate(request);
        REQUIRE_FALSE(heap);
        CHECK_FALSE(heap.error().message.empty());
        return heap.error().code;
    };
    CHECK(code_of({.memory_type = {31}, .size_bytes = kMiB}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = 0}) == ErrorCode::kInvalidArgument);
    CHECK(code_of({.memory_type = {0}, .size_bytes = std::numeric_limits<std::uint64_t>::max()}) ==
          ErrorCode::kInvalidArgument);
    device.close();
}

// Where the limit is too high to be reached, more allocations than the specification's least maximum must succeed.
TEST_CASE("the allocation count limit is obeyed, and nothing less than it", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    VkPhysicalDeviceProperties properties{};
    device.instance().functions().get_properties(device.physical(), &properties);
    const std::uint32_t limit = properties.limits.maxMemoryAllocationCount;
    constexpr std::uint32_t kReachable = 8192;
    constexpr std::uint32_t kLeastMaximum = 4096;
    std::vector<device::HeapId> heaps;
    for (std::uint32_t i = 0; i < (limit <= kReachable ? limit : kLeastMaximum + 1); ++i) {
        const auto heap = device->heaps().allocate({.memory_type = {0}, .size_bytes = 4096});
        REQUIRE(heap);
        heaps.push_back(*heap);
    }
    if (limit <= kReachable) {
        const auto over = device->heaps().allocate({.memory_type = {0}, .size_bytes = 4096});
        REQUIRE_FALSE(over);
        CHECK(over.error().code == ErrorCode::kTooManyObjects);
        CHECK(over.error().limit == limit);
    }
    for (const device::HeapId heap : heaps) device->heaps().free(heap);
    device.close();
}

TEST_CASE("a heap with device addresses takes a buffer that has one", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const model::BufferDescription buffer{
        .size_bytes = 4096, .usage = model::buffer_usage::kStorage | model::buffer_usage::kShaderDeviceAddress};
    const auto requirements = device->resources().requirements(buffer);
    if (!requirements) {
        CHECK(requirements.error().code == ErrorCode::kNotSupported);
        SKIP("no device addresses: " << to_string(requirements.error()));
    }
    const auto type = device.memory_type(requirements->memory_type_bits, 0);
    REQUIRE(type);
    const auto heap = device->heaps().allocate(
        {.memory_type = *type, .size_bytes = requirements->size_bytes, .device_address = true});
    REQUIRE(heap);
    const auto placed = device->resources().create_placed(buffer, *heap, 0);
    REQUIRE(placed);
    const device::ResourceId dedicated = device.dedicated(buffer);
    device->resources().destroy(*placed);
    device->heaps().free(*heap);
    device.close(std::span(&dedicated, 1));
}

TEST_CASE("a device that is closed with live objects frees them", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto heap = device->heaps().allocate({.memory_type = {0}, .size_bytes = kMiB});
    REQUIRE(heap);
    const device::ResourceId buffer = device.host_buffer(4096);
    const device::Work work = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 4096, .value = 1};
    REQUIRE(device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&work, 1), .signals = {}}));
    const auto live = vulkan::live_objects(*device);
    REQUIRE(live);
    CHECK(live->heaps == 1);
    CHECK(live->resources == 1);
    CHECK(live->allocations == 2);
    device.abandon();
}

TEST_CASE("two devices of one instance are open at once", "[device]") {
    OpenedDevice first(GENERATE(from_range(kDrivers)));
    auto second = vulkan::open_device(first.instance(), first.physical(), {}, {.validation_layers = true});
    REQUIRE(second);
    auto timeline = (*second)->create_timeline(0);
    REQUIRE(timeline);
    const device::TimelinePoint foreign{.timeline = timeline->get(), .value = {1}};
    const Status refused =
        first->submitter().submit({.engine = {}, .waits = {}, .work = {}, .signals = std::span(&foreign, 1)});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    REQUIRE((*second)->submitter().submit({.engine = {}, .waits = {}, .work = {}, .signals = std::span(&foreign, 1)}));
    CHECK((*timeline)->wait({1}, kTimeoutNs));
    timeline->reset();
    second->reset();
    first.close();
}

}  // namespace
}  // namespace heapwright::test
