// A policy made for heaps of other sizes or budgets, on the running device's (contract/scaling.hpp), and what changed
// in words. Where one chunk for each bucket does not fit its heap even then, a warning of the policy says so. Pure and
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "loader/running_device.hpp"

namespace heapwright::loader {

// What changed, a line each; empty: nothing. The policy's heaps are as many as the device's.
[[nodiscard]] std::vector<std::string> scale(model::DevicePolicy& policy, const RunningDevice& device);

}  // namespace heapwright::loader
