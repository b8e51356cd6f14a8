#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "opened_device.hpp"
#include "vulkan/dispatch_recorder.hpp"
#include "vulkan/memory_source.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/work_plan.hpp"

namespace heapwright::test {
namespace {

using device::Work;

TEST_CASE("independent work is one batch", "[device]") {
    OpenedDevice opened(GENERATE(from_range(kDrivers)));
    {
        auto context = vulkan::OpenDevice::create(opened.instance(), opened.physical());
        REQUIRE(context);
        vulkan::MemoryAllocator memory(**context);
        vulkan::MemorySource source(memory, vulkan::MemorySource::Maps::kAtOnce);
        vulkan::ResourceBinder resources(**context, memory, source);
        const auto layouts = vulkan::DescriptorLayouts::create(**context);
        REQUIRE(layouts);
        vulkan::DescriptorHeaps descriptors(**context, **layouts, memory, resources);
        vulkan::Pipelines pipelines(**context, **layouts);
        vulkan::ShaderPrograms programs(**context);
        const vulkan::WorkObjects objects{.resources = resources,
                                          .layouts = **layouts,
                                          .descriptors = descriptors,
                                          .pipelines = pipelines,
                                          .programs = programs};
        const auto plan_for = [&](std::span<const Work> items, VkQueueFlags queue) {
            return vulkan::plan_work(**context, items, queue, objects, vulkan::FirstLayouts::kTracked);
        };
        const auto chunk = source.allocate({.memory_type = {0}, .size_bytes = 1 << 20});
        REQUIRE(chunk);
        std::vector<device::ResourceId> buffers;
        for (int i = 0; i < 200; ++i) {
            const auto buffer = resources.create_placed(
                model::BufferDescription{.size_bytes = 1024, .usage = kBothTransfers}, *chunk, 4096u * unsigned(i));
            REQUIRE(buffer);
            buffers.push_back(*buffer);
        }
        std::vector<Work> work;
        for (std::size_t i = 0; i < 100; ++i) {
            work.emplace_back(device::FillBuffer{.buffer = buffers[i], .size_bytes = 1024, .value = 1});
        }
        for (std::size_t i = 0; i < 100; ++i) {
            work.emplace_back(
                device::CopyBuffer{.source = buffers[i], .destination = buffers[100 + i], .size_bytes = 1024});
        }
        const auto plan = plan_for(work, VK_QUEUE_GRAPHICS_BIT);
        REQUIRE(plan);
        REQUIRE(plan->batches.size() == 2);
        CHECK(plan->batches[0].end == 100);
        CHECK(plan->batches[1].end == 200);
        CHECK(plan->resources.size() == 200);

        const auto image = resources.create_placed(
            model::ImageDescription{.usage = 0x3, .width = 4, .height = 4, .mip_levels = 3}, *chunk, 0);
        if (image) {
            std::vector<Work> mips;
            for (const std::uint32_t mip : {0u, 1u, 2u}) {
                mips.emplace_back(device::CopyBufferToImage{
                    .buffer = buffers[0], .image = *image, .subresource = {.mip_level = mip}});
            }
            mips.emplace_back(device::ClearImage{.image = *image, .value = {}});
            mips.emplace_back(device::CopyImageToBuffer{.image = *image, .buffer = buffers[1]});
            const auto image_plan = plan_for(mips, VK_QUEUE_GRAPHICS_BIT);
            REQUIRE(image_plan);
            REQUIRE(image_plan->batches.size() == 3);
            CHECK(image_plan->batches[0].end == 3);
            CHECK(image_plan->batches[0].layout_changes.size() == 1);
            CHECK(image_plan->batches[1].layout_changes.empty());
            CHECK(image_plan->batches[2].layout_changes.size() == 1);
            const Work clear = device::ClearImage{.image = *image, .value = {}};
            const auto refused = plan_for(std::span(&clear, 1), VK_QUEUE_TRANSFER_BIT);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::kNotSupported);
        }
    }
    opened.close();
}

}  // namespace
}  // namespace heapwright::test
