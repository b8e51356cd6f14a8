// One writer at a time; readers beside a writer only on other bytes; a fence between a write and a foreign read or
// write of the same bytes. Direct3D 12 allows only one queue to write a resource at a time, whatever the bytes.
// A transition writes the whole resource, a release and an acquire the bytes that they hand over; a present reads it.
// Source: "Multi-engine synchronization", multi-queue resource access; Vulkan specification, memory dependencies.
#pragma once

#include <vector>

#include "heapwright/schedule/happens_before.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

[[nodiscard]] std::vector<Violation> check_accesses(const Schedule& schedule, const HappensBefore& order, Rules rules);

}  // namespace heapwright::schedule
