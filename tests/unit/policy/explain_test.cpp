#include <catch2/catch_test_macros.hpp>

#include "cited_inputs.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/render/explain.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

TEST_CASE("an explanation holds every reason, input and rejected alternative of the policy") {
    auto device_policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(device_policy);
    model::Policy policy;
    policy.workload_name = "small";
    policy.devices.push_back(*device_policy);
    const std::string text = render::explain(policy);
    const auto holds = [&text](const std::string& part) { return text.find(part) != std::string::npos; };

    CHECK(holds("Synthetic RX"));
    for (const test::NamedDecision& decision : test::all_decisions(*device_policy)) {
        INFO(decision.name);
        CHECK(holds("because " + decision.why.reason));
        for (const auto& input : decision.why.inputs) CHECK(holds(input.path + " = " + input.value));
        for (const auto& other : decision.why.alternatives) CHECK(holds("not " + other.value + ": " + other.reason));
    }
    for (const auto& use : device_policy->memory_uses) {
        for (const auto& excluded : use.excluded) CHECK(holds(excluded.reason));
    }
    for (const auto& warning : device_policy->warnings) CHECK(holds(warning));
}
