// The workload itself is played wherever it fits, what runs in its place is said first, and what the policy promises of
// it is judged.
#include <algorithm>
#include <optional>
#include <variant>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "policy/advise.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"
#include "validate/population.hpp"
#include "validate/promises.hpp"
#include "workload/draw.hpp"
#include "workload/read.hpp"

namespace played_test {

using namespace heapwright;
using test::decided;
using test::kGib;
using test::kMib;
using enum model::PromiseKind;

namespace {

model::Workload of_buffers(std::uint32_t count, std::uint64_t size_bytes,
                           model::Lifetime lifetime = model::Lifetime::kPersistent) {
    model::Workload workload;
    workload.name = "buffers";
    workload.churn_steps = 40;
    workload.buffers = {{.usage = test::kBufferUsage,
                         .smallest_bytes = size_bytes,
                         .largest_bytes = size_bytes,
                         .distribution = model::SizeDistribution::kUniform,
                         .count = count,
                         .lifetime = lifetime}};
    return workload;
}

void add_buffers(model::Workload& workload, std::uint32_t count, std::uint64_t size_bytes) {
    workload.buffers.push_back(of_buffers(count, size_bytes).buffers.front());
}

Result<validate::Population> fitted(const model::Workload& workload, std::uint64_t limit_bytes) {
    return validate::fit_population(
        workload, limit_bytes, [](const model::ResourceDescription& one) { return workload::packed_size_bytes(one); });
}

Result<model::DeviceValidation> played(const model::Workload& workload, const model::DevicePolicy& policy,
                                       validate::ValidateOptions options = test::scene_options()) {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    options.scenarios = {"mixed-workload"};
    auto result = validate::validate(**replay, policy, workload, options);
    CHECK((*replay)->counters().source_allocations == 0);
    CHECK((*replay)->counters().resources == 0);
    return result;
}

// At most these, and nothing is too little.
model::DevicePolicy promising(double waste, std::uint64_t allocations) {
    model::DevicePolicy policy = test::scene_policy();
    policy.expectations =
        model::Expectations{.mean_waste = decided(waste),
                            .mean_waste_interval = model::Interval{0, waste + 0.02},
                            .device_allocations = decided(allocations),
                            .device_allocations_interval = model::Interval{0, static_cast<double>(allocations)},
                            .worst_frame_ns = decided<std::uint64_t>(1'000'000),
                            .worst_frame_ns_interval = model::Interval{500'000, 1'500'000},
                            .most_calls_of_frame = 2,
                            .heaps = {{.heap = 0,
                                       .peak_reserved_bytes = decided(kGib),
                                       .peak_reserved_bytes_interval = model::Interval{0, double{kGib}}}}};
    return policy;
}

const model::Promise& promise_of(const model::ScenarioResult& result, const model::PromiseName& name) {
    const auto found = std::ranges::find(result.run.promises, name, &model::Promise::name);
    REQUIRE(found != result.run.promises.end());
    return *found;
}

}  // namespace

TEST_CASE("resources of a frame are held once where nothing churns") {
    for (const std::uint32_t count : {1u, 30u}) {
        model::Workload workload = of_buffers(count, 65536);
        workload.buffers[0].smallest_bytes = 65536;
        workload.buffers[0].lifetime = model::Lifetime::kFrame;
        const auto churned = fitted(workload, 1ull << 40);
        REQUIRE(churned);
        CHECK(churned->expected_bytes == 65536ull * count * (workload.frames_in_flight + 1));
        workload.churn_steps = 0;
        const auto still = fitted(workload, 1ull << 40);
        REQUIRE(still);
        CHECK(still->expected_bytes == 65536ull * count);
    }
}

TEST_CASE("a workload that fits is played as it is") {
    const model::Workload workload = of_buffers(7, kMib);
    const auto population = fitted(workload, 7 * kMib);
    REQUIRE(population);
    CHECK_FALSE(population->stand_in);
    CHECK(population->workload.buffers[0].count == 7);
    CHECK(population->expected_bytes == 7 * kMib);
}

TEST_CASE("a stand-in has fewer resources first, then the largest are left out, and none has another size") {
    model::Workload workload = of_buffers(100, kMib);
    add_buffers(workload, 4, 10 * kMib);
    const auto fewer = fitted(workload, 70 * kMib);
    REQUIRE(fewer);
    CHECK(fewer->workload.buffers[0].count == 50);
    CHECK(fewer->workload.buffers[1].count == 2);
    REQUIRE(fewer->stand_in);
    CHECK(fewer->stand_in->bytes_share == Catch::Approx(0.5));
    CHECK(fewer->stand_in->resources_left_out == 0);
    CHECK(fewer->stand_in->statement == "a stand-in ran: 50% of the bytes");

    const auto without_large = fitted(workload, 10 * kMib);
    REQUIRE(without_large);
    CHECK(without_large->largest_bytes == kMib);
    CHECK(without_large->expected_bytes <= 10 * kMib);
    REQUIRE(without_large->stand_in);
    CHECK(without_large->stand_in->resources_left_out == 4);
    CHECK(without_large->stand_in->statement == "a stand-in ran: 7.14% of the bytes; 4 large resources did not run");

    const auto nothing = fitted(workload, kMib / 2);
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == ErrorCode::kOverBudget);
}

TEST_CASE("sizes that vary leave room for a draw of many large ones") {
    model::Workload workload = of_buffers(100, kMib);
    workload.buffers.front().smallest_bytes = 256;
    workload.buffers.front().distribution = model::SizeDistribution::kLogUniform;
    const auto whole = fitted(workload, kGib);
    REQUIRE(whole);
    CHECK_FALSE(whole->stand_in);
    CHECK(whole->most_bytes > whole->expected_bytes + whole->expected_bytes / 10);
    CHECK(fitted(workload, whole->expected_bytes)->stand_in);
    CHECK_FALSE(fitted(workload, whole->most_bytes + 1)->stand_in);
}

TEST_CASE("what waits for the device counts, and never more than there is") {
    model::Workload workload = of_buffers(1, kMib, model::Lifetime::kStreaming);
    workload.frames_in_flight = 3;
    CHECK(fitted(workload, kGib)->expected_bytes == 4 * kMib);
    CHECK(fitted(of_buffers(5, kMib, model::Lifetime::kFrame), kGib)->expected_bytes == 20 * kMib);
}

TEST_CASE("resources larger than the humongous threshold are played at their size and number") {
    model::Workload workload = of_buffers(3, 40 * kMib);
    add_buffers(workload, 20, 4096);
    const auto result = played(workload, test::scene_policy());
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kReplayed);
    const model::ScenarioResult& scenario = result->scenarios.front();
    CHECK_FALSE(scenario.stand_in);
    CHECK(scenario.counts.peak_buffers == 23);
    CHECK(scenario.counts.dedicated_allocations == 3);
    CHECK(scenario.counts.verified_bytes >= 3 * 40 * kMib + 20 * 4096);
    // As the device sizes them, which may be more.
    CHECK(scenario.memory.peak_used_bytes >= 3 * 40 * kMib + 20 * 4096);
}

