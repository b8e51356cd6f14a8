// The alternative of merging a bucket that would not fill one chunk into another of the same memory type: listed with
// its price, so that a reader sees what separate buckets cost. Pure.
#pragma once

#include <vector>

#include "heapwright/policy/buckets.hpp"

namespace heapwright::policy {

// Appends to the chunk decision's alternatives; chunk sizes are decided already.
void list_merging_alternatives(std::vector<Bucket>& buckets);

}  // namespace heapwright::policy
