// Random programs over contexts, queues, releases, submissions, failures and frames, against an exact model of what the
// device may still read: what is recorded and not submitted, and every list that is not over.
//   nothing ends, and no row or space is handed out again, while the model says that it may be read
//   everything comes back: with the end of what used it, and all of it once the device is idle
//   no list is over before what its context was told to wait for
//   nobody waits for rows while some that are over would do
//   a program that keeps the rules is never told that it broke one
// A failure ends the running test case.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "device/device.hpp"
#include "heapwright/model/policy.hpp"

namespace lifetimes {

using namespace heapwright;

// What a program runs on.
struct Machine {
    std::unique_ptr<device::Device> device;
    model::DevicePolicy policy;
    // Lets so many more submissions run. Whoever waits for one need not ask for it.
    std::function<void(std::uint64_t submissions)> advance;
};

struct Totals {
    std::uint64_t ended = 0;   // bundles of objects
    std::uint64_t failed = 0;  // calls
};

Totals play(std::uint64_t seed, std::uint64_t steps, Machine machine);

}  // namespace lifetimes
