// The baselines run the same operations beside the policy's pools, and give everything back.
#include <algorithm>
#include <tuple>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "replay_scene.hpp"
#include "validate/baselines.hpp"
#include "validate/frame_meter.hpp"
#include "validate/memory_scenario.hpp"
#include "validate/occupancy_recorder.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

model::Workload small_load() {
    model::Workload wanted;
    wanted.name = "baselines";
    wanted.churn_steps = 300;
    wanted.images = {{.smallest_side = 16, .largest_side = 64, .count = 40}};
    wanted.buffers = {{.smallest_bytes = 256, .largest_bytes = 65536, .count = 80}};
    return wanted;
}

validate::ValidateOptions options() {
    return {};
}

model::DeviceReport report_with_allocations(std::uint64_t count) {
    model::DeviceReport report = scene_report();
    for (model::Fact& limit : report.limits) {
        if (limit.name == "maxMemoryAllocationCount") limit.value = count;
    }
    return report;
}

}  // namespace

TEST_CASE("A baseline that meets the allocation count limit refuses; that is no finding") {
    auto device = replay::open_replay(report_with_allocations(64), {.interpolate = true});
    REQUIRE(device);
    const auto results = validate::run_baselines(**device, scene_policy(), small_load(), options());
    REQUIRE(results);
    CHECK(results->front().verdict == model::Verdict::kInconclusive);
    CHECK(results->front().counts.failures != 0);
    CHECK(results->front().findings_total == 0);
    CHECK((*device)->counters().allocated_bytes == 0);
}

TEST_CASE("A baseline that finds no memory is inconclusive by itself, and the others run") {
    auto replay = replay::open_replay(report_with_allocations(4096), {.interpolate = true});
    REQUIRE(replay);
    const auto device = replay::inject_faults(std::move(*replay), {.fail_at = 1, .only = replay::SeamCall::kAllocate});
    const auto results = validate::run_baselines(*device, scene_policy(), small_load(), options());
    if (!results) FAIL(to_string(results.error()));
    REQUIRE(results->size() == 6);
    CHECK(results->front().name == "mixed-workload/one-each");
    CHECK(results->front().verdict == model::Verdict::kInconclusive);
    CHECK(results->front().reason.find("lacks the memory") != std::string::npos);
    for (std::size_t i = 1; i < results->size(); ++i) CHECK(results->at(i).verdict == model::Verdict::kReplayed);
    CHECK(device->counters().nothing_alive());
}

TEST_CASE("Every baseline plays the mixed workload and leaves nothing behind") {
    auto device = replay::open_replay(report_with_allocations(4096), {.interpolate = true});
    REQUIRE(device);
    const model::DevicePolicy policy = scene_policy();
    const auto ours = validate::run_mixed_workload(**device, policy, small_load(), options());
    const auto results = validate::run_baselines(**device, policy, small_load(), options());
    REQUIRE(ours);
    REQUIRE(results);
    REQUIRE(results->size() == 6);
    const auto& [one_each, source_rule, vma] = std::tie((*results)[0], (*results)[1], (*results)[2]);
    CHECK(one_each.name == "mixed-workload/one-each");
    CHECK(source_rule.name == "mixed-workload/source-rule");
    CHECK(vma.name == "mixed-workload/vma-default");
    CHECK((*results)[3].name == "streaming/on-demand");
    CHECK((*results)[4].name == "streaming/on-demand-256-mib");
    CHECK((*results)[5].name == "defragmentation/by-size");
    CHECK((*results)[5].reason.find("moves of") != std::string::npos);
    CHECK_FALSE((*results)[5].defragmentation_steps.empty());
    CHECK((*results)[3].counts.operations == (*results)[4].counts.operations);
    for (const model::ScenarioResult& result : *results) {
        CAPTURE(result.name, result.reason);
        CHECK(result.verdict == model::Verdict::kReplayed);
        if (!result.name.starts_with("mixed")) continue;
        CHECK(result.counts.operations == ours->counts.operations);
        CHECK(result.memory.peak_used_bytes == ours->memory.peak_used_bytes);
        REQUIRE(result.occupancy);
        CHECK(result.occupancy->heaps.size() >= 1);
    }
    // The least bytes and the most calls that there can be.
    CHECK(one_each.counts.dedicated_allocations == one_each.counts.device_allocation_calls);
    CHECK(one_each.memory.peak_reserved_bytes <= source_rule.memory.peak_reserved_bytes);
    CHECK(one_each.counts.device_allocations > vma.counts.device_allocations);
    CHECK(vma.occupancy->pools.empty());
    CHECK((*device)->counters().allocated_bytes == 0);
    CHECK((*device)->counters().resources == 0);

    CHECK(!ours->occupancy->pools.empty());
    CHECK(!ours->run.worst_frames.empty());
    CHECK(ours->run.worst_frames.front().ns == ours->run.worst_frame_ns);
}

TEST_CASE("Occupancy keeps a bounded number of evenly spread samples") {
    validate::OccupancyRecorder recorder;
    CHECK(!recorder.occupancy());
    std::uint64_t taken = 0;
    for (std::uint64_t step = 0; step < 10'000; ++step) {
        if (!recorder.is_due(step)) continue;
        ++taken;
        std::vector<validate::OccupancyFigures> pools{{.name = "idle"}};
        if (step >= 5'000) pools.push_back({.name = "late", .used_bytes = step, .reserved_bytes = step, .chunks = 1});
        recorder.add(step, {{.name = "heap 0", .used_bytes = step, .reserved_bytes = 2 * step, .chunks = 3}}, pools);
    }
    const auto kept = recorder.occupancy();
    REQUIRE(kept);
    CHECK(kept->steps.size() <= model::kMaxOccupancySamples);
    CHECK(kept->steps.size() >= model::kMaxOccupancySamples / 2);
    CHECK(taken < 2000);
    CHECK(std::ranges::is_sorted(kept->steps));
    for (std::size_t i = 2; i < kept->steps.size(); ++i)
        CHECK(kept->steps[i] - kept->steps[i - 1] == kept->steps[1] - kept->steps[0]);
    REQUIRE(kept->heaps.size() == 1);
    CHECK(kept->heaps[0].used_bytes == kept->steps);
    // A pool that never held a chunk is left out; one that came late was empty before.
    REQUIRE(kept->pools.size() == 1);
    CHECK(kept->pools[0].name == "late");
    REQUIRE(kept->pools[0].used_bytes.size() == kept->steps.size());
    CHECK(kept->pools[0].used_bytes.front() == 0);
    CHECK(kept->pools[0].used_bytes.back() == kept->steps.back());
}

TEST_CASE("The longest frames are kept, the longest first") {
    validate::WorstFrames worst;
    for (std::uint64_t i = 0; i < 100; ++i) worst.add({.frame = i, .ns = i * 37 % 101});
    REQUIRE(worst.frames().size() == model::kMaxWorstFrames);
    for (std::size_t i = 0; i < model::kMaxWorstFrames; ++i) CHECK(worst.frames()[i].ns == 100 - i);
}
