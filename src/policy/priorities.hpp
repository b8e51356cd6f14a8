// Rule: which memory stays on the device when there is not enough for all. A bucket is worth as much as the most urgent
// resource that its chunks or its dedicated allocations hold:
//   1    what the device writes (attachments, storage): paged out, every frame that uses it waits
//   0.5  what it reads (textures, vertices, constants): the API's own value
//   0    what is copied from or to the host once (upload and readback)
// Only where the report says that the device takes priorities (VK_EXT_memory_priority, memoryPriority). Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/buckets.hpp"

namespace heapwright::policy {

// Writes `priority` of every bucket, or none and a warning that says why not.
void decide_priorities(const Context& context, std::span<const PlacedDemand> placed, std::vector<Bucket>& buckets,
                       model::Statement& warnings);

}  // namespace heapwright::policy
