// Rule: buckets for what the workload does not name. Every memory type that some use ranks, and every lazily allocated
// one, has a bucket for each resource class, so that an unforeseen request is suballocated, too. Where the workload's
// demand made none:
//   S            the largest alignment that the report's sweep saw of the class, at least 65536 for images and 256 for
//                buffers
//   chunk        the largest power of two within 64 MiB, 1/32 of the heap's usable bytes and maxMemoryAllocationSize
//   first chunk  a sixteenth of that, at least 1 MiB and S; a new chunk is at most a quarter of what the bucket holds
// They expect nothing: they take no memory until used, are in no proof of feasibility, and exporters leave them out.
// A heap too small for a chunk of S has none. Sizes in bytes. Pure.
#pragma once

#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// Those that `policy.buckets` lacks, by memory type and class. All else of the policy's memory is decided.
[[nodiscard]] std::vector<model::BucketPolicy> default_buckets(const Context& context,
                                                               const model::DevicePolicy& policy);

}  // namespace heapwright::policy