TEST_CASE("a limit that is too small gives a stand-in, said first, and no failure") {
    model::Workload workload = of_buffers(40, kMib);
    add_buffers(workload, 2, 48 * kMib);
    auto options = test::scene_options();
    options.memory_limit_bytes = 60 * kMib;
    const auto result = played(workload, test::scene_policy(), options);
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kReplayedInPart);
    CHECK(result->reason.starts_with("a stand-in ran: "));
    CHECK(result->reason.find("; not buffers/1: 48 MiB are too large for the memory limit; every check passed") !=
          std::string::npos);
    const std::optional<model::PlayedPart>& part = result->scenarios.front().part;
    REQUIRE(part);
    CHECK(part->bytes_share < 0.3);
    CHECK_FALSE(part->asked_for);
    REQUIRE(part->unplayed.size() == 1);
    CHECK(part->unplayed.front().requests == 2);
    CHECK(part->unplayed.front().bytes_share > 0.7);
    REQUIRE(result->scenarios.front().stand_in);
    CHECK(result->scenarios.front().stand_in->resources_left_out == 2);
    CHECK(result->scenarios.front().memory.peak_reserved_bytes <= 60 * kMib);
}

TEST_CASE("a stand-in is told also where a fault of another scenario leads the device's verdict") {
    model::Workload workload = of_buffers(60, kMib);
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    auto options = test::scene_options();
    options.scenarios = {"mixed-workload", "binding-model"};
    options.memory_limit_bytes = 60 * kMib;
    model::DevicePolicy policy = test::scene_policy();
    policy.descriptors.samplers.capacity.value = 1;  // which no heap can have
    const auto result = validate::validate(**replay, policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kFailed);
    CHECK(result->reason.starts_with("binding-model: "));
    CHECK(result->reason.find("; a stand-in ran: ") != std::string::npos);
}

