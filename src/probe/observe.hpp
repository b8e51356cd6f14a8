// What can be said of a device's sweep in few words: the observations of "Vulkan Memory Allocation (Part 1 of N)",
// derived for any device. Pure and thread-safe; never fails: what cannot be said is left out.
#pragma once

#include "heapwright/model/observation.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::probe {

// Reads image_sweep and buffer_sweep alone. One image observation per image table, one buffer observation per buffer
// table, in their order.
[[nodiscard]] model::Observations observe(const model::DeviceReport& device);

}  // namespace heapwright::probe
