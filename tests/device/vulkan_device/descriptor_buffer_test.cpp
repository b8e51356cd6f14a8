// How long descriptor buffers are.
#include <array>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "opened_device.hpp"
#include "vulkan/descriptor_buffer_store.hpp"

namespace heapwright::test {
namespace {

using vulkan::ArrayLayout;
using vulkan::plan_buffer;

TEST_CASE("arrays begin at the alignment and hold their descriptors") {
    const std::array arrays{ArrayLayout{.first_byte = 0, .descriptor_bytes = 24},
                            ArrayLayout{.first_byte = 16, .descriptor_bytes = 32}};
    const auto plan = plan_buffer(arrays, 10, 64, 0);
    CHECK(plan.offsets == std::vector<std::uint64_t>{0, 256});
    CHECK(plan.size_bytes == 256 + 16 + 320);
    CHECK(plan_buffer(arrays, 10, 0, 0).offsets == std::vector<std::uint64_t>{0, 240});
    CHECK(plan_buffer({}, 10, 64, 100).size_bytes == 0);
}

TEST_CASE("a set whose layout is larger than its one descriptor fits behind its offset") {
    // As on a device whose samplers take 4 bytes, whose offsets are multiples of 64, and whose sets are longer.
    const std::array sampler{ArrayLayout{.first_byte = 0, .descriptor_bytes = 4}};
    CHECK(plan_buffer(sampler, 1, 64, 0).size_bytes == 4);
    for (const std::uint64_t set_bytes : {4u, 32u, 64u, 65u, 4096u}) {
        const auto plan = plan_buffer(sampler, 1, 64, set_bytes);
        CHECK(plan.size_bytes >= set_bytes);
        CHECK(plan.size_bytes % 64 == 0);
        CHECK(plan.size_bytes < set_bytes + 64);
    }
    const std::array two{ArrayLayout{.descriptor_bytes = 100}, ArrayLayout{.descriptor_bytes = 4}};
    CHECK(plan_buffer(two, 1, 64, 48).size_bytes == 128 + 64);
}

TEST_CASE("the static sampler's buffer holds the set that the driver lays out", "[device]") {
    OpenedDevice opened(GENERATE(from_range(kDrivers)));
    {
        auto context = vulkan::OpenDevice::create(opened.instance(), opened.physical());
        REQUIRE(context);
        if ((*context)->descriptors.is(device::DescriptorForm::kDescriptorBuffer)) {
            vulkan::MemoryAllocator memory(**context);
            const auto layouts = vulkan::DescriptorLayouts::create(**context);
            REQUIRE(layouts);
            CHECK((*layouts)->static_sampler_set_bytes() > 0);
            const auto store = vulkan::DescriptorBufferStore::create_static_sampler(**context, **layouts, memory);
            REQUIRE(store);
            const auto& made = dynamic_cast<const vulkan::DescriptorBufferStore&>(**store);
            CHECK(made.size_bytes() >= made.offset_of_array(0) + (*layouts)->static_sampler_set_bytes());
        }
    }
    opened.close();
}

}  // namespace
}  // namespace heapwright::test
