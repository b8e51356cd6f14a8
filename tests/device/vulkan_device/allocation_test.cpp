#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "opened_device.hpp"

namespace heapwright::test {
namespace {

// Where the limit is too high to be reached, more allocations than the specification's least maximum must succeed.
TEST_CASE("the allocation count limit is obeyed, and nothing less than it", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    VkPhysicalDeviceProperties properties{};
    device.instance().functions().get_properties(device.physical(), &properties);
    const std::uint32_t limit = properties.limits.maxMemoryAllocationCount;
    constexpr std::uint32_t kReachable = 8192;
    constexpr std::uint32_t kLeastMaximum = 4096;
    std::vector<device::AllocationId> allocations;
    for (std::uint32_t i = 0; i < (limit <= kReachable ? limit : kLeastMaximum + 1); ++i) {
        const auto memory = device->memory().allocate({.memory_type = {0}, .size_bytes = 4096});
        REQUIRE(memory);
        allocations.push_back(*memory);
    }
    if (limit <= kReachable) {
        const auto over = device->memory().allocate({.memory_type = {0}, .size_bytes = 4096});
        REQUIRE_FALSE(over);
        CHECK(over.error().code == ErrorCode::kTooManyObjects);
        CHECK(over.error().limit == limit);
    }
    for (const device::AllocationId memory : allocations) device->memory().free(memory);
    device.close();
}

TEST_CASE("an allocation with device addresses takes a buffer that has one", "[device]") {
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
    const auto memory = device->memory().allocate(
        {.memory_type = *type, .size_bytes = requirements->size_bytes, .device_address = true});
    REQUIRE(memory);
    const auto placed = device->resources().create_placed(buffer, *memory, 0);
    REQUIRE(placed);
    const device::ResourceId dedicated = device.dedicated(buffer);
    device->resources().destroy(*placed);
    device->memory().free(*memory);
    device.close(std::span(&dedicated, 1));
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