TEST_CASE("a workload that the policy cannot hold fails, and a part of it runs when that is asked for") {
    // 2 GiB where 1 GiB and 256 MiB are usable; the limit on the run is no part of it.
    const model::Workload workload = of_buffers(20, 100 * kMib);
    auto options = test::scene_options();
    options.memory_limit_bytes = 4 * kGib;
    const auto refused = played(workload, test::scene_policy(), options);
    if (!refused) FAIL(to_string(refused.error()));
    INFO(refused->reason);
    CHECK(refused->verdict == model::Verdict::kFailed);
    CHECK(refused->reason.starts_with("the workload does not fit the policy: it keeps "));
    CHECK(refused->scenarios.front().counts.operations == 0);

    options.scale_to_fit = true;
    options.memory_limit_bytes = 400 * kMib;
    const auto part = played(workload, test::scene_policy(), options);
    if (!part) FAIL(to_string(part.error()));
    INFO(part->reason);
    CHECK(part->verdict == model::Verdict::kReplayedInPart);
    CHECK(part->reason.starts_with("a stand-in ran: "));
    CHECK(part->scenarios.front().part->asked_for);
}

TEST_CASE("what the device does not have is a verdict in part, by hint and reason, unless that is asked for") {
    // Fewer than a tenth of the bytes, and more than half of the requests.
    model::Workload workload = of_buffers(40, kMib, model::Lifetime::kStreaming);
    model::ImageHint compressed{.format = model::Format::kAstc4x4UnormBlock, .largest_side = 64, .count = 60};
    compressed.smallest_side = 64;
    workload.images = {compressed};
    auto options = test::scene_options();
    const auto result = played(workload, promising(0.5, 100), options);
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kReplayedInPart);
    const std::optional<model::PlayedPart>& part = result->scenarios.front().part;
    REQUIRE(part);
    CHECK(result->reason.starts_with(part->statement));
    CHECK(part->bytes_share > 0.9);
    CHECK(part->bytes_share < 1);
    CHECK(part->requests_share < 0.5);
    CHECK(part->requests_share > 0.3);
    REQUIRE(part->unplayed.size() == 1);
    CHECK(part->unplayed.front().hint == "images/0");
    CHECK_FALSE(part->unplayed.front().reason.empty());
    CHECK_FALSE(part->asked_for);
    CHECK(promise_of(result->scenarios.front(), {kMeanWaste}).verdict == model::PromiseVerdict::kNotTested);

    options.allow_unplayed = true;
    const auto allowed = played(workload, test::scene_policy(), options);
    REQUIRE(allowed);
    CHECK(allowed->verdict == model::Verdict::kReplayedInPart);
    CHECK(allowed->scenarios.front().part->asked_for);
}

