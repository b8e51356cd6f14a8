// Rule: into which buckets the workload's ordinary resources of a memory type T go: one for every combination of
// resource class and alignment S (the source's), one for every class, or one for all. Pure.
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
    double expected_bytes = 0;        // the mean once all is loaded, with what frames in flight still use
    double in_flight_bytes = 0;       // of these
    bool mixes_classes = false;       // although bufferImageGranularity asks for padding then
};

enum class Grouping : std::uint8_t {
    kByAlignment,  // class, S and T
    kByClass,      // class and T
    kSingle,       // T alone; what bufferImageGranularity keeps apart is padded to it
};

struct BucketInputs {
    std::span<const PlacedDemand> placed;
    model::DedicatedRule dedicated;
    std::uint64_t humongous_threshold_bytes;
    bool separate_linear_and_optimal;  // what decide_separation() says
    Grouping grouping = Grouping::kByAlignment;
};

// Whether a resource belongs to chunks at all, and into which of the groupings' keys it falls.
[[nodiscard]] bool is_ordinary(const Demand& demand, const BucketInputs& inputs);
[[nodiscard]] bool belongs_to(const Bucket& bucket, model::ResourceClass resource_class, std::uint64_t alignment_bytes,
                              std::uint32_t memory_type, Grouping grouping);

// Sorted by memory type, class and alignment.
[[nodiscard]] std::vector<Bucket> make_buckets(const Context& context, const BucketInputs& inputs,
                                               std::vector<std::string>& warnings);

}  // namespace heapwright::policy
