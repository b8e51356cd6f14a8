#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "heapwright/vulkan/device_context.hpp"
#include "heapwright/vulkan/device_memory.hpp"
#include "heapwright/vulkan/dispatch_recorder.hpp"
#include "heapwright/vulkan/work_plan.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::Work;

std::uint32_t word_at(std::span<const std::byte> bytes, std::uint64_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

TEST_CASE("engine 0 comes first and every engine does copies", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto engines = device->submitter().engines();
    REQUIRE_FALSE(engines.empty());
    CHECK(engines[0].kind != device::EngineKind::kCopy);
    const device::ResourceId buffer = device.host_buffer(64);
    for (std::uint32_t i = 0; i < engines.size(); ++i) {
        const Work fill = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 64, .value = 40 + i};
        device.run(std::span(&fill, 1), {i});
        CHECK(word_at(device.bytes(buffer), 60) == 40 + i);
    }
    device.close(std::span(&buffer, 1));
}

TEST_CASE("five hundred submissions use a few command buffers again", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(2048);
    auto timeline = device->create_timeline(0);
    REQUIRE(timeline);
    for (std::uint64_t i = 1; i <= 500; ++i) {
        const Work fill = device::FillBuffer{
            .buffer = buffer, .offset_bytes = (i - 1) * 4, .size_bytes = 4, .value = static_cast<std::uint32_t>(i)};
        const device::TimelinePoint done{.timeline = timeline->get(), .value = {i}};
        REQUIRE(device->submitter().submit(
            {.engine = {}, .waits = {}, .work = std::span(&fill, 1), .signals = std::span(&done, 1)}));
        // Eight in flight, as an engine with frames would have.
        if (i > 8) REQUIRE((*timeline)->wait({i - 8}, kTimeoutNs));
    }
    REQUIRE(device->submitter().wait_idle());
    CHECK((*timeline)->completed()->value == 500);
    const auto live = vulkan::live_objects(*device);
    REQUIRE(live);
    CHECK(live->command_buffers <= 10);
    const auto bytes = device.bytes(buffer);
    int wrong = 0;
    for (std::uint32_t i = 0; i < 500; ++i) wrong += word_at(bytes, i * 4) == i + 1 ? 0 : 1;
    CHECK(wrong == 0);
    timeline->reset();
    device.close(std::span(&buffer, 1));
}

TEST_CASE("more submissions than are waited for still all run", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(64);
    for (std::uint32_t i = 0; i < 1500; ++i) {
        const Work fill = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 64, .value = i};
        REQUIRE(device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&fill, 1), .signals = {}}));
    }
    REQUIRE(device->submitter().wait_idle());
    CHECK(word_at(device.bytes(buffer), 0) == 1499);
    device.close(std::span(&buffer, 1));
}

TEST_CASE("items of one submission see what earlier ones wrote", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(4096);
    // A chain in which every copy needs the one before it, and overwrites that end where they began.
    std::vector<Work> work{device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 64, .value = 7}};
    for (std::uint64_t i = 0; i < 63; ++i) {
        work.emplace_back(device::CopyBuffer{.source = buffer,
                                             .destination = buffer,
                                             .source_offset_bytes = i * 64,
                                             .destination_offset_bytes = (i + 1) * 64,
                                             .size_bytes = 64});
    }
    for (std::uint32_t i = 0; i < 50; ++i) {
        work.emplace_back(device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 64, .value = i});
    }
    device.run(work);
    const auto bytes = device.bytes(buffer);
    CHECK(word_at(bytes, 0) == 49);
    CHECK(word_at(bytes, 64) == 7);
    CHECK(word_at(bytes, 4092) == 7);
    device.close(std::span(&buffer, 1));
}

TEST_CASE("independent work is one batch", "[device]") {
    OpenedDevice opened(GENERATE(from_range(kDrivers)));
    {
        auto context = vulkan::DeviceContext::create(opened.instance(), opened.physical());
        REQUIRE(context);
        vulkan::MemoryAllocator memory(**context);
        vulkan::HeapSource heaps(memory);
        vulkan::ResourceBinder resources(**context, memory, heaps);
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
        const auto heap = heaps.allocate({.memory_type = {0}, .size_bytes = 1 << 20});
        REQUIRE(heap);
        std::vector<device::ResourceId> buffers;
        for (int i = 0; i < 200; ++i) {
            const auto buffer = resources.create_placed(
                model::BufferDescription{.size_bytes = 1024, .usage = kBothTransfers}, *heap, 4096u * unsigned(i));
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
            model::ImageDescription{.usage = 0x3, .width = 4, .height = 4, .mip_levels = 3}, *heap, 0);
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

TEST_CASE("work that cannot be done is refused and queues nothing", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(256);
    const device::ResourceId image =
        device.dedicated(model::ImageDescription{.usage = 0x3, .width = 16, .height = 16, .mip_levels = 2});
    const auto code_of = [&](const Work& work, device::EngineId engine = {}) {
        const Work items[] = {device::FillBuffer{.buffer = buffer, .size_bytes = 256, .value = 0xbad}, work};
        const Status status = device->submitter().submit({.engine = engine, .waits = {}, .work = items, .signals = {}});
        REQUIRE_FALSE(status);
        INFO(to_string(status.error()));
        CHECK_FALSE(status.error().message.empty());
        return status.error().code;
    };
    using namespace device;
    CHECK(code_of(FillBuffer{.buffer = {99}, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code_of(FillBuffer{.buffer = image, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code_of(FillBuffer{.buffer = buffer, .offset_bytes = 2, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code_of(FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 0}) == ErrorCode::kInvalidArgument);
    CHECK(code_of(FillBuffer{.buffer = buffer, .offset_bytes = 256, .size_bytes = 4}) == ErrorCode::kOutOfRange);
    CHECK(code_of(FillBuffer{.buffer = buffer, .offset_bytes = 4, .size_bytes = ~3ull}) == ErrorCode::kOutOfRange);
    CHECK(
        code_of(CopyBuffer{.source = buffer, .destination = buffer, .destination_offset_bytes = 8, .size_bytes = 16}) ==
        ErrorCode::kInvalidArgument);
    CHECK(code_of(CopyImageToBuffer{.image = image, .buffer = buffer}) == ErrorCode::kOutOfRange);
    CHECK(code_of(CopyImageToBuffer{.image = image, .buffer = buffer, .subresource = {.mip_level = 2}}) ==
          ErrorCode::kOutOfRange);
    CHECK(code_of(CopyImageToBuffer{
              .image = image, .buffer = buffer, .subresource = {.mip_level = 1, .stencil_aspect = true}}) ==
          ErrorCode::kInvalidArgument);
    CHECK(code_of(CopyImage{.source = image, .destination = image}) == ErrorCode::kInvalidArgument);
    CHECK(code_of(FillBuffer{.buffer = buffer, .size_bytes = 4}, {1000}) == ErrorCode::kInvalidArgument);

    const ResourceId compressed = [&] {
        const auto created = device->resources().create_dedicated(
            model::ImageDescription{
                .format = model::Format::kBc1RgbaUnormBlock, .usage = 0x7, .width = 16, .height = 16},
            {0}, 0.5f);
        return created ? *created : ResourceId{};
    }();
    if (compressed != ResourceId{}) CHECK(code_of(ClearImage{.image = compressed}) == ErrorCode::kNotSupported);

    REQUIRE(device->submitter().wait_idle());
    CHECK(word_at(device.bytes(buffer), 0) != 0xbad);
    const ResourceId resources[] = {buffer, image, compressed};
    device.close(resources);
}

}  // namespace
}  // namespace heapwright::test