TEST_CASE("a resource above maxMemoryAllocationSize is none that the device has, and both figures are told") {
    model::Workload workload = of_buffers(10, kMib);
    add_buffers(workload, 1, 40 * kMib);
    model::DeviceReport report = test::scene_report();
    std::erase_if(report.limits, [](const model::Fact& fact) { return fact.name == "maxMemoryAllocationSize"; });
    report.limits.push_back({"VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize", 32 * kMib});
    const auto replay = replay::open_replay(report, {.interpolate = true});
    REQUIRE(replay);
    auto options = test::scene_options();
    options.scenarios = {"mixed-workload", "defragmentation"};
    options.memory_limit_bytes = 200 * kMib;  // so that staging is within the limit of one allocation
    const auto result = validate::validate(**replay, test::scene_policy(), workload, options);
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kReplayedInPart);
    REQUIRE(result->scenarios.front().part);
    REQUIRE(result->scenarios.front().part->unplayed.size() == 1);
    const std::string& reason = result->scenarios.front().part->unplayed.front().reason;
    CHECK(reason.find("maxMemoryAllocationSize") != std::string::npos);
    CHECK(reason.find("limit 33554432") != std::string::npos);
    CHECK(result->scenarios.back().verdict == model::Verdict::kReplayed);
}

TEST_CASE("buffers that are splittable are played in the parts of the policy, the others whole") {
    const struct {
        std::uint64_t most;
        std::uint64_t bytes;
        std::uint32_t count;
        std::uint64_t parts;  // of all
    } cases[] = {{4 * kMib, 10 * kMib, 3, 9}, {kMib, 7 * kMib, 2, 14}, {8 * kMib, 8 * kMib, 5, 5}};
    for (const auto& one : cases) {
        INFO(one.bytes << " by " << one.most);
        model::DevicePolicy policy = test::scene_policy();
        policy.largest_buffer_bytes = decided(one.most);
        model::Workload workload = of_buffers(one.count, one.bytes);
        const auto whole = played(workload, policy);
        REQUIRE(whole);
        CHECK(whole->scenarios.front().counts.peak_buffers == one.count);
        workload.buffers[0].splittable = true;
        const auto split = played(workload, policy);
        REQUIRE(split);
        INFO(split->reason);
        CHECK(split->verdict == model::Verdict::kReplayed);
        CHECK(split->scenarios.front().counts.peak_buffers == one.parts);
        workload.buffers[0].usage |= model::buffer_usage::kStorage;
        policy.largest_storage_buffer_bytes = decided(one.bytes);
        CHECK(played(workload, policy)->scenarios.front().counts.peak_buffers == one.count);
        policy.largest_storage_buffer_bytes.reset();
        // Of an older policy.
        policy.largest_buffer_bytes.reset();
        CHECK(played(workload, policy)->scenarios.front().counts.peak_buffers == one.count);
    }
}

TEST_CASE("a workload of which nothing ran is not validated") {
    model::Workload workload = of_buffers(1, kMib);
    workload.buffers.clear();
    workload.images = {{.format = model::Format::kAstc4x4UnormBlock, .count = 60}};
    const auto result = played(workload, test::scene_policy());
    if (!result) FAIL(to_string(result.error()));
    CHECK(result->verdict == model::Verdict::kInconclusive);
    CHECK(result->reason.find("nothing of the workload ran") != std::string::npos);

    // By plan, too.
    workload = of_buffers(40, kMib);
    workload.buffers.front().needs = {model::Capability::kLazilyAllocatedMemory};
    for (const char* scenario : {"mixed-workload", "streaming", "defragmentation"}) {
        CAPTURE(scenario);
        const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        auto options = test::scene_options();
        options.scenarios = {scenario};
        const auto planned = validate::validate(**replay, test::scene_policy(), workload, options);
        if (!planned) FAIL(to_string(planned.error()));
        CAPTURE(planned->reason);
        CHECK((planned->verdict == model::Verdict::kInconclusive || planned->verdict == model::Verdict::kNotSupported));
    }
}

TEST_CASE(
    "a hint that requires what the device lacks is left out by plan, said first, and the rest is judged in full") {
    model::Workload workload = of_buffers(40, kMib);
    add_buffers(workload, 60, kMib);
    workload.buffers.back().needs = {model::Capability::kLazilyAllocatedMemory};
    const auto result = played(workload, test::scene_policy());
    if (!result) FAIL(to_string(result.error()));
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kReplayed);
    CHECK(result->reason.starts_with(
        "by plan without 60% of the bytes (buffers/1: no lazily allocated memory); every check passed"));
    CHECK_FALSE(result->scenarios.front().part);
    CHECK(result->scenarios.front().counts.peak_buffers == 40);
    REQUIRE(result->left_out.size() == 1);
    CHECK(result->left_out.front().resources == 60);
}

