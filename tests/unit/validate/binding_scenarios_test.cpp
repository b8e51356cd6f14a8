// The scenarios of descriptors, lifetimes and uploads without a GPU. What makes them fail stands in
// descriptor_rules.cpp and lifetime_rules.cpp.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "late_devices.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"
#include "validate/binding_scenario.hpp"

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
    for (std::size_t i = 0; i < std::min<std::size_t>(result.findings.size(), 4); ++i)
        text += "\n  " + result.findings[i].resource + ": " + result.findings[i].statement;
    return text;
}

model::ScenarioResult run(device::Device& device, std::string_view name, const validate::ValidateOptions& options,
                          const model::DevicePolicy& policy = test::scene_policy()) {
    const auto scenario = std::ranges::find(validate::kBindingScenarios, name, &validate::BindingScenarioKind::name);
    auto result = validate::run_binding_scenario(*scenario, device, policy, options);
    if (!result) FAIL(to_string(result.error()));
    return *result;
}

}  // namespace

TEST_CASE("every scenario of descriptors passes on a replayed device, however late it is") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    for (const validate::BindingScenarioKind& scenario : validate::kBindingScenarios) {
        const auto device = replay::open_replay(test::scene_report(), {.interpolate = true, .mode = mode, .seed = 11});
        REQUIRE(device);
        const model::ScenarioResult result = run(**device, scenario.name, quick());
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        CHECK(result.findings_total == 0);
        REQUIRE(result.bindings);
        CHECK(result.bindings->bytes_checked > 0);
        CHECK(result.bindings->frames > 0);
        CHECK(result.bindings->descriptor_form == "shadow");
        CHECK((result.run.bindings && result.run.bindings->descriptor_stalls));
        const replay::ReplayCounters left = (*device)->counters();
        CHECK(left.source_allocations == 0);
        CHECK(left.resources == 0);
        CHECK(left.timelines == 0);
        CHECK(left.descriptor_heaps == 0);
        CHECK(left.command_allocators == 0);
        CHECK(left.pipelines == 0);
    }
}

TEST_CASE("the figures say how far the scenarios came") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto exhaustion = run(**device, "descriptor-exhaustion", quick());
    INFO(words(exhaustion));
    CHECK(exhaustion.bindings->descriptors_reached == 1'000'000);
    CHECK(exhaustion.bindings->peak_samplers >= 4000);
    CHECK(exhaustion.bindings->limits.find("maxSamplerAllocationCount") != std::string::npos);
    const auto model = run(**device, "binding-model", quick());
    CHECK(model.bindings->recording_contexts == 8);  // the options' own
    CHECK(model.bindings->descriptors_checked >= 20 * 128 * 7);
    CHECK(model.bindings->peak_dynamic_descriptors > 0);
    const auto views = run(**device, "descriptor-views", quick());
    INFO(words(views));
    CHECK(views.bindings->limits.empty());  // views for writing images, too
    const auto upload = run(**device, "upload", quick());
    INFO(words(upload));
    CHECK(upload.bindings->bytes_checked > 32 * test::kMib);
    CHECK(upload.bindings->limits.find("one stall forced by a frame behind a gate, seen") != std::string::npos);
    REQUIRE(upload.run.bindings);
    CHECK(upload.run.bindings->upload_stalls >= 1);
}

TEST_CASE("the limit on samplers is told as the specification's and as the device's, each by its own") {
    constexpr const char* kCreated = "ID3D12Device::CreateDescriptorHeap";
    constexpr const char* kSamplers = "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER";
    model::DeviceReport report = test::scene_report();
    const auto limits = [&] {
        const auto device = replay::open_replay(report, {.interpolate = true});
        const auto result = run(**device, "descriptor-exhaustion", quick());
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        return result.bindings->limits;
    };
    SECTION("Vulkan forbids to ask for more") {
        report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetSamplers", 3000});
        CHECK(limits().find("shader-visible sampler heap: 3000 stated, more was not asked for") != std::string::npos);
    }
    SECTION("Vulkan states more than is tried") {
        report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetSamplers", 1'000'000});
        CHECK(limits().find("shader-visible sampler heap: 1000000 stated, 65536 created") != std::string::npos);
    }
    SECTION("a driver enforces nothing") {
        report.identity.api = model::Api::kD3d12;
        report.limits.push_back({kCreated, kSamplers, 65'536});
        CHECK(limits().find("shader-visible sampler heap: 2048 stated, not enforced up to 65536") != std::string::npos);
    }
    SECTION("a driver refuses in its own words") {
        report.identity.api = model::Api::kD3d12;
        report.limits.push_back({kCreated, kSamplers, 5000});
        report.limits.push_back({kCreated, "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER refused", 5001});
        const std::string text = limits();
        INFO(text);
        CHECK(text.find("shader-visible sampler heap: 2048 stated, 8192 refused (") != std::string::npos);
        CHECK(text.find("the device refused a heap of 5001 descriptors") != std::string::npos);
    }
}

TEST_CASE("a device without descriptor heaps is not supported, and says why") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::WithoutDescriptors device(**replay);
    const auto result = run(device, "binding-model", quick());
    CHECK(result.verdict == model::Verdict::kNotSupported);
    CHECK(result.reason.find("no descriptor heaps") != std::string::npos);
}

TEST_CASE("the same device without that lie passes") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::EarlyDevice device(**replay, 0);
    const auto result = run(device, "early-release", quick());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kReplayed);
}

TEST_CASE("an unknown scenario is refused with the names that there are") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = quick();
    options.scenarios = {"bindings"};
    const auto refused = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("binding-model") != std::string::npos);
    options.scenarios = {"upload", "binding-model"};
    const auto two = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
    REQUIRE(two);
    REQUIRE(two->scenarios.size() == 2);
    CHECK(two->scenarios[0].name == "binding-model");
}
