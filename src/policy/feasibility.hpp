// Rule: no bucket may be starved by the chunks of others. On every heap, one chunk for each bucket must fit the usable
// bytes; where it does not, the largest chunks shrink first, none below its bucket's largest resource
// (contract/feasibility.hpp). Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heapwright/policy/buckets.hpp"

namespace heapwright::policy {

struct FeasibleBuckets {
    std::vector<Bucket> buckets;                 // those given, in their order, with chunks that fit together
    std::vector<model::HeapFeasibility> proofs;  // one for each heap with buckets
};

// Finished buckets in, finished buckets out. A heap whose largest resources alone do not fit together gets
// fits = false and a warning.
[[nodiscard]] FeasibleBuckets make_feasible(std::vector<Bucket> buckets, std::span<const model::HeapPolicy> heaps,
                                            std::vector<std::string>& warnings);

}  // namespace heapwright::policy