TEST_CASE("a limit that holds what the policy expects to reserve plays the workload, and one below it a stand-in") {
    const model::Workload workload = of_buffers(100, kMib);
    model::DevicePolicy policy = promising(0.5, 100);
    policy.expectations->heaps = {{.heap = 0, .peak_reserved_bytes = decided(112 * kMib)}};
    auto options = test::scene_options();
    options.memory_limit_bytes = 112 * kMib + 10 * kMib;
    const auto whole = played(workload, policy, options);
    if (!whole) FAIL(to_string(whole.error()));
    INFO(whole->reason);
    CHECK(whole->verdict == model::Verdict::kReplayed);
    CHECK_FALSE(whole->scenarios.front().stand_in);
    CHECK(whole->scenarios.front().counts.failures == 0);
    options.memory_limit_bytes = 112 * kMib;
    const auto part = played(workload, policy, options);
    REQUIRE(part);
    CHECK(part->verdict == model::Verdict::kReplayedInPart);
    CHECK(part->scenarios.front().stand_in);
}

TEST_CASE("a policy that says that its workload does not fit fails, for another workload the bytes count") {
    model::DevicePolicy policy = test::scene_policy();
    policy.capacity = model::CapacityPlan{.fits = false,
                                          .missing_bytes = 3 * kGib,
                                          .heaps = {{.heap = 0, .usable_bytes = kGib, .wanted_bytes = 4 * kGib}},
                                          .unfit = {{.hint = "buffers/0", .bytes = 3 * kGib}}};
    const auto own = played(of_buffers(4, kMib), policy);
    REQUIRE(own);
    INFO(own->reason);
    CHECK(own->verdict == model::Verdict::kFailed);
    CHECK(own->reason.starts_with("the workload does not fit: 3 GiB without a place"));
    auto options = test::scene_options();
    options.other_workload = "the policy was made for another";
    const auto other = played(of_buffers(4, kMib), policy, options);
    REQUIRE(other);
    CHECK(other->verdict == model::Verdict::kReplayed);
    CHECK(other->reason.starts_with("the policy was made for another; "));
}

TEST_CASE("uses that share heaps may not want more than these together") {
    const model::DevicePolicy policy = test::scene_policy();
    const model::DeviceReport report = test::scene_report();
    CHECK_FALSE(validate::misfit_of(policy, report, {kGib / 2, kMib, kMib, kMib}, true));
    CHECK(validate::misfit_of(policy, report, {2 * kGib, 0, 0, 0}, true));
    // Each alone has room.
    CHECK_FALSE(validate::misfit_of(policy, report, {kGib, 0, 0, 0}, true));
    CHECK_FALSE(validate::misfit_of(policy, report, {0, kGib, 0, 0}, true));
    CHECK(validate::misfit_of(policy, report, {kGib, kGib, 0, 0}, true));
}

