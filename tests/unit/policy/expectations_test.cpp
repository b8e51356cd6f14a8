// What a policy promises of its workload.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>

#include "core/checked.hpp"
#include "core/file.hpp"
#include "core/units.hpp"
#include "expected_of.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "policy/expectations.hpp"
#include "policy/learned.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"
#include "workload/read.hpp"

namespace expectations_test {

using namespace heapwright;

namespace {

model::DeviceReport measured_device(std::uint64_t fixed_ns, std::uint64_t ns_per_mib) {
    model::DeviceReport device = test::radv_like_device();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (const std::uint64_t mib : {1ull, 16ull, 1024ull}) {
            const std::uint64_t ns = fixed_ns + ns_per_mib * mib;
            curve.points.push_back({.size_bytes = mib * kMiB, .samples = 9, .allocate_ns = ns, .free_ns = ns / 4});
        }
        device.run.memory_cost.push_back(curve);
    }
    return device;
}

model::Workload frame_targets(std::uint32_t count) {
    model::Workload targets;
    targets.name = "targets";
    targets.images = {{.usage = model::image_usage::kColorAttachment,
                       .extents = {{1920, 1080}},
                       .count = count,
                       .lifetime = model::Lifetime::kFrame}};
    return targets;
}

model::DevicePolicy advised(const model::DeviceReport& device, const model::Workload& workload) {
    auto policy = policy::advise(device, workload);
    REQUIRE(policy);
    return std::move(*policy);
}

}  // namespace

