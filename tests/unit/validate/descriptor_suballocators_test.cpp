// The scenarios of descriptors with every suballocator that a policy can name for a part of the descriptor heaps: they
// pass, or say clearly why that kind does not serve.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "model/names.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"
#include "validate/binding_scenario.hpp"

namespace descriptor_suballocators_test {

using namespace heapwright;
using model::SuballocatorKind;

namespace {

constexpr SuballocatorKind kAllKinds[] = {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks,
                                          SuballocatorKind::kSlots, SuballocatorKind::kLinear, SuballocatorKind::kRing};

enum class Part { kCpu, kStatic, kDynamic };

model::DevicePolicy policy_with(Part part, SuballocatorKind kind) {
    model::DevicePolicy policy = test::scene_policy();
    if (part == Part::kCpu) policy.descriptors.cpu_suballocator = test::decided(kind);
    for (model::VisibleHeapPolicy* heap : {&policy.descriptors.resources, &policy.descriptors.samplers}) {
        if (part == Part::kStatic) heap->static_suballocator = test::decided(kind);
        if (part == Part::kDynamic) heap->dynamic_suballocator = test::decided(kind);
    }
    return policy;
}

model::ScenarioResult run(const validate::BindingScenarioKind& scenario, const model::DevicePolicy& policy) {
    const auto device = replay::open_replay(test::scene_report(),
                                            {.interpolate = true, .mode = replay::ReplayMode::kDeferred, .seed = 11});
    REQUIRE(device);
    validate::ValidateOptions options;
    options.seed = 3;
    options.memory_limit_bytes = 512 * test::kMib;
    options.extra_frames_ns = 0;
    auto result = validate::run_binding_scenario(scenario, **device, policy, options);
    if (!result) FAIL(to_string(result.error()));
    CHECK((*device)->counters().descriptor_heaps == 0);
    return *result;
}

// Why this kind does not serve there; empty where it has to.
std::string excuse(Part part, SuballocatorKind kind, std::string_view scenario) {
    if (part == Part::kStatic && kind == SuballocatorKind::kSlots) return "slots of one descriptor hold no table";
    // It takes the views of a resource in a row.
    if (part == Part::kCpu && kind == SuballocatorKind::kSlots && scenario == "descriptor-exhaustion")
        return "gives out one descriptor at a time";
    return {};
}

}  // namespace

TEST_CASE("the scenarios of descriptors run with every other kind of suballocator, or name one that does not serve") {
    for (const Part part : {Part::kCpu, Part::kStatic, Part::kDynamic}) {
        for (const SuballocatorKind kind : kAllKinds) {
            // With contexts that record at the same time, it depends on them whether a stack is ever empty.
            if (part == Part::kDynamic && kind == SuballocatorKind::kLinear) continue;
            if (kind == (part == Part::kDynamic ? SuballocatorKind::kSlots : SuballocatorKind::kTlsf)) continue;
            const model::DevicePolicy policy = policy_with(part, kind);
            for (const validate::BindingScenarioKind& scenario : validate::kBindingScenarios) {
                if (scenario.name == "upload" || scenario.name == "early-release") continue;  // of other things
                const model::ScenarioResult result = run(scenario, policy);
                INFO(static_cast<int>(part)
                     << " " << model::name_of(kind) << " " << scenario.name << ": " << result.reason);
                const std::string why = excuse(part, kind, scenario.name);
                CHECK((result.verdict == model::Verdict::kReplayed) == why.empty());
                CHECK(result.reason.find(why) != std::string::npos);
            }
        }
    }
}

TEST_CASE("a stack of dynamic chunks serves, or runs out and says of what") {
    const model::DevicePolicy policy = policy_with(Part::kDynamic, SuballocatorKind::kLinear);
    for (const validate::BindingScenarioKind& scenario : validate::kBindingScenarios) {
        const model::ScenarioResult result = run(scenario, policy);
        INFO(scenario.name << ": " << result.reason);
        if (result.verdict == model::Verdict::kReplayed) continue;
        CHECK(result.findings_total == 1);
        CHECK(result.reason.find("the dynamic part of the shader-visible") != std::string::npos);
    }
}

}  // namespace descriptor_suballocators_test
