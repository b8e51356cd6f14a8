#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "replay_scene.hpp"

using namespace heapwright;

TEST_CASE("the pool passes on a replayed device, which says so, and leaves nothing behind") {
    for (const auto mode : {replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred}) {
        const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true, .mode = mode});
        REQUIRE(replay);
        const auto result =
            validate::validate(**replay, test::scene_policy(), test::scene_workload(), test::scene_options());
        if (!result) FAIL(to_string(result.error()));
        const model::ScenarioResult& scenario = result->scenarios.front();
        INFO(scenario.reason << (scenario.findings.empty() ? "" : scenario.findings.front().statement));
        CHECK(result->verdict == model::Verdict::kReplayed);
        CHECK(result->replayed);
        CHECK(scenario.counts.failures == 0);
        CHECK(scenario.counts.peak_images == 100);
        CHECK(scenario.counts.peak_buffers == 200);
        CHECK(scenario.counts.operations == 300 + 2 * 1500);
        CHECK(scenario.counts.verified_resources > 300);
        CHECK(scenario.run.allocate.samples == 300 + 1500);
        CHECK((*replay)->counters().source_allocations == 0);
        CHECK((*replay)->counters().resources == 0);
        CHECK((*replay)->counters().timelines == 0);
    }
}

TEST_CASE("counts and bytes repeat for a seed") {
    const auto run = [] {
        const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        return *validate::validate(**replay, test::scene_policy(), test::scene_workload(), test::scene_options());
    };
    const auto first = run().scenarios.front();
    const auto second = run().scenarios.front();
    CHECK(first.counts.verified_bytes == second.counts.verified_bytes);
    CHECK(first.memory.peak_reserved_bytes == second.memory.peak_reserved_bytes);
    CHECK(first.memory.mean_waste == second.memory.mean_waste);
    CHECK(first.memory.mean_fragmentation == second.memory.mean_fragmentation);
}

TEST_CASE("a time limit gives no verdict and leaves nothing behind") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = test::scene_options();
    options.time_limit_ns = 1;
    const auto result = validate::validate(**replay, test::scene_policy(), test::scene_workload(), options);
    if (!result) FAIL(to_string(result.error()));
    CHECK(result->verdict == model::Verdict::kInconclusive);
    CHECK((*replay)->counters().source_allocations == 0);
    CHECK((*replay)->counters().resources == 0);
}

TEST_CASE("a scenario whose turn comes after the time limit says that it did not run") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = test::scene_options();
    options.time_limit_ns = 1;
    const auto result = validate::validate(**replay, test::scene_policy(), test::scene_workload(), options);
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() >= 2);
    for (const model::ScenarioResult& scenario : result->scenarios) {
        INFO(scenario.name);
        CHECK(scenario.verdict == model::Verdict::kInconclusive);
        CHECK(scenario.counts.operations == 0);
        CHECK(scenario.reason == "did not run: the time limit of 0 ms came before it");
    }
    CHECK((*replay)->counters().source_allocations == 0);
}

TEST_CASE("a scenario that finds no memory is inconclusive by itself, and the others run") {
    auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    // The first scenario's first allocation alone.
    const auto device = replay::inject_faults(std::move(*replay), {.fail_at = 1, .only = replay::SeamCall::kAllocate});
    const auto result =
        validate::validate(*device, test::scene_policy(), test::scene_workload(), test::scene_options());
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() == 3);
    CHECK(result->verdict == model::Verdict::kInconclusive);
    CHECK(result->scenarios[0].name == "mixed-workload");
    CHECK(result->scenarios[0].verdict == model::Verdict::kInconclusive);
    CHECK(result->scenarios[0].reason.find("lacks the memory: allocate: injected fault") != std::string::npos);
    CHECK(result->scenarios[1].verdict == model::Verdict::kReplayed);
    CHECK(device->counters().nothing_alive());
}

TEST_CASE("work on descriptors and engines without memory is inconclusive, not failed") {
    for (const char* name : {"upload", "descriptor-views", "copy-ring"}) {
        auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto device = replay::inject_faults(std::move(*replay), {.oom_after_bytes = 0});
        auto options = test::scene_options();
        options.scenarios = {name};
        const auto result = validate::validate(*device, test::scene_policy(), test::scene_workload(), options);
        if (!result) FAIL(to_string(result.error()));
        REQUIRE(result->scenarios.size() == 1);
        INFO(name << ": " << result->reason);
        CHECK(result->verdict == model::Verdict::kInconclusive);
        CHECK(result->reason.find("lacks the memory") != std::string::npos);
        CHECK(device->counters().nothing_alive());
    }
}