TEST_CASE("a policy says what to expect of its workload, each figure with a reason") {
    const auto policy = advised(measured_device(100'000, 20'000), test::small_workload());
    REQUIRE(policy.expectations);
    const model::Expectations& expected = *policy.expectations;
    CHECK(expected.mean_waste.value >= 0);
    CHECK(test::makes(expected.mean_waste.why.reason, model::ClaimId::kPlayedSeeds));
    CHECK(expected.device_allocations.value != 0);
    REQUIRE(expected.worst_frame_ns);
    REQUIRE(expected.worst_load_ns);
    CHECK(expected.worst_load_ns->value >= 100'000);
    REQUIRE(expected.heaps.size() == policy.heaps.size());
    std::uint64_t reserved = 0;
    for (const model::HeapExpectation& heap : expected.heaps) reserved += heap.peak_reserved_bytes.value;
    std::uint64_t in_use = 0;
    for (const model::BucketPolicy& bucket : policy.buckets) in_use += bucket.expected_bytes;
    CHECK(reserved > in_use / 2);
}

TEST_CASE("every figure lies in its interval, and so do those of seeds that were not played") {
    model::DeviceReport device = measured_device(100'000, 20'000);
    model::Workload workload = test::small_workload();
    const auto policy = advised(device, workload);
    REQUIRE(policy.expectations);
    const model::Expectations& expected = *policy.expectations;
    const auto within = [](double figure, const std::optional<model::Interval>& interval) {
        return interval && interval->least <= figure && figure <= interval->most;
    };
    const auto promised = [&](const auto& decided, const std::optional<model::Interval>& interval) {
        return within(static_cast<double>(decided.value), interval);
    };
    CHECK(promised(expected.mean_waste, expected.mean_waste_interval));
    CHECK(promised(expected.peak_waste.value(), expected.peak_waste_interval));
    CHECK(promised(expected.device_allocations, expected.device_allocations_interval));
    CHECK(promised(expected.p99_frame_ns.value(), expected.p99_frame_ns_interval));
    CHECK(promised(expected.worst_frame_ns.value(), expected.worst_frame_ns_interval));
    CHECK(promised(expected.worst_load_ns.value(), expected.worst_load_ns_interval));
    CHECK(promised(expected.late_chunks.value(), expected.late_chunks_interval));
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::PolicyPlayer player(context, policy, policy::AdviseOptions{}.sample);
    for (std::uint64_t seed = workload.seed + policy::kPlayedSeeds; seed < workload.seed + 40; ++seed) {
        INFO("seed " << seed);
        const auto run = player.play_seed(seed);
        REQUIRE(run);
        CHECK(within(run->pool.mean_waste, expected.mean_waste_interval));
        CHECK(within(static_cast<double>(run->peak_allocations), expected.device_allocations_interval));
        CHECK(within(run->pool.times.p99_frame_ns, expected.p99_frame_ns_interval));
        for (const model::HeapExpectation& heap : expected.heaps)
            CHECK(within(static_cast<double>(run->pool.peak_bytes[heap.heap]), heap.peak_reserved_bytes_interval));
    }
}

TEST_CASE("times are promised only where the report measures what device memory costs") {
    const auto policy = advised(test::radv_like_device(), test::small_workload());
    REQUIRE(policy.expectations);
    CHECK_FALSE(policy.expectations->worst_frame_ns);
    CHECK_FALSE(policy.expectations->worst_load_ns);
    CHECK(policy.expectations->device_allocations.value != 0);
}

TEST_CASE("render targets with memory of their own are promised by what such memory takes") {
    model::Workload targets = frame_targets(8);
    targets.images[0].dedicated = model::OwnMemory::kAlways;
    targets.churn_steps = 400;
    model::DeviceReport device = measured_device(1'000'000, 1'000);
    const auto dear = advised(device, targets);
    for (model::MemoryCostCurve& curve : device.run.memory_cost) {
        curve.dedicated_image_points = curve.points;
        for (model::MemoryCostPoint& point : curve.dedicated_image_points) {
            point.allocate_ns /= 4;
            point.free_ns /= 4;
        }
    }
    const auto cheap = advised(device, targets);
    REQUIRE(dear.expectations->p99_frame_ns);
    REQUIRE(cheap.expectations->p99_frame_ns);
    CHECK(cheap.expectations->p99_frame_ns->value < dear.expectations->p99_frame_ns->value / 3);
    CHECK(cheap.expectations->device_allocations.value == dear.expectations->device_allocations.value);
}

TEST_CASE("where chunks may come late in a frame of a hundred, such a frame is in the 99th percentile's bound") {
    const model::DeviceReport device = measured_device(100'000, 20'000);
    const model::Workload workload = test::small_workload();
    const auto policy = advised(device, workload);
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::PolicyPlayer player(context, policy, policy::AdviseOptions{}.sample);
    auto runs = player.play();
    REQUIRE(runs);
    const auto most_p99 = [&](double late_chunks) {
        for (policy::PlayedPolicy& run : *runs) {
            run.pool.times.frames = 1000;
            run.pool.times.late_chunks = saturating_bytes(late_chunks);
            run.pool.times.median_worst_frame_ns = 50e6;
        }
        model::Statement warnings;
        const auto expected = policy::decide_expectations(context, policy, player, *runs, warnings);
        REQUIRE(expected);
        CHECK(expected->late_chunks_interval->most == 2 + late_chunks + std::sqrt(late_chunks));
        return expected->p99_frame_ns_interval->most;
    };
    CHECK(most_p99(4) < 50e6);
    CHECK(most_p99(9) == 100e6);
}

TEST_CASE("a policy says how much of its workload the report holds no size of") {
    model::DeviceReport device = measured_device(100'000, 20'000);
    CHECK_FALSE(advised(device, test::small_workload()).expectations->estimated_share);
    device.image_sweep = {};
    const auto images_assumed = advised(device, test::small_workload());
    REQUIRE(images_assumed.expectations->estimated_share);
    CHECK(*images_assumed.expectations->estimated_share > 0);
    CHECK(*images_assumed.expectations->estimated_share < 1);
    device.buffer_sweep = {};
    const auto all_assumed = advised(device, test::small_workload());
    CHECK(all_assumed.expectations->estimated_share == 1);
}

TEST_CASE("a workload without resources promises nothing") {
    model::Workload nothing;
    nothing.name = "nothing";
    CHECK_FALSE(advised(test::radv_like_device(), nothing).expectations);
}

TEST_CASE("what has memory of its own in every frame is in the frame's price") {
    model::Workload targets = frame_targets(8);
    targets.buffers = {{.count = 20, .lifetime = model::Lifetime::kStreaming}};
    targets.churn_steps = 400;
    model::DeviceReport device = measured_device(1'000'000, 1'000);
    auto policy = advised(device, targets);
    REQUIRE(policy.expectations);
    REQUIRE(policy.expectations->worst_frame_ns);
    const std::uint64_t in_chunks = policy.expectations->worst_frame_ns->value;

    // All of them humongous: eight allocations a frame.
    policy.humongous_threshold_bytes.value = 4096;
    model::Statement warnings;
    const policy::Context context{.device = device, .workload = targets, .device_index = 0};
    const auto alone = test::expected_of(context, policy, warnings);
    REQUIRE(alone);
    REQUIRE(alone->worst_frame_ns);
    CHECK(alone->worst_frame_ns->value >= 8'000'000);
    CHECK(alone->worst_frame_ns->value > in_chunks);
}

TEST_CASE("targets that live for a frame are no allocation a frame each, whatever the driver prefers") {
    model::Workload targets = frame_targets(30);
    targets.buffers = {{.count = 20, .lifetime = model::Lifetime::kStreaming}};
    model::DeviceReport device = measured_device(100'000, 20'000);
    for (auto& requirements : device.image_sweep.requirements) requirements.dedicated = model::Dedicated::kPreferred;
    const auto policy = advised(device, targets);
    CHECK(policy.dedicated.value == model::DedicatedRule::kWhenRequired);
    CHECK(test::makes(policy.dedicated.why.reason, model::ClaimId::kDedicatedFrame));
    REQUIRE(policy.expectations);
    REQUIRE(policy.expectations->worst_frame_ns);
    CHECK(policy.expectations->worst_frame_ns->value < policy.frame_budget_ns / 4);

    // Those that stay follow the driver.
    targets.images[0].lifetime = model::Lifetime::kPersistent;
    CHECK(advised(device, targets).dedicated.value == model::DedicatedRule::kWhenPreferred);
}

namespace {

// A device whose calls take three times what the report says, and that reserves a good deal more.
model::Validation measured_run(const model::DeviceReport& device, const model::Workload& workload,
                               const model::DevicePolicy& policy, double waste) {
    model::Statement warnings;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0, .cost_factor = 3};
    const auto truth = test::expected_of(context, policy, warnings);
    REQUIRE(truth);
    model::ScenarioResult scenario{.name = "mixed-workload"};
    scenario.run.promises = {{.name = {model::PromiseKind::kWorstFrameNs},
                              .predicted = static_cast<double>(policy.expectations->worst_frame_ns->value),
                              .measured = static_cast<double>(truth->worst_frame_ns->value),
                              .verdict = model::PromiseVerdict::kBroken},
                             {.name = {model::PromiseKind::kMeanWaste},
                              .predicted = policy.expectations->mean_waste.value,
                              .measured = waste,
                              .verdict = model::PromiseVerdict::kBroken},
                             {.name = {model::PromiseKind::kDeviceAllocations},
                              .predicted = 1,
                              .measured = 1e6,
                              .verdict = model::PromiseVerdict::kNotTested}};
    model::Validation validation;
    validation.devices.push_back({.identity = policy.identity, .scenarios = {scenario}});
    return validation;
}

}  // namespace

TEST_CASE("advice that learns from its validations promises what they measured within four rounds, and then stays") {
    const model::DeviceReport device = measured_device(100'000, 20'000);
    model::Workload workload = test::small_workload();
    workload.churn_steps = 1000;
    workload.images.push_back({.usage = model::image_usage::kColorAttachment,
                               .extents = {{256, 256}},
                               .lifetime = model::Lifetime::kFrame,
                               .dedicated = model::OwnMemory::kAlways});
    model::DevicePolicy policy = advised(device, workload);
    REQUIRE(policy.expectations);
    REQUIRE(policy.expectations->worst_frame_ns);
    const double waste = policy.expectations->mean_waste.value + 0.3;
    const auto broken = [](const model::Validation& validation) {
        const model::Promise& frame = validation.devices[0].scenarios[0].run.promises[0];
        return *frame.measured > 1.5 * frame.predicted;
    };
    CHECK(broken(measured_run(device, workload, policy, waste)));
    model::DevicePolicy before;
    for (int round = 0; round < 4; ++round) {
        before = policy;
        const model::Validation validation = measured_run(device, workload, policy, waste);
        auto next = policy::advise(device, workload, 0, {.learned = &validation});
        REQUIRE(next);
        policy = std::move(*next);
    }
    CHECK_FALSE(broken(measured_run(device, workload, policy, waste)));
    CHECK(std::abs(policy.expectations->mean_waste.value - waste) <= 0.02);
    CHECK(test::makes(policy.expectations->mean_waste.why.reason, model::ClaimId::kLearned));
    CHECK(policy.expectations->device_allocations.value < 100'000);
    CHECK(policy.expectations->worst_frame_ns->value == before.expectations->worst_frame_ns->value);
    REQUIRE(policy.buckets.size() == before.buckets.size());
    for (std::size_t i = 0; i < policy.buckets.size(); ++i)
        CHECK(policy.buckets[i].chunk_size_bytes.value == before.buckets[i].chunk_size_bytes.value);
}

TEST_CASE("a long frame teaches nothing of the device where frames do not call it") {
    const model::DeviceReport device = measured_device(100'000, 20'000);
    const model::Workload workload = test::small_workload();
    const model::DevicePolicy policy = advised(device, workload);
    REQUIRE(policy.expectations->worst_frame_ns);
    model::ScenarioResult scenario{.name = "mixed-workload"};
    const auto predicted = static_cast<double>(policy.expectations->worst_frame_ns->value);
    scenario.run.promises = {{.name = {model::PromiseKind::kWorstFrameNs},
                              .predicted = predicted,
                              .measured = 20 * predicted,
                              .verdict = model::PromiseVerdict::kBroken}};
    const model::DeviceValidation validation{.identity = policy.identity, .scenarios = {scenario}};
    bool calls_the_device = false;
    const auto advise_at = [&](double factor) -> Result<model::DevicePolicy> {
        model::DevicePolicy made = policy;
        if (calls_the_device)
            made.expectations->worst_frame_ns->value = saturating_bytes(std::round(predicted * factor));
        return made;
    };
    CHECK(policy::learned_cost_factor(validation, advise_at).value() == 1);
    calls_the_device = true;
    CHECK(policy::learned_cost_factor(validation, advise_at).value() == 8);
}

}  // namespace expectations_test
