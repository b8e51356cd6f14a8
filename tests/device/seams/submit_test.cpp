// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

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

TEST_CASE("five hundred submissions use a few command lists again", "[device]") {
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
    CHECK(device.live().command_lists <= 10);
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
