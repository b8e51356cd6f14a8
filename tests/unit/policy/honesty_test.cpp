// Every input that a decision cites matters: changing it changes the number or its reason.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "cited_inputs.hpp"
#include "policy/advise.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace honesty_test {

using namespace heapwright;

namespace {

// Small samples: the question is whether an input is minded, not how good the choice is.
constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 200, .churn_steps = 60}};

void check_honesty(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload, 0, kQuick);
    REQUIRE(policy);
    std::map<std::string, std::optional<model::DevicePolicy>> changed_by;  // by the input's path
    const auto advised_with_another =
        [&](const model::DecisionInput& input) -> const std::optional<model::DevicePolicy>& {
        const auto [known, is_new] = changed_by.try_emplace(input.path);
        if (is_new) {
            model::DeviceReport changed_device = device;
            model::Workload changed_workload = workload;
            REQUIRE(test::change_input(input, changed_device, changed_workload));
            if (auto changed = policy::advise(changed_device, changed_workload, 0, kQuick))
                known->second = std::move(*changed);
        }
        return known->second;
    };
    std::size_t checked = 0;
    for (const test::NamedDecision& decision : test::all_decisions(*policy)) {
        for (const model::DecisionInput& input : decision.why.inputs) {
            INFO(decision.name << " cites " << input.path << " = " << model::text_of(input.value));
            CHECK_FALSE(model::text_of(input.value).empty());
            const std::optional<model::DevicePolicy>& changed = advised_with_another(input);
            ++checked;
            if (!changed) continue;  // the change made the workload impossible: the decision is gone
            const auto decisions = test::all_decisions(*changed);
            const auto same = std::find_if(decisions.begin(), decisions.end(),
                                           [&](const auto& other) { return other.name == decision.name; });
            const bool minds =
                same == decisions.end() || same->value != decision.value || same->why.reason != decision.why.reason;
            CHECK(minds);
        }
    }
    CHECK(checked > 50);
}

}  // namespace

TEST_CASE("changing a cited input changes the number or its reason") {
    check_honesty(test::radv_like_device(), test::small_workload());
}

TEST_CASE("the same with measured costs of memory") {
    model::DeviceReport device = test::radv_like_device();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (std::uint64_t size = 1 << 16; size <= 1ull << 30; size *= 4)
            curve.points.push_back({.size_bytes = size,
                                    .samples = 9,
                                    .allocate_ns = 200'000 + (size >> 6),
                                    .free_ns = 50'000 + (size >> 8)});
        device.run.memory_cost.push_back(curve);
    }
    check_honesty(device, test::small_workload());
}

TEST_CASE("the same without budgets, with a small heap and a low allocation count") {
    model::DeviceReport device = test::radv_like_device();
    device.run.heap_budgets.clear();
    device.heaps[0].size_bytes = 400ull << 20;
    test::set_limit(device, "maxMemoryAllocationCount", 80);
    test::set_limit(device, "maxMemoryAllocationSize", 32ull << 20);
    check_honesty(device, test::small_workload());
}

TEST_CASE("the same with measured creations") {
    model::DeviceReport device = test::radv_like_device();
    device.run.creations = test::measured_creations();
    check_honesty(device, test::small_workload());
}

TEST_CASE("the same with measured engines: what is measured, what is not, and one engine alone") {
    model::DeviceReport device = test::radv_like_device();
    device.run.engines = test::measured_engines();
    check_honesty(device, test::small_workload());
    device.run.engines->overlaps.clear();
    device.run.engines->pipelines.clear();
    check_honesty(device, test::small_workload());
    device.run.engines->engines.resize(1);
    check_honesty(device, test::small_workload());
}

}  // namespace honesty_test