TEST_CASE("a promise is kept, broken or not tested, and a broken one fails the run") {
    const model::Workload workload = test::scene_workload();
    const auto seen = played(workload, promising(100, 1000));
    if (!seen) FAIL(to_string(seen.error()));
    const model::ScenarioResult& kept = seen->scenarios.front();
    INFO(seen->reason);
    CHECK(seen->verdict == model::Verdict::kReplayed);
    CHECK(promise_of(kept, {kMeanWaste}).verdict == model::PromiseVerdict::kKept);
    CHECK(promise_of(kept, {kMeanWaste}).measured == kept.memory.mean_waste);
    CHECK(promise_of(kept, {kMeanWaste}).most == 100.02);
    CHECK(promise_of(kept, {kDeviceAllocations}).verdict == model::PromiseVerdict::kKept);
    CHECK(promise_of(kept, {kPeakReservedBytes, 0}).verdict == model::PromiseVerdict::kKept);
    CHECK(promise_of(kept, {kPeakReservedBytes, 0}).measured.value() > 0);
    CHECK(promise_of(kept, {kWorstFrameNs}).verdict == model::PromiseVerdict::kNotTested);
    CHECK(promise_of(kept, {kWorstFrameNs}).reason == "a replayed device has no time of its own");

    const double waste = kept.memory.mean_waste - 0.03;
    REQUIRE(waste > 0);
    const auto failed = played(workload, promising(waste, 1000));
    REQUIRE(failed);
    CHECK(failed->verdict == model::Verdict::kFailed);
    CHECK(failed->reason.starts_with("1 promise broken: mean_waste "));
    CHECK(promise_of(failed->scenarios.front(), {kMeanWaste}).verdict == model::PromiseVerdict::kBroken);

    // Better than the interval says fails no run.
    model::DevicePolicy modest = promising(waste, 1000);
    modest.expectations->mean_waste_interval = model::Interval{kept.memory.mean_waste + 0.01, 100};
    const auto loose = played(workload, modest);
    REQUIRE(loose);
    CHECK(loose->verdict == model::Verdict::kReplayed);
    CHECK(loose->reason.find("1 promise is loose") != std::string::npos);
    CHECK(promise_of(loose->scenarios.front(), {kMeanWaste}).verdict == model::PromiseVerdict::kLoose);
    CHECK(promise_of(loose->scenarios.front(), {kMeanWaste}).predicted == waste);

    model::DevicePolicy older = promising(waste, 1000);
    older.expectations->mean_waste_interval.reset();
    const auto not_judged = played(workload, older);
    REQUIRE(not_judged);
    CHECK(promise_of(not_judged->scenarios.front(), {kMeanWaste}).verdict == model::PromiseVerdict::kNotTested);

    auto options = test::scene_options();
    options.allow_broken_promises = true;
    const auto allowed = played(workload, promising(waste, 1000), options);
    REQUIRE(allowed);
    CHECK(allowed->verdict == model::Verdict::kReplayed);
    CHECK(allowed->reason.starts_with("1 promise broken: mean_waste "));
}

TEST_CASE("nothing is judged of a stand-in, of another workload, or of another allocator") {
    auto options = test::scene_options();
    options.memory_limit_bytes = 60 * kMib;
    const auto stand_in = played(of_buffers(100, kMib), promising(0.0, 1), options);
    REQUIRE(stand_in);
    INFO(stand_in->reason);
    CHECK(stand_in->verdict == model::Verdict::kReplayedInPart);
    for (const model::Promise& promise : stand_in->scenarios.front().run.promises) {
        CHECK(promise.verdict == model::PromiseVerdict::kNotTested);
        CHECK(promise.reason == "a stand-in ran");
    }
    options = test::scene_options();
    options.other_workload = "the policy was made for another";
    const auto other = played(test::scene_workload(), promising(0.0, 1), options);
    REQUIRE(other);
    CHECK(other->verdict == model::Verdict::kReplayed);
    CHECK(promise_of(other->scenarios.front(), {kMeanWaste}).reason == "another workload than the policy's was played");
}

TEST_CASE("times are judged where the frames were steady") {
    const model::DevicePolicy policy = promising(0.1, 10);
    model::ScenarioResult result;
    result.run.worst_frame_ns = 1'600'000;
    result.run.steadiness = model::MeasurementSteadiness{.answer = model::Steadiness::kSteady};
    const auto verdict = [&] {
        result.run.promises = validate::judge_promises(policy, result, {});
        return promise_of(result, {kWorstFrameNs}).verdict;
    };
    CHECK(verdict() == model::PromiseVerdict::kBroken);
    result.run.worst_frame_ns = 1'500'000;
    CHECK(verdict() == model::PromiseVerdict::kKept);
    result.run.worst_frame_ns = 499'999;
    CHECK(verdict() == model::PromiseVerdict::kLoose);
    // A frame has two calls, and the driver's slowest took a millisecond.
    result.run.slowest_device_call_ns = 1'000'000;
    result.run.worst_frame_ns = 3'500'000;
    CHECK(verdict() == model::PromiseVerdict::kKept);
    CHECK(promise_of(result, {kWorstFrameNs}).reason ==
          "the driver's own slowest call took 1 ms, and a frame has up to 2 calls");
    result.run.worst_frame_ns = 3'500'001;
    CHECK(verdict() == model::PromiseVerdict::kBroken);
    result.run.steadiness->answer = model::Steadiness::kDidNotSettle;
    CHECK(verdict() == model::PromiseVerdict::kNotTested);
    CHECK(promise_of(result, {kWorstFrameNs}).reason == "the times did not settle");
    CHECK(promise_of(result, {kPeakReservedBytes, 0}).reason == "not measured");
}

