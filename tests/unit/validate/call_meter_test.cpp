// What counts as the cost of a call where the machine stops the thread, and which frames are told as the worst.
#include <chrono>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "validate/call_meter.hpp"
#include "validate/frame_meter.hpp"
#include "validate/scenario.hpp"

using namespace heapwright;
using namespace heapwright::validate;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

void stand_still() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

}  // namespace

TEST_CASE("on a replayed device a thread that stands still costs nothing, and the device's own time counts") {
    if (!thread_cpu_ns()) SKIP("this machine does not tell the CPU time of a thread");
    ManualClock simulated;
    ScenarioClock clock(&simulated);
    const CallTimes times;
    CallMeter meter(clock, &simulated, times, false);
    meter.begin();
    stand_still();
    CHECK(meter.end().own_ns < 20 * kMs);
    meter.begin();
    stand_still();
    simulated.advance_ns(50 * kMs);
    const CallCost cost = meter.end();
    CHECK(cost.own_ns >= 50 * kMs);
    CHECK(cost.own_ns < 70 * kMs);
    CHECK_FALSE(cost.was_preempted);
}

TEST_CASE("on a real device a wait counts, and what others did meanwhile does not") {
    ScenarioClock clock(nullptr);
    CallTimes times;
    CallMeter meter(clock, nullptr, times, false);
    meter.begin();
    stand_still();
    CHECK(meter.end().own_ns >= 30 * kMs);
    meter.begin();
    stand_still();
    times.checking_ns += 10 * kMs;
    times.binder_ns += 5 * kMs;
    const CallCost cost = meter.end();
    CHECK(cost.own_ns >= 15 * kMs);
    CHECK(cost.with_binding_ns == cost.own_ns + 5 * kMs);
}

TEST_CASE("a clock that is given is taken as it is") {
    ManualClock machine;
    ManualClock simulated;
    ScenarioClock clock(&simulated, &machine);
    const CallTimes times;
    CallMeter meter(clock, &simulated, times, true);
    meter.begin();
    machine.advance_ns(7 * kMs);
    simulated.advance_ns(kMs);
    CHECK(meter.end().own_ns == 8 * kMs);
}

TEST_CASE("frames amid which the machine ran another thread are left out of the worst, unless all are such") {
    WorstFrames frames;
    frames.add({.frame = 1, .ns = 900}, true);
    REQUIRE(frames.frames().size() == 1);
    CHECK(frames.left_out() == 0);
    frames.add({.frame = 2, .ns = 10});
    frames.add({.frame = 3, .ns = 20});
    REQUIRE(frames.frames().size() == 2);
    CHECK(frames.frames().front().frame == 3);
    CHECK(frames.series_ns() == std::vector<double>{10, 20});
    CHECK(frames.left_out() == 1);
    CHECK(frames.frame_count() == 3);
}
