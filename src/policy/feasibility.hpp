// Rule: no bucket may be starved by the chunks of others. On every heap, one chunk for each bucket must fit the usable
// bytes; where it does not, the largest chunks shrink first, none below its bucket's largest resource. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heapwright/policy/chunk_size.hpp"

namespace heapwright::policy {

// `plans` is parallel to `buckets`. Writes every bucket's chunk_size_bytes; one entry per heap with buckets. A heap
// whose largest resources alone do not fit together gets fits = false and a warning.
[[nodiscard]] std::vector<model::HeapFeasibility> make_feasible(const std::vector<ChunkPlan>& plans,
                                                                std::span<const model::HeapPolicy> heaps,
                                                                std::vector<Bucket>& buckets,
                                                                std::vector<std::string>& warnings);

}  // namespace heapwright::policy
