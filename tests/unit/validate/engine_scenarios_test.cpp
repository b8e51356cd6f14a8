// The scenarios of several engines without a GPU, and what must make them fail.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "lossy_devices.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "replay_scene.hpp"
#include "validate/engine_scenario.hpp"

namespace engine_scenarios_test {

using namespace heapwright;

namespace {

validate::ValidateOptions quick() {
    validate::ValidateOptions options;
    options.seed = 3;
    options.memory_limit_bytes = 512 * test::kMib;
    options.extra_frames_ns = 0;
    return options;
}

std::string words(const model::ScenarioResult& result) {
    std::string text = result.name + ": " + result.reason;
    for (const model::ValidationFinding& finding : result.findings)
        text += "\n  " + finding.resource + ": " + finding.statement;
    return text;
}

model::ScenarioResult run(device::Device& device, const engines::Example& example,
                          const model::DevicePolicy& policy = test::scene_policy(),
                          validate::Sharing sharing = validate::Sharing::kConcurrent) {
    auto result = validate::run_engine_scenario(example, device, policy, quick(), sharing);
    if (!result) FAIL(to_string(result.error()));
    return *result;
}

bool found(const model::ScenarioResult& result, model::Fault fault) {
    return std::ranges::find(result.findings, fault, &model::ValidationFinding::fault) != result.findings.end();
}

// Graphics reads what compute writes, and nothing orders them.
Status play_race(engines::Conductor& c, const engines::ExampleSettings& settings) {
    const auto compute = c.queue("compute", engines::ActorKind::kCompute);
    const auto graphics = c.queue("graphics", engines::ActorKind::kGraphics);
    const auto fence = c.fence("fence");
    const auto data = c.buffer("data", settings.piece_bytes());
    const auto seen = c.buffer("seen", settings.piece_bytes());
    c.begin();
    c.execute(compute, "make", {device::FillBuffer{{data.value}, 0, settings.piece_bytes(), 7}}, 10);
    c.signal(compute, fence, 1);
    c.execute(graphics, "take", {device::CopyBuffer{{data.value}, {seen.value}, 0, 0, settings.piece_bytes()}}, 10);
    return c.status();
}

// Each queue waits for the other.
Status play_circle(engines::Conductor& c, const engines::ExampleSettings& settings) {
    const auto compute = c.queue("compute", engines::ActorKind::kCompute);
    const auto graphics = c.queue("graphics", engines::ActorKind::kGraphics);
    const auto one = c.fence("one");
    const auto other = c.fence("other");
    const auto data = c.buffer("data", settings.piece_bytes());
    c.begin();
    c.wait(compute, one, 1);
    c.execute(compute, "make", {device::FillBuffer{{data.value}, 0, settings.piece_bytes(), 7}}, 10);
    c.signal(compute, other, 1);
    c.wait(graphics, other, 1);
    c.signal(graphics, one, 1);
    return c.status();
}

}  // namespace

TEST_CASE("every scenario of several engines passes on a replayed device, however late it is") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    for (const engines::Example& example : engines::examples()) {
        const auto device = replay::open_replay(test::scene_report(), {.interpolate = true, .mode = mode, .seed = 11});
        REQUIRE(device);
        const model::ScenarioResult result = run(**device, example);
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        CHECK(result.findings_total == 0);
        REQUIRE(result.engines);
        CHECK(result.engines->bytes_checked > 0);
        CHECK(result.engines->submissions > 0);
        CHECK(result.engines->queues == result.engines->engines.size());
        CHECK_FALSE(result.engines->waits.empty());
        CHECK_FALSE(result.run.engine_spans.empty());
        for (const model::WaitFinding& wait : result.engines->waits) {
            INFO(wait.wait);
            CHECK(wait.shown_by.empty() == (wait.role != model::WaitRole::kNecessary));
        }
        const replay::ReplayCounters left = (*device)->counters();
        CHECK(left.source_allocations + left.resources + left.timelines + left.descriptor_heaps +
                  left.command_allocators ==
              0);
    }
}

TEST_CASE("each of the frame's waits is listed with the accesses that it orders") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    const model::ScenarioResult result = run(**device, engines::examples().front());
    std::vector<std::string> waits;
    for (const model::WaitFinding& wait : result.engines->waits) {
        waits.push_back(wait.wait);
        CHECK(wait.role == model::WaitRole::kNecessary);
        CHECK(wait.shown_by.find("with no fence between them") != std::string::npos);
    }
    CHECK(waits ==
          std::vector<std::string>{"graphics waits for copyFence >= 101", "compute waits for renderFence >= 201",
                                   "graphics waits for computeFence >= 301", "graphics waits for copyFence >= 102"});
}

