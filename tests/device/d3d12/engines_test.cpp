// Work on several engines: waits that are submitted before what they wait for, and memory that changes hands.
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/checked.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::TimelinePoint;
using device::Work;

std::uint32_t first_word(std::span<const std::byte> bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
}

// copy engine: fill A, signal 1; compute: A -> B once 1, signal 2; graphics: B -> C once 2, signal 3. Submitted from
// the last to the first, again and again.
TEST_CASE("a chain over three engines runs in order although it is submitted backwards", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    constexpr std::uint64_t kBytes = 1 << 20;
    const device::ResourceId a = device.host_buffer(kBytes);
    const device::ResourceId b = device.host_buffer(kBytes);
    const device::ResourceId c = device.host_buffer(kBytes);
    auto timeline = device->create_timeline(0);
    REQUIRE(timeline);
    device::Timeline* const line = timeline->get();
    for (std::uint32_t round = 0; round < 20; ++round) {
        const std::uint64_t base = 3 * round;
        const TimelinePoint points[] = {{line, {base + 1}}, {line, {base + 2}}, {line, {base + 3}}};
        const Work fill = device::FillBuffer{.buffer = a, .size_bytes = kBytes, .value = 100 + round};
        const Work forth = device::CopyBuffer{.source = a, .destination = b, .size_bytes = kBytes};
        const Work on = device::CopyBuffer{.source = b, .destination = c, .size_bytes = kBytes};
        auto& submitter = device->submitter();
        REQUIRE(submitter.submit({.engine = {0},
                                  .waits = std::span(&points[1], 1),
                                  .work = std::span(&on, 1),
                                  .signals = std::span(&points[2], 1)}));
        REQUIRE(submitter.submit({.engine = {1},
                                  .waits = std::span(&points[0], 1),
                                  .work = std::span(&forth, 1),
                                  .signals = std::span(&points[1], 1)}));
        REQUIRE(submitter.submit(
            {.engine = {2}, .waits = {}, .work = std::span(&fill, 1), .signals = std::span(&points[0], 1)}));
        const Status waited = line->wait({base + 3}, kTimeoutNs);
        if (!waited) FAIL(to_string(waited.error()));
        CHECK(first_word(device.bytes(c)) == 100 + round);
        CHECK(first_word(device.bytes(c).subspan(kBytes - 4)) == 100 + round);
    }
    REQUIRE(device->submitter().wait_idle());
    timeline->reset();
    const device::ResourceId resources[] = {a, b, c};
    device.close(resources);
}

TEST_CASE("nothing passes a submission that is held back", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(4096);
    auto go = device->create_timeline(0);
    REQUIRE(go);
    const TimelinePoint wait{.timeline = go->get(), .value = {1}};
    const Work first = device::FillBuffer{.buffer = buffer, .size_bytes = 4096, .value = 1};
    const Work second = device::FillBuffer{.buffer = buffer, .size_bytes = 4096, .value = 2};
    std::memset(device.bytes(buffer).data(), 0, 4096);
    REQUIRE(device->submitter().submit(
        {.engine = {}, .waits = std::span(&wait, 1), .work = std::span(&first, 1), .signals = {}}));
    REQUIRE(device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&second, 1), .signals = {}}));
    CHECK((*go)->wait({1}, 20'000'000).error().code == ErrorCode::kTimeLimit);
    CHECK(first_word(device.bytes(buffer)) == 0);
    REQUIRE((*go)->signal({1}));
    REQUIRE(device->submitter().wait_idle());
    CHECK(first_word(device.bytes(buffer)) == 2);
    go->reset();
    device.close(std::span(&buffer, 1));
}

TEST_CASE("a device closes although a submission waits for a signal that nobody gives", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    auto never = device->create_timeline(0);
    REQUIRE(never);
    const TimelinePoint wait{.timeline = never->get(), .value = {1}};
    REQUIRE(device->submitter().submit({.engine = {}, .waits = std::span(&wait, 1), .work = {}, .signals = {}}));
    never->reset();
    device.close();
}

TEST_CASE("memory passes from a texture to a buffer and on to a target", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    constexpr model::Flags kTransfers = model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    const model::ImageDescription texture{
        .usage = kTransfers | model::image_usage::kSampled, .width = 128, .height = 128};
    const model::ImageDescription target{
        .usage = kTransfers | model::image_usage::kColorAttachment, .width = 128, .height = 128};
    const model::BufferDescription plain{.size_bytes = 65536, .usage = kBothTransfers};
    const auto memory = device->memory().allocate({.memory_type = {0}, .size_bytes = 1 << 20});
    REQUIRE(memory);
    const device::ResourceId readback = device.host_buffer(65536);
    for (int round = 0; round < 5; ++round) {
        for (const model::ResourceDescription& description :
             {model::ResourceDescription(texture), model::ResourceDescription(plain),
              model::ResourceDescription(target)}) {
            const auto placed = device->resources().create_placed(description, *memory, 0);
            if (!placed) FAIL(to_string(placed.error()));
            std::vector<Work> work;
            if (std::holds_alternative<model::BufferDescription>(description)) {
                work = {device::FillBuffer{.buffer = *placed, .size_bytes = 65536, .value = 0xffffffff},
                        device::CopyBuffer{.source = *placed, .destination = readback, .size_bytes = 65536}};
            } else {
                constexpr std::uint32_t kOne = 0x3f800000;
                work = {device::ClearImage{.image = *placed, .value = {kOne, kOne, kOne, kOne}},
                        device::CopyImageToBuffer{.image = *placed, .buffer = readback}};
            }
            std::memset(device.bytes(readback).data(), 0, 65536);
            device.run(work);
            CHECK(first_word(device.bytes(readback)) == 0xffffffff);
            CHECK(first_word(device.bytes(readback).subspan(65532)) == 0xffffffff);
            device->resources().destroy(*placed);
        }
    }
    device->memory().free(*memory);
    device.close(std::span(&readback, 1));
}

}  // namespace
}  // namespace heapwright::test
