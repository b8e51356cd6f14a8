// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <cstring>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::TimelinePoint;
using device::Work;

TEST_CASE("the host signals, waits and times out", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    auto timeline = device->create_timeline(5);
    REQUIRE(timeline);
    CHECK((*timeline)->completed()->value == 5);
    CHECK((*timeline)->wait({5}, 0));
    const Status late = (*timeline)->wait({6}, 2'000'000);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::kTimeLimit);
    REQUIRE((*timeline)->signal({9}));
    CHECK((*timeline)->wait({8}, 0));
    CHECK((*timeline)->completed()->value == 9);
    const Status backwards = (*timeline)->signal({9});
    REQUIRE_FALSE(backwards);
    CHECK(backwards.error().code == ErrorCode::kInvalidArgument);
    timeline->reset();
    device.close();
}

TEST_CASE("a submission waits for the host and another for the first one", "[device]") {
    const char* const driver = GENERATE(from_range(kDrivers));
    // Version 1.3.239 of the layer times out, and says so as an error, when one thread waits for what another thread's
    // host signal sets off (KhronosGroup/Vulkan-ValidationLayers, pull request 8519). With it, the signal comes first.
    const bool signal_while_waiting = GENERATE(false, true);
    OpenedDevice device(driver, !signal_while_waiting);
    const device::ResourceId buffer = device.host_buffer(64);
    const device::ResourceId copy = device.host_buffer(64);
    std::memset(device.bytes(copy).data(), 0, 64);
    auto go = device->create_timeline(0);
    auto done = device->create_timeline(0);
    REQUIRE(go);
    REQUIRE(done);
    const auto point = [](auto& timeline, std::uint64_t value) {
        return TimelinePoint{.timeline = timeline->get(), .value = {value}};
    };
    const TimelinePoint started = point(go, 1);
    const TimelinePoint filled = point(done, 1);
    const TimelinePoint copied[] = {point(done, 2), point(go, 7)};
    const Work fill = device::FillBuffer{.buffer = buffer, .size_bytes = 64, .value = 0xabcdef01};
    const Work move = device::CopyBuffer{.source = buffer, .destination = copy, .size_bytes = 64};
    const auto last = static_cast<std::uint32_t>(device->submitter().engines().size() - 1);
    REQUIRE(device->submitter().submit({.engine = {},
                                        .waits = std::span(&started, 1),
                                        .work = std::span(&fill, 1),
                                        .signals = std::span(&filled, 1)}));
    REQUIRE(device->submitter().submit(
        {.engine = {last}, .waits = std::span(&filled, 1), .work = std::span(&move, 1), .signals = copied}));
    const Status early = (*done)->wait({2}, 20'000'000);
    REQUIRE_FALSE(early);
    CHECK(early.error().code == ErrorCode::kTimeLimit);
    CHECK((*done)->completed()->value == 0);

    std::thread host([&go] { static_cast<void>((*go)->signal({1})); });
    if (!signal_while_waiting) host.join();
    const Status waited = (*done)->wait({2}, kTimeoutNs);
    if (signal_while_waiting) host.join();
    REQUIRE(waited);
    CHECK((*go)->wait({7}, kTimeoutNs));
    std::uint32_t word = 0;
    std::memcpy(&word, device.bytes(copy).data() + 60, sizeof word);
    CHECK(word == 0xabcdef01);
    go->reset();
    done->reset();
    const device::ResourceId resources[] = {buffer, copy};
    device.close(resources);
}

TEST_CASE("a submission without work signals when its waits are over", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    auto timeline = device->create_timeline(0);
    REQUIRE(timeline);
    const TimelinePoint wait{.timeline = timeline->get(), .value = {1}};
    const TimelinePoint signal{.timeline = timeline->get(), .value = {2}};
    REQUIRE(device->submitter().submit(
        {.engine = {}, .waits = std::span(&wait, 1), .work = {}, .signals = std::span(&signal, 1)}));
    REQUIRE((*timeline)->signal({1}));
    CHECK((*timeline)->wait({2}, kTimeoutNs));
    timeline->reset();
    device.close();
}

// The device gives the signals of a submission one by one.
TEST_CASE("once the device is idle every signal has been given", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const auto engine_count = static_cast<std::uint32_t>(device->submitter().engines().size());
    auto first = device->create_timeline(0);
    auto second = device->create_timeline(0);
    REQUIRE(first);
    REQUIRE(second);
    std::uint64_t missed = 0;
    for (std::uint64_t i = 1; i <= 500; ++i) {
        const TimelinePoint signals[] = {{.timeline = first->get(), .value = {i}},
                                         {.timeline = second->get(), .value = {i}}};
        const device::EngineId engine{static_cast<std::uint32_t>(i % engine_count)};
        REQUIRE(device->submitter().submit({.engine = engine, .waits = {}, .work = {}, .signals = signals}));
        REQUIRE(device->submitter().wait_idle());
        for (const TimelinePoint& signal : signals) {
            if (signal.timeline->completed()->value != i) ++missed;
        }
    }
    CHECK(missed == 0);
    first->reset();
    second->reset();
    device.close();
}

TEST_CASE("a timeline may end before the submission that signals it", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const device::ResourceId buffer = device.host_buffer(1 << 20);
    for (int i = 0; i < 20; ++i) {
        auto timeline = device->create_timeline(0);
        REQUIRE(timeline);
        const TimelinePoint done{.timeline = timeline->get(), .value = {1}};
        const Work fill = device::FillBuffer{.buffer = buffer, .size_bytes = 1 << 20, .value = 3};
        REQUIRE(device->submitter().submit(
            {.engine = {}, .waits = {}, .work = std::span(&fill, 1), .signals = std::span(&done, 1)}));
    }
    REQUIRE(device->submitter().wait_idle());
    device.close(std::span(&buffer, 1));
}

}  // namespace
}  // namespace heapwright::test