TEST_CASE("what a document says of a scenario of several engines does not depend on the device's speed") {
    for (const engines::Example& example : engines::examples()) {
        const auto early = replay::open_replay(test::scene_report(), {.interpolate = true});
        const auto late = replay::open_replay(test::scene_report(),
                                              {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = 5});
        const model::ScenarioResult a = run(**early, example);
        const model::ScenarioResult b = run(**late, example);
        CHECK(a.reason == b.reason);
        CHECK(a.engines->bytes_checked == b.engines->bytes_checked);
        CHECK(a.engines->submissions == b.engines->submissions);
        CHECK(a.engines->waits.size() == b.engines->waits.size());
    }
}

TEST_CASE("scenarios of several engines say what a device with one queue lacks") {
    model::DeviceReport report = test::scene_report();
    report.queue_families.resize(1);
    report.queue_families[0].queue_count = 1;
    for (const engines::Example& example : engines::examples()) {
        const auto device = replay::open_replay(report, {.interpolate = true});
        const model::ScenarioResult result = run(**device, example);
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        CHECK(result.engines->queues == 1);
        CHECK(result.engines->early_waits == 0);
        CHECK(result.reason.find("one queue for all") != std::string::npos);
    }
}

TEST_CASE("the frame with owners is one scenario more, says what it handed over, and changes none of the others") {
    const auto& kinds = validate::engine_scenarios();
    REQUIRE(kinds.size() == engines::examples().size() + 1);
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    for (const validate::EngineScenarioKind& kind : kinds) {
        const model::ScenarioResult result = run(**device, kind.example, test::scene_policy(), kind.sharing);
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        CHECK(result.findings_total == 0);
        const bool has_owners = result.reason.find("exclusive sharing: ") != std::string::npos;
        const bool is_shared = result.reason.find("concurrent sharing, no ownership moves") != std::string::npos;
        CHECK(has_owners == (&kind == &kinds.back()));
        // The low and the high priority are of the graphics family here.
        const bool is_of_one_family =
            kind.example.name == "background-compute" || kind.example.name == "interrupting-compute";
        CHECK(is_shared == (!has_owners && !is_of_one_family));
    }
    const model::ScenarioResult last =
        run(**device, kinds.back().example, test::scene_policy(), validate::Sharing::kExclusive);
    CHECK(last.name == "multi-engine-frame-exclusive");
    CHECK(last.reason.find("exclusive sharing: 7 ownership transfers between 3 queue families") != std::string::npos);
    CHECK(last.engines->early_waits == 0);
    for (const model::WaitFinding& wait : last.engines->waits) CHECK(wait.role == model::WaitRole::kNecessary);
}

TEST_CASE("a device without several owners does not support the frame with owners, and says why") {
    model::DeviceReport report = test::scene_report();
    std::string why;
    SECTION("one queue family") {
        report.queue_families.resize(1);
        report.queue_families[0].queue_count = 8;
        why = "one queue family";
    }
    SECTION("Direct3D 12") {
        report.identity.api = model::Api::kD3d12;
        why = "belong to no queue family";
    }
    const auto device = replay::open_replay(report, {.interpolate = true});
    REQUIRE(device);
    const model::ScenarioResult result =
        run(**device, engines::owned_frame(), test::scene_policy(), validate::Sharing::kExclusive);
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kNotSupported);
    CHECK(result.reason.find(why) != std::string::npos);
    CHECK(result.findings_total == 0);
}

TEST_CASE("a device that loses transfers makes the frame with owners fail") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::ChangingDevice device(**replay, [](device::Submission& submission) { submission.releases = {}; });
    const model::ScenarioResult result =
        run(device, engines::owned_frame(), test::scene_policy(), validate::Sharing::kExclusive);
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(found(result, model::Fault::kValidationLayer));
}

TEST_CASE("scenarios of several engines play the policy's ring length and latencies beside the document's") {
    model::DevicePolicy policy = test::scene_policy();
    policy.engines.emplace();
    policy.engines->copy_ring_length.value = 5;
    policy.engines->cpu_latency.value = 2;
    policy.engines->compute_graphics_latency.value = 1;
    for (const engines::Example& example : engines::examples()) {
        const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
        const model::ScenarioResult usual = run(**device, example);
        const model::ScenarioResult result = run(**device, example, policy);
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        std::size_t known = 0;
        const std::pair<const char*, std::uint64_t> values[] = {
            {"ring_length", 3},        {"cpu_latency", 3},        {"compute_graphics_latency", 2},
            {"policy_ring_length", 5}, {"policy_cpu_latency", 2}, {"policy_compute_graphics_latency", 1}};
        for (const model::ScenarioParameter& parameter : result.engines->parameters) {
            for (const auto& [name, value] : values) {
                if (parameter.name != name) continue;
                CHECK(parameter.value == value);
                ++known;
            }
        }
        CHECK(known == (example.takes_ring_length ? 2u : 0u) + (example.takes_latencies ? 4u : 0u));
        CHECK((result.reason.find("as the engine article has it, and with the policy's") != std::string::npos) ==
              (known != 0));
        // Both are submitted and checked.
        CHECK((result.engines->bytes_checked > usual.engines->bytes_checked * 3 / 2) == (known != 0));
        CHECK((result.engines->submissions > usual.engines->submissions * 3 / 2) == (known != 0));
    }
}