TEST_CASE("a promise by estimated sizes that does not hold is not tested") {
    model::DevicePolicy policy = promising(0.1, 10);
    model::ScenarioResult result;
    const auto verdict = [&](double waste) {
        result.memory.mean_waste = waste;
        result.run.promises = validate::judge_promises(policy, result, {});
        return promise_of(result, {kMeanWaste}).verdict;
    };
    CHECK(verdict(0.1) == model::PromiseVerdict::kKept);
    CHECK(verdict(5) == model::PromiseVerdict::kBroken);
    policy.expectations->estimated_share = 0.001;
    CHECK(verdict(5) == model::PromiseVerdict::kBroken);
    policy.expectations->estimated_share = 0.25;
    CHECK(verdict(0.1) == model::PromiseVerdict::kKept);
    CHECK(verdict(5) == model::PromiseVerdict::kNotTested);
    CHECK(promise_of(result, {kMeanWaste}).reason == "nothing in the report tells the sizes of 25% of the bytes");
    // What calls take does not rest on sizes.
    result.run.worst_frame_ns = 1'600'000;
    result.run.steadiness = model::MeasurementSteadiness{.answer = model::Steadiness::kSteady};
    CHECK(verdict(5) == model::PromiseVerdict::kNotTested);
    CHECK(promise_of(result, {kWorstFrameNs}).verdict == model::PromiseVerdict::kBroken);
}

TEST_CASE("requests that fail for one reason are one finding") {
    model::DevicePolicy policy = test::scene_policy();
    std::erase_if(policy.buckets, [](const model::BucketPolicy& bucket) {
        return bucket.resource_classes.front() == model::ResourceClass::kLinear;
    });
    policy.memory_uses.front().memory_types.value.clear();
    const auto result = played(of_buffers(200, 4096), policy);
    REQUIRE(result);
    INFO(result->reason);
    CHECK(result->verdict == model::Verdict::kFailed);
    CHECK(result->scenarios.front().findings_total == 1);
    CHECK(result->scenarios.front().counts.failures == 200);
    CHECK(result->reason.find("199 more requests failed as one of these did") != std::string::npos);
}

TEST_CASE("a frame records no more contexts and dynamic samplers than the workload, from seed to seed") {
    const std::uint32_t contexts = GENERATE(2u, 16u, 32u);
    auto preset = workload::preset("compute-inference");
    REQUIRE(preset);
    preset->bindings.recording_contexts = contexts;
    model::Workload small = of_buffers(4, 4096);
    small.bindings = preset->bindings;
    small.frames_in_flight = preset->frames_in_flight;
    const auto advised = policy::advise(test::scene_report(), small);
    REQUIRE(advised);
    model::DevicePolicy policy = test::scene_policy();
    policy.descriptors = advised->descriptors;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto replay =
            replay::open_replay(test::scene_report(), {.interpolate = true, .mode = replay::ReplayMode::kDeferred});
        REQUIRE(replay);
        auto options = test::scene_options();
        options.scenarios = {"binding-model"};
        options.extra_frames_ns = 0;
        options.seed = seed;
        const auto result = validate::validate(**replay, policy, small, options);
        if (!result) FAIL(to_string(result.error()));
        INFO("seed " << seed << ", " << contexts << " contexts: " << result->reason);
        CHECK(result->verdict == model::Verdict::kReplayed);
        CHECK(result->scenarios.front().bindings->recording_contexts == contexts);
    }
}

}  // namespace played_test
