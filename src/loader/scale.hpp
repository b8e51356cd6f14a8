// A policy made for heaps of other sizes or budgets, on the running device's. Pure and thread-safe.
//   usable bytes: the same share of min(size, budget)
//   chunk sizes:  where a heap has become smaller, no more than an eighth of its usable bytes, or than the same share
//                 of them as before; larger heaps keep the chunk sizes, which the cost of an allocation decided
//   a chunk that became smaller than the largest ordinary resource: larger resources get memory of their own
//   one chunk for each bucket fits the heap's usable bytes, or a warning says so
#pragma once

#include <string>
#include <vector>

#include "heapwright/loader/running_device.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::loader {

// What changed, a line each; empty: nothing. The policy's heaps are as many as the device's.
[[nodiscard]] std::vector<std::string> scale(model::DevicePolicy& policy, const RunningDevice& device);

}  // namespace heapwright::loader
