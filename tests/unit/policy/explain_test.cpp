#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <sstream>

#include "cited_inputs.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/render/explain.hpp"
#include "heapwright/render/human_units.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

TEST_CASE("an explanation holds every reason, input and rejected alternative of the policy") {
    auto device_policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(device_policy);
    model::Policy policy;
    policy.workload_name = "small";
    policy.devices.push_back(*device_policy);
    const std::string text = render::explain(policy, {.all = true});
    const auto holds = [&text](const std::string& part) { return text.find(part) != std::string::npos; };

    CHECK(holds("Synthetic RX"));
    for (const test::NamedDecision& decision : test::all_decisions(*device_policy)) {
        INFO(decision.name);
        CHECK(holds("because " + render::in_units(decision.why.reason)));
        for (const auto& input : decision.why.inputs) CHECK(holds(input.path + " = " + input.value));
        for (const auto& other : decision.why.alternatives)
            CHECK(holds("not " + render::in_units(other.value) + ": " + render::in_units(other.reason)));
    }
    for (const auto& use : device_policy->memory_uses) {
        for (const auto& excluded : use.excluded) CHECK(holds(render::in_units(excluded.reason)));
    }
    for (const auto& warning : device_policy->warnings) CHECK(holds(render::in_units(warning)));
}

namespace {

model::Policy example() {
    auto device_policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(device_policy);
    model::Policy policy;
    policy.workload_name = "small";
    policy.devices.push_back(std::move(*device_policy));
    policy.devices.front().warnings.clear();
    policy.devices.front().assumed.clear();
    return policy;
}

}  // namespace

TEST_CASE("unless more is asked for, every number takes at most three lines, in units for people") {
    const model::Policy policy = example();
    const std::string text = render::explain(policy);
    std::istringstream lines(text);
    std::size_t reasons = 0;
    std::size_t in_a_row = 0;
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        const bool is_reason = line.starts_with("  ");
        in_a_row = is_reason ? in_a_row + 1 : 0;
        CHECK(in_a_row <= 2);
        if (!is_reason) continue;
        ++reasons;
        CHECK(line.size() <= render::kExplanationWidth);
    }
    CHECK(reasons >= test::all_decisions(policy.devices.front()).size());
    CHECK(text.find(" bytes (") == std::string::npos);
    CHECK(text.find("\n  because ") == std::string::npos);
    CHECK(text.find("  from report") == std::string::npos);
}

TEST_CASE("a number that is asked for is told in full, and no other") {
    const std::string text = render::explain(example(), {.why = "chunk_size"});
    CHECK(text.find(": chunk size: ") != std::string::npos);
    CHECK(text.find("  because ") != std::string::npos);
    CHECK(text.find("  not ") != std::string::npos);
    CHECK(text.find("upload ring") == std::string::npos);
    CHECK(render::explain(example(), {.why = "no such number"}).find("  because ") == std::string::npos);
}

TEST_CASE("figures are told in units") {
    CHECK(render::in_units("of 16777216 bytes, 4352 usable bytes") == "of 16 MiB, 4.25 KiB usable");
    CHECK(render::in_units("2083333 ns or 2083.3 us") == "2.083 ms or 2.083 ms");
    CHECK(render::in_units("512 bytes and BC7 bytes, x16777216 bytes") == "512 bytes and BC7 bytes, x16777216 bytes");
    CHECK(render::in_units("1/8 of 16777216") == "1/8 of 16777216");
}
