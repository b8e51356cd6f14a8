// Resources that are created first and get their memory later, and what is remembered of them, on each driver.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/random.hpp"
#include "opened_device.hpp"
#include "vulkan/format_map.hpp"

namespace heapwright::test {
namespace {

constexpr model::Flags kBufferUsage = model::buffer_usage::kVertex | model::buffer_usage::kTransferDst;
constexpr model::Flags kSampledUsage = model::image_usage::kSampled | model::image_usage::kTransferDst;

TEST_CASE("a begun resource is bound in a device allocation or gets memory of its own, or is cancelled", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const model::ResourceDescription buffer = model::BufferDescription{.size_bytes = 5000, .usage = kBufferUsage};
    const model::ResourceDescription image = model::ImageDescription{.usage = kSampledUsage, .width = 33, .height = 17};
    device::ResourceBinder& binder = device->resources();
    for (const model::ResourceDescription& resource : {buffer, image, buffer, image}) {
        const auto begun = binder.begin(resource);
        REQUIRE(begun);
        CHECK(begun->requirements == binder.requirements(resource));
        const auto type = device.memory_type(begun->requirements.memory_type_bits, 0);
        REQUIRE(type);
        const auto memory = device->memory().allocate(
            {.memory_type = *type, .size_bytes = begun->requirements.size_bytes, .device_address = true});
        REQUIRE(memory);
        CHECK_FALSE(binder.bind_placed(*begun, resource, device::AllocationId{~0ull}, 0));
        const auto placed = binder.bind_placed(*begun, resource, *memory, 0);
        REQUIRE(placed);

        const auto alone = binder.begin(resource);
        REQUIRE(alone);
        CHECK_FALSE(binder.bind_dedicated(*alone, resource, MemoryTypeIndex{40}, 0.5f));
        const auto dedicated = binder.bind_dedicated(*alone, resource, *type, 0.5f);
        REQUIRE(dedicated);

        const auto cancelled = binder.begin(resource);
        REQUIRE(cancelled);
        CHECK(device.live().resources == 3);
        binder.cancel(*cancelled);
        CHECK(device.live().resources == 2);
        binder.destroy(*placed);
        binder.destroy(*dedicated);
        device->memory().free(*memory);
    }
    const auto refused = binder.begin(model::BufferDescription{.size_bytes = 0, .usage = kBufferUsage});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    device.close();
}

// What is remembered of one buffer is said of others: never less than the driver asks for, here and on this driver
// exactly that.
TEST_CASE("what is remembered of buffers and images is what the driver would say again", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto plain = vulkan::OpenDevice::create(device.instance(), device.physical());
    REQUIRE(plain);
    if (!(*plain)->enabled.maintenance4) SKIP("no maintenance4");
    Random random(3);
    for (int i = 0; i < 300; ++i) {
        const model::BufferDescription buffer{
            .size_bytes = random.between(1, 1ull << random.between(1, 22)),
            .usage = random.below(2) == 0 ? kBufferUsage : model::buffer_usage::kIndex};
        VkMemoryRequirements2 asked{};
        asked.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
        const VkBufferCreateInfo info = vulkan::buffer_create_info(buffer, (*plain)->queue_families);
        const VkDeviceBufferMemoryRequirements of{
            .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pNext = nullptr, .pCreateInfo = &info};
        (*plain)->call.vkGetDeviceBufferMemoryRequirements((*plain)->handle, &of, &asked);
        const auto begun = device->resources().begin(buffer);
        REQUIRE(begun);
        CAPTURE(i, buffer.size_bytes, buffer.usage);
        CHECK(begun->requirements.size_bytes == asked.memoryRequirements.size);
        CHECK(begun->requirements.alignment_bytes == asked.memoryRequirements.alignment);
        CHECK(begun->requirements.memory_type_bits == asked.memoryRequirements.memoryTypeBits);
        device->resources().cancel(*begun);
    }
    device.close();
}

}  // namespace
}  // namespace heapwright::test