// What was recorded and never submitted is given back at the end of the scenario.
TEST_CASE("a scenario that is to be skipped does not run, and skipping all of them is refused") {
    auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(device);
    auto options = test::scene_options();
    options.scenarios = {"upload", "copy-ring"};
    options.skipped_scenarios = {"upload"};
    const auto result = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() == 1);
    CHECK(result->scenarios.front().name == "copy-ring");

    const auto refusal = [&](std::vector<std::string> skipped) {
        options.skipped_scenarios = std::move(skipped);
        const auto refused = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        return refused.error().message;
    };
    CHECK(refusal({"copy-ring", "upload"}) == "every scenario that was asked for is skipped");
    CHECK(refusal({"no-such"}).find("no scenario \"no-such\"") == 0);
}

TEST_CASE("a scenario that is cut short amid a frame has not released anything too early") {
    for (const char* name : {"binding-model", "deferred-contexts"}) {
        for (const replay::SeamCall call : {replay::SeamCall::kRecord, replay::SeamCall::kSubmit}) {
            for (std::uint64_t at = 1; at <= 3; ++at) {
                auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
                REQUIRE(replay);
                const auto device = replay::inject_faults(std::move(*replay), {.fail_at = at, .only = call});
                auto options = test::scene_options();
                options.scenarios = {name};
                const auto result = validate::validate(*device, test::scene_policy(), test::scene_workload(), options);
                if (!result) FAIL(to_string(result.error()));
                INFO(name << ", " << static_cast<int>(call) << " " << at << ": " << result->reason);
                CHECK(result->verdict == model::Verdict::kInconclusive);
                CHECK(result->scenarios.at(0).findings_total == 0);
            }
        }
    }
}

TEST_CASE(
    "memory that runs out amid a scenario is inconclusive, with the figures; another failure of the driver fails") {
    struct Case {
        const char* scenario;
        replay::SeamCall call;
    };
    constexpr Case kCases[] = {
        {"mixed-workload", replay::SeamCall::kSubmit},       {"mixed-workload", replay::SeamCall::kFlush},
        {"mixed-workload", replay::SeamCall::kCreatePlaced}, {"streaming", replay::SeamCall::kSubmit},
        {"streaming", replay::SeamCall::kCreatePlaced},      {"defragmentation", replay::SeamCall::kSubmit},
        {"defragmentation", replay::SeamCall::kCreatePlaced}};
    for (const auto& [scenario, call] : kCases) {
        for (const ErrorCode code : {ErrorCode::kOutOfDeviceMemory, ErrorCode::kOutOfHostMemory,
                                     ErrorCode::kTooManyObjects, ErrorCode::kDriverFailure}) {
            auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
            REQUIRE(replay);
            const auto device = replay::inject_faults(std::move(*replay),
                                                      {.fail_at = 9, .only = call, .code = code, .keep_failing = true});
            auto options = test::scene_options();
            options.scenarios = {scenario};
            const auto result = validate::validate(*device, test::scene_policy(), test::scene_workload(), options);
            if (!result) FAIL(to_string(result.error()));
            INFO(scenario << ", " << to_string(call) << ", " << to_string(code) << ": " << result->reason);
            CHECK(device->counters().injected != 0);
            CHECK(device->counters().nothing_alive());
            if (code == ErrorCode::kDriverFailure) {
                CHECK(result->verdict == model::Verdict::kFailed);
                continue;
            }
            CHECK(result->verdict == model::Verdict::kInconclusive);
            CHECK(result->scenarios.front().findings_total == 0);
            const bool is_told = result->reason.find("the device lacks the memory: ") != std::string::npos ||
                                 result->reason.find("found no memory") != std::string::npos;
            CHECK(is_told);
        }
    }
}

TEST_CASE("A device without the memory to say how far its timeline is leaves releases unchecked, not early") {
    for (const char* scenario : {"mixed-workload", "defragmentation"}) {
        std::uint64_t unchecked = 0;
        for (const bool keep_failing : {false, true}) {
            for (std::uint64_t at = 1; at < 1200; at += 37) {
                auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
                REQUIRE(replay);
                const auto device =
                    replay::inject_faults(std::move(*replay), {.fail_at = at,
                                                               .only = replay::SeamCall::kTimelineCompleted,
                                                               .code = ErrorCode::kOutOfHostMemory,
                                                               .keep_failing = keep_failing});
                auto workload = test::scene_workload();
                workload.churn_steps = 200;
                auto options = test::scene_options();
                options.scenarios = {scenario};
                const auto result = validate::validate(*device, test::scene_policy(), workload, options);
                if (!result) FAIL(to_string(result.error()));
                INFO(scenario << ", answer " << at << ": " << result->reason);
                CHECK(device->counters().nothing_alive());
                if (device->counters().injected == 0) break;
                CHECK(result->verdict == model::Verdict::kInconclusive);
                CHECK(result->scenarios.front().findings_total == 0);
                unchecked += result->reason.find("unchecked releases: ") != std::string::npos ? 1u : 0u;
            }
        }
        CHECK(unchecked != 0);
    }
}

