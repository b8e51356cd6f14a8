// Rule: one bucket for every combination of resource class, alignment S and memory type T that the workload's ordinary
// resources use. Pure.
#pragma once

#include <span>
#include <vector>

#include "heapwright/policy/placement.hpp"

namespace heapwright::policy {

// A bucket and what its chunk size is decided from.
struct Bucket {
    model::BucketPolicy policy;
    std::uint32_t heap = 0;
    const Demand* largest = nullptr;  // of its resources
    std::uint64_t largest_bytes = 0;  // rounded up to the granule
    double expected_bytes = 0;
};

struct BucketInputs {
    std::span<const PlacedDemand> placed;
    model::DedicatedRule dedicated;
    std::uint64_t humongous_threshold_bytes;
    bool separate_linear_and_optimal;
};

// Sorted by memory type, class and alignment.
[[nodiscard]] std::vector<Bucket> make_buckets(const Context& context, const BucketInputs& inputs,
                                               std::vector<std::string>& warnings);

}  // namespace heapwright::policy
