// Every input that a decision cites matters: changing it changes the number or its reason.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "cited_inputs.hpp"
#include "heapwright/policy/advise.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

void check_honesty(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload);
    REQUIRE(policy);
    std::size_t checked = 0;
    for (const test::NamedDecision& decision : test::all_decisions(*policy)) {
        for (const model::DecisionInput& input : decision.why.inputs) {
            INFO(decision.name << " cites " << input.path << " = " << input.value);
            CHECK_FALSE(input.value.empty());
            model::DeviceReport changed_device = device;
            model::Workload changed_workload = workload;
            REQUIRE(test::change_input(input, changed_device, changed_workload));
            const auto changed = policy::advise(changed_device, changed_workload);
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

TEST_CASE("the same without budgets, with a small heap and a low allocation count") {
    model::DeviceReport device = test::radv_like_device();
    device.run.heap_budgets.clear();
    device.heaps[0].size_bytes = 400ull << 20;
    test::set_limit(device, "maxMemoryAllocationCount", 80);
    test::set_limit(device, "maxMemoryAllocationSize", 32ull << 20);
    check_honesty(device, test::small_workload());
}
