// What to expect of a workload under a policy that a test has changed, as advise() would say it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "policy/expectations.hpp"

namespace heapwright::test {

inline std::optional<model::Expectations> expected_of(const policy::Context& context, const model::DevicePolicy& policy,
                                                      model::Statement& warnings) {
    const policy::PolicyPlayer player(context, policy, policy::SampleOptions{});
    const auto runs = player.play();
    REQUIRE(runs);
    return policy::decide_expectations(context, policy, player, *runs, warnings);
}

}  // namespace heapwright::test