TEST_CASE("streaming and defragmentation run beside the mixed workload, and resources are moved") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    // Small chunks, so that there are some to empty.
    model::DevicePolicy policy = test::scene_policy();
    for (model::BucketPolicy& bucket : policy.buckets) bucket.chunk_size_bytes.value = test::kMib;
    const auto result = validate::validate(**replay, policy, test::scene_workload(), test::scene_options());
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() == 3);
    CHECK(result->scenarios[1].name == "streaming");
    CHECK(result->scenarios[1].counts.operations > 300 + 1500);
    CHECK(result->scenarios[1].run.worst_frame_ns > 0);
    const model::ScenarioResult& moved = result->scenarios[2];
    CHECK(moved.name == "defragmentation");
    INFO(moved.reason);
    CHECK(moved.verdict == model::Verdict::kReplayed);
    CHECK(moved.reason.find(" 0 moves") == std::string::npos);
    CHECK(moved.run.worst_frame_ns > 0);
    CHECK((*replay)->counters().source_allocations == 0);
    CHECK((*replay)->counters().resources == 0);
}

TEST_CASE("what the host reads or writes is moved as well as the rest") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    model::Workload workload = test::scene_workload();
    for (model::BufferHint& hint : workload.buffers) {
        hint.memory_use = model::MemoryUse::kReadback;
        hint.host_access = model::HostAccess::kRandom;
    }
    model::DevicePolicy policy = test::scene_policy();
    for (model::BucketPolicy& bucket : policy.buckets) bucket.chunk_size_bytes.value = test::kMib;
    validate::ValidateOptions options = test::scene_options();
    options.scenarios = {"defragmentation"};
    const auto result = validate::validate(**replay, policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() == 1);
    INFO(result->scenarios[0].reason);
    CHECK(result->scenarios[0].verdict == model::Verdict::kReplayed);
}

TEST_CASE("whatever call fails, nothing leaks, and what passes all the same did all of its checks") {
    auto workload = test::scene_workload();
    workload.churn_steps = 10;
    auto options = test::scene_options();
    for (auto& hint : workload.images) hint.count = 2;
    for (auto& hint : workload.buffers) hint.count = 3;
    const auto whole = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto unharmed = validate::validate(**whole, test::scene_policy(), workload, options);
    if (!unharmed) FAIL(to_string(unharmed.error()));
    REQUIRE(unharmed->verdict == model::Verdict::kReplayed);

    std::uint64_t injected = 0;
    std::uint64_t tolerated = 0;
    for (std::uint64_t nth = 1;; ++nth) {
        auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto faulty = replay::inject_faults(std::move(*replay), {.fail_at = nth});
        const auto result = validate::validate(*faulty, test::scene_policy(), workload, options);
        INFO("call " << nth << ": " << (result ? result->reason : to_string(result.error())));
        CHECK(faulty->counters().source_allocations == 0);
        CHECK(faulty->counters().resources == 0);
        CHECK(faulty->counters().timelines == 0);
        if (faulty->counters().injected == 0) break;
        ++injected;
        // What is injected is a lack of memory.
        CHECK((!result || result->verdict != model::Verdict::kFailed));
        if (!result || result->verdict != model::Verdict::kReplayed) continue;
        ++tolerated;
        REQUIRE(result->scenarios.size() == unharmed->scenarios.size());
        for (std::size_t i = 0; i < result->scenarios.size(); ++i) {
            const model::ScenarioResult& one = result->scenarios[i];
            const model::ScenarioResult& other = unharmed->scenarios[i];
            INFO(one.name << ": " << one.reason);
            CHECK(one.findings_total == 0);
            CHECK(one.counts.failures == 0);
            CHECK(one.counts.operations >= other.counts.operations);
            CHECK(one.counts.verified_resources >= other.counts.verified_resources);
            CHECK(one.counts.verified_bytes >= other.counts.verified_bytes);
        }
    }
    CHECK(injected > 100);
    CHECK(tolerated < injected / 2);
}
