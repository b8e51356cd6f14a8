// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/clock.hpp"
#include "device/timestamps.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::Work;

struct Run {
    device::TimestampPair pair;
    std::uint64_t host_from_ns = 0;
    std::uint64_t host_to_ns = 0;
};

Run run_timed(OpenedDevice& device, device::EngineId engine, std::span<const Work> work, device::TimestampPairId pair) {
    SteadyClock clock;
    Run run;
    run.host_from_ns = clock.now_ns();
    REQUIRE(device->submitter().submit(
        {.engine = engine, .waits = {}, .work = work, .signals = {}, .lists = {}, .timestamps = pair}));
    REQUIRE(device->submitter().wait_idle());
    run.host_to_ns = clock.now_ns();
    const auto read = device->timestamps()->read(pair);
    if (!read) FAIL(to_string(read.error()));
    run.pair = *read;
    return run;
}

TEST_CASE("timestamps of every engine enclose its work, and the host's time encloses them", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::TimestampSource* const source = device->timestamps();
    REQUIRE(source != nullptr);
    constexpr std::uint64_t kBytes = 16 << 20;
    const device::ResourceId buffer = device.host_buffer(kBytes);
    const std::vector<Work> work(
        4, device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = kBytes, .value = 1});
    const auto engines = device->submitter().engines();
    std::size_t stamped = 0;
    for (std::uint32_t i = 0; i < engines.size(); ++i) {
        INFO(engines[i].name);
        const auto units = source->units({i});
        const auto pair = source->create({i});
        REQUIRE(units.has_value() == pair.has_value());
        if (!units) {
            CHECK(units.error().code == ErrorCode::kNotSupported);
            CHECK_FALSE(units.error().message.empty());
            continue;
        }
        ++stamped;
        CHECK(units->period_ns > 0);
        CHECK(units->valid_bits >= 32);
        // A pair serves again and again.
        Run before;
        for (int again = 0; again < 3; ++again) {
            const Run run = run_timed(device, {i}, work, *pair);
            const double taken_ns = ns_between(run.pair.begin_ticks, run.pair.end_ticks, *units);
            CHECK(taken_ns > 0);
            CHECK(taken_ns <= static_cast<double>(run.host_to_ns - run.host_from_ns));
            if (again > 0 && source->compare_across_submissions())
                CHECK(ns_between(before.pair.end_ticks, run.pair.begin_ticks, *units) >= 0);
            before = run;
        }
        if (const auto now = source->calibrate({i})) {
            const double since_ns = ns_between(before.pair.end_ticks, now->device_ticks, *units);
            CHECK(since_ns >= 0);
            const auto ended_ns = static_cast<double>(now->host_ns) - since_ns;
            const auto slack_ns = 1'000 + static_cast<double>(now->deviation_ns);
            CHECK(ended_ns >= static_cast<double>(before.host_from_ns) - slack_ns);
            CHECK(ended_ns <= static_cast<double>(before.host_to_ns) + slack_ns);
        } else {
            CHECK(now.error().code == ErrorCode::kNotSupported);
        }
        source->destroy(*pair);
    }
    CHECK(stamped > 0);
    CHECK(source->units({static_cast<std::uint32_t>(engines.size())}).error().code == ErrorCode::kInvalidArgument);
    device.close(std::span(&buffer, 1));
}

TEST_CASE("timestamps of another engine, of none, or around nothing are refused", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    device::TimestampSource* const source = device->timestamps();
    const device::ResourceId buffer = device.host_buffer(64);
    const Work fill = device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 64, .value = 1};
    const auto pair = source->create({0});
    if (!pair) FAIL(to_string(pair.error()));
    const auto refused = [&](device::EngineId engine, std::span<const Work> work, device::TimestampPairId named) {
        const Status submitted = device->submitter().submit(
            {.engine = engine, .waits = {}, .work = work, .signals = {}, .lists = {}, .timestamps = named});
        return !submitted && submitted.error().code == ErrorCode::kInvalidArgument;
    };
    CHECK(refused({0}, {}, *pair));
    // Vulkan resets queries when they are read.
    if (device->facts().identity.api == model::Api::kVulkan) {
        CHECK(!refused({0}, std::span(&fill, 1), *pair));
        CHECK(refused({0}, std::span(&fill, 1), *pair));
        REQUIRE(device->submitter().wait_idle());
        REQUIRE(source->read(*pair));
    }
    if (device->submitter().engines().size() > 1) CHECK(refused({1}, std::span(&fill, 1), *pair));
    source->destroy(*pair);
    CHECK(refused({0}, std::span(&fill, 1), *pair));
    CHECK(source->read(*pair).error().code == ErrorCode::kInvalidArgument);
    device.close(std::span(&buffer, 1));
}

}  // namespace
}  // namespace heapwright::test
