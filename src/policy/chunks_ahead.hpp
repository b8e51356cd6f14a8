// Rule: how many chunks a bucket keeps ready, allocated and touched in the background, so that no request waits for the
// device.
//   0  where allocating a chunk takes at most a hundredth of the frame budget, and where nobody measured what it takes
//   else the most new chunks that one frame of the simulated workload takes (at least one), times the frames that
//   preparing so many takes; held within the heap's part for it and within a part of the device allocations
// What the heap has for it: a sixteenth of its usable bytes, and no more than one chunk for each bucket leaves.
// Pure.
#pragma once

#include <vector>

#include "policy/buckets.hpp"

namespace heapwright::policy {

// Writes chunks_ahead of every bucket. After make_feasible(); `buckets` belong to `policy.heaps`.
void decide_chunks_ahead(const Context& context, const model::DevicePolicy& policy, std::vector<Bucket>& buckets);

}  // namespace heapwright::policy
