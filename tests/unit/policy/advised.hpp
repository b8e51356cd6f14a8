// Advice that a test goes on with: it fails where there is none, or no word on whether the workload fits.
#pragma once

#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "policy/advise.hpp"

namespace heapwright::test {

inline model::DevicePolicy advised(const model::DeviceReport& device, const model::Workload& workload,
                                   const policy::AdviseOptions& options = {}) {
    auto policy = policy::advise(device, workload, 0, options);
    if (!policy) FAIL(to_string(policy.error()));
    REQUIRE(policy->capacity);
    return std::move(*policy);
}

}  // namespace heapwright::test
