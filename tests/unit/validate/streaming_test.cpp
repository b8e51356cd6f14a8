// Streaming with chunks prepared in the background, beside the same operations with chunks on demand.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "replay/device.hpp"
#include "replay_scene.hpp"

using namespace heapwright;

namespace {

constexpr std::uint64_t kNsPerMib = 20'000'000;
constexpr std::uint64_t kFrameBudgetNs = 1'000'000'000;

// Time that no machine takes by being busy: 20 ms a MiB, and a frame of a second.
model::DeviceReport slow_report() {
    model::DeviceReport report = test::scene_report();
    report.run.memory_cost.clear();
    for (std::uint32_t type = 0; type < report.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (const std::uint64_t mib : {1ull, 1024ull}) {
            curve.points.push_back({.size_bytes = mib * test::kMib,
                                    .samples = 1,
                                    .allocate_ns = kNsPerMib * mib,
                                    .free_ns = kNsPerMib * mib / 4});
        }
        report.run.memory_cost.push_back(curve);
    }
    return report;
}

model::DevicePolicy policy_ahead(std::uint64_t chunk_bytes) {
    model::DevicePolicy policy = test::scene_policy();
    for (model::BucketPolicy& bucket : policy.buckets) {
        bucket.chunk_size_bytes.value = chunk_bytes;
        bucket.chunks_ahead = test::decided<std::uint64_t>(1);
    }
    policy.max_chunks.value = 1000;
    return policy;
}

model::Workload slow_workload() {
    model::Workload workload = test::scene_workload();
    workload.frame_budget_ns = kFrameBudgetNs;
    return workload;
}

Result<model::DeviceValidation> stream(const model::DevicePolicy& policy) {
    const auto replay = replay::open_replay(slow_report(), {.interpolate = true});
    REQUIRE(replay);
    auto options = test::scene_options();
    options.scenarios = {"streaming"};
    options.baselines = true;
    ManualClock still;
    options.machine_clock = &still;
    options.simulated_clock = &(*replay)->clock();
    auto result = validate::validate(**replay, policy, slow_workload(), options);
    CHECK((*replay)->counters().source_allocations == 0);
    CHECK((*replay)->counters().resources == 0);
    return result;
}

}  // namespace

TEST_CASE("chunks prepared in the background take the device out of the frames, and a seed gives the same figures") {
    const model::DevicePolicy policy = policy_ahead(test::kMib);
    const auto result = stream(policy);
    if (!result) FAIL(to_string(result.error()));
    REQUIRE(result->scenarios.size() == 1);
    REQUIRE(result->baselines.size() == 2);
    const model::ScenarioResult& ahead = result->scenarios[0];
    const model::ScenarioResult& demand = result->baselines[0];
    const model::ScenarioResult& large = result->baselines[1];
    INFO(ahead.reason);
    CHECK(ahead.verdict == model::Verdict::kReplayed);
    CHECK(demand.name == "streaming/on-demand");
    CHECK(large.name == "streaming/on-demand-256-mib");
    CHECK(demand.counts.operations == ahead.counts.operations);
    CHECK(large.counts.operations == ahead.counts.operations);
    CHECK(large.reason.find("chunks of 16 MiB, because a quarter") != std::string::npos);

    REQUIRE(ahead.run.prepared_chunks);
    CHECK(ahead.run.prepared_chunks->prepared > 0);
    CHECK(ahead.run.prepared_chunks->taken_ready > 0);
    CHECK(ahead.run.prepared_chunks->failed == 0);
    CHECK_FALSE(demand.run.prepared_chunks);
    CHECK_FALSE(large.run.prepared_chunks);
    // On demand a chunk costs 20 ms of its frame; prepared, frames are free of the device.
    CHECK(demand.run.worst_frame_ns >= kNsPerMib);
    CHECK(ahead.run.prepared_chunks->taken_late == 0);
    CHECK(std::ranges::all_of(ahead.run.worst_frames,
                              [](const model::WorstFrame& frame) { return frame.device_allocations == 0; }));
    CHECK(ahead.run.worst_frame_ns < kNsPerMib);

    const auto again = stream(policy);
    REQUIRE(again);
    const model::ScenarioResult& second = again->scenarios[0];
    CHECK(second.memory.peak_reserved_bytes == ahead.memory.peak_reserved_bytes);
    CHECK(second.memory.mean_waste == ahead.memory.mean_waste);
    CHECK(second.counts.device_allocation_calls == ahead.counts.device_allocation_calls);
    CHECK(second.run.prepared_chunks->prepared == ahead.run.prepared_chunks->prepared);
    CHECK(second.run.prepared_chunks->taken_late == ahead.run.prepared_chunks->taken_late);
}

TEST_CASE("what a frame has no room for counts as the frame's") {
    // A chunk takes ten frames to prepare.
    model::DevicePolicy policy = policy_ahead(test::kMib);
    const auto replay = replay::open_replay(slow_report(), {.interpolate = true});
    REQUIRE(replay);
    auto options = test::scene_options();
    options.scenarios = {"streaming"};
    ManualClock still;
    options.machine_clock = &still;
    options.simulated_clock = &(*replay)->clock();
    auto workload = slow_workload();
    workload.frame_budget_ns = kNsPerMib / 10;
    const auto result = validate::validate(**replay, policy, workload, options);
    REQUIRE(result);
    const model::ScenarioResult& one = result->scenarios[0];
    REQUIRE(one.run.prepared_chunks);
    REQUIRE(one.run.prepared_chunks->prepared != 0);
    CHECK(one.run.worst_frame_ns >= kNsPerMib * 8 / 10);
}

TEST_CASE("a policy without chunks ahead is validated without a background") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    auto options = test::scene_options();
    options.scenarios = {"streaming"};
    const auto result = validate::validate(**replay, test::scene_policy(), test::scene_workload(), options);
    REQUIRE(result);
    CHECK_FALSE(result->scenarios[0].run.prepared_chunks);
    CHECK(result->baselines.empty());
}

TEST_CASE("a streamed world never holds more of a hint than its count") {
    model::Workload workload = test::scene_workload();
    workload.images.clear();
    workload.buffers = {{.usage = test::kBufferUsage, .smallest_bytes = 65536, .largest_bytes = 65536, .count = 5}};
    workload.churn_steps = 100;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        REQUIRE(replay);
        auto options = test::scene_options();
        options.scenarios = {"streaming"};
        options.seed = seed;
        const auto result = validate::validate(**replay, test::scene_policy(), workload, options);
        REQUIRE(result);
        INFO("seed " << seed);
        CHECK(result->scenarios[0].counts.peak_buffers == 5);
    }
}