// As on a device that is fast enough to be given more to do.
TEST_CASE("a scenario of several engines runs in the size that it is given, and measures none twice") {
    std::optional<engines::WorkSize> size =
        engines::WorkSize{.side = 64, .delay = {.rounds = 300, .copies = 2}, .how = "as given"};
    const bool owned = GENERATE(false, true);
    for (const engines::Example& example : engines::examples()) {
        if (owned && &example != &engines::examples().front()) continue;
        const auto device = replay::open_replay(test::scene_report(),
                                                {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = 5});
        const auto result = validate::run_engine_scenario(
            owned ? engines::owned_frame() : example, **device, test::scene_policy(), quick(),
            owned ? validate::Sharing::kExclusive : validate::Sharing::kConcurrent, &size);
        REQUIRE(result);
        INFO(words(*result));
        CHECK(result->verdict == model::Verdict::kReplayed);
        CHECK(result->findings_total == 0);
        CHECK(result->reason.find("as given") != std::string::npos);
        CHECK(result->engines->parameters.front().value == 64);
    }
    std::optional<engines::WorkSize> none;
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(validate::run_engine_scenario(engines::examples().front(), **device, test::scene_policy(), quick(),
                                          validate::Sharing::kConcurrent, &none));
    REQUIRE(none);
    CHECK_FALSE(none->delay.is_any());
    CHECK(none->side == 32);
}

TEST_CASE("a device without descriptor heaps cannot draw, and the scenario says so") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::WithoutDescriptors device(**replay);
    const model::ScenarioResult result = run(device, engines::examples().front());
    CHECK(result.verdict == model::Verdict::kNotSupported);
    CHECK(result.reason.find("no descriptor heaps") != std::string::npos);
}

TEST_CASE("a schedule that breaks a rule is reported with both accesses, and nothing of it is submitted") {
    auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto device = replay::inject_faults(std::move(*replay), {});
    const model::ScenarioResult result = run(*device, {.name = "race", .play = play_race});
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(found(result, model::Fault::kBrokenRule));
    CHECK(result.reason.find("compute: execute make") != std::string::npos);
    CHECK(result.reason.find("graphics: execute take") != std::string::npos);
    CHECK(device->counters().submissions == 0);
}

TEST_CASE("a circle of waits is reported, and nothing of it is submitted") {
    auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto device = replay::inject_faults(std::move(*replay), {});
    const model::ScenarioResult result = run(*device, {.name = "circle", .play = play_circle});
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(found(result, model::Fault::kBrokenRule));
    CHECK(result.reason.find("waits for ever") != std::string::npos);
    CHECK(device->counters().submissions == 0);
}

TEST_CASE("a device that does not do its work makes every scenario of several engines fail") {
    for (const engines::Example& example : engines::examples()) {
        const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        test::ChangingDevice device(**replay, test::forget_every(5));
        const model::ScenarioResult result = run(device, example);
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kFailed);
        CHECK(found(result, model::Fault::kStaleBytes));
    }
}

TEST_CASE("the fault plan's passed waits make the frame fail") {
    auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto device = replay::inject_faults(std::move(*replay), *replay::parse_fault_plan("pass-waits-from=1"));
    const model::ScenarioResult result = run(*device, engines::examples().front());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(found(result, model::Fault::kStaleBytes));
    CHECK(device->counters().injected > 0);
}

TEST_CASE("a device that takes waits for met makes scenarios of several engines fail") {
    for (const engines::Example& example : engines::examples()) {
        bool shown = false;
        bool has_queue_waits = false;
        for (std::uint64_t seed = 1; seed <= 32 && !shown; ++seed) {
            const auto replay = replay::open_replay(
                test::scene_report(), {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = seed});
            test::ChangingDevice device(**replay, test::pass_waits());
            const model::ScenarioResult result = run(device, example);
            shown = found(result, model::Fault::kStaleBytes);
            for (const model::WaitFinding& wait : result.engines->waits)
                has_queue_waits |= !wait.wait.starts_with("host");
        }
        INFO(example.name);
        CHECK(shown == has_queue_waits);
    }
}

}  // namespace engine_scenarios_test
