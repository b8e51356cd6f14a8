// Buckets: how demand is grouped into them, how their chunks fit a heap together, and those for what no workload names.
//
// Rule: into which buckets the workload's ordinary resources of a memory type T go: one for every combination of
// resource class and alignment S (the article's), one for every class, or one for all.
// A bucket is a BucketDemand until its chunks are decided, and a finished Bucket from then on.
// Rule: no bucket may be starved by the chunks of others. On every heap, one chunk for each bucket must fit the usable
// bytes; where it does not, the largest chunks shrink first, none below its bucket's largest resource
// (contract/feasibility.hpp). Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/chunks.hpp"
#include "policy/context.hpp"
#include "policy/memory_types.hpp"

namespace heapwright::policy {

// What a bucket is to hold, and in multiples of what.
struct BucketDemand {
    std::string id;  // "optimal/65536/0"
    std::vector<model::ResourceClass> resource_classes;
    std::uint64_t alignment_bytes = 1;  // S
    std::uint32_t memory_type = 0;      // T
    std::uint32_t heap = 0;
    model::Decided<std::uint64_t> granule_bytes;
    const Demand* largest = nullptr;  // of its resources
    std::uint64_t largest_bytes = 0;  // rounded up to the granule
    double expected_bytes = 0;        // the mean once all is loaded, with what frames in flight still use
    double in_flight_bytes = 0;       // of these
    bool mixes_classes = false;       // although bufferImageGranularity asks for padding then

    [[nodiscard]] std::uint64_t unit_bytes() const { return contract::planned_unit_bytes(*this); }
};

// A bucket as the policy holds it, with what the rules for a whole heap ask beyond.
struct Bucket {
    model::BucketPolicy policy;
    std::uint32_t heap = 0;
    const Demand* largest = nullptr;         // of its resources
    std::uint64_t largest_bytes = 0;         // rounded up to the granule
    std::uint64_t smallest_chunk_bytes = 0;  // a smaller chunk would not hold what belongs into chunks
    std::uint64_t most_new_chunks = 0;       // in one simulated frame; 0 where nothing was simulated
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

// Whether chunks are sized for a resource, and into which of the groupings' keys it falls. For what is humongous they
// are not, not even where it wants a place in one: the pool makes a chunk for it alone.
[[nodiscard]] bool is_ordinary(const Demand& demand, const BucketInputs& inputs);
[[nodiscard]] bool belongs_to(const BucketDemand& bucket, model::ResourceClass resource_class,
                              std::uint64_t alignment_bytes, std::uint32_t memory_type, Grouping grouping);

// Sorted by memory type, class and alignment.
[[nodiscard]] std::vector<BucketDemand> group_demand(const Context& context, const BucketInputs& inputs);

// Says what is above the humongous threshold and so in no bucket.
void warn_of_humongous(const BucketInputs& inputs, model::Statement& warnings);

// The bucket with chunks of this size, which hold its largest resource; all else in it is decided too, but for what
// bucket_settings.hpp and memory_types.hpp add.
[[nodiscard]] Bucket with_chunks(const BucketDemand& demand, model::Decided<std::uint64_t> chunk_size_bytes,
                                 model::Decided<model::ChunkChoice> chunk_choice);

// The bucket with smaller chunks: its growth and its threshold keep within them, and a frame needs more of them.
// `because` says in the chunk size's reason why.
void shrink_chunks(Bucket& bucket, std::uint64_t chunk_bytes, const model::Statement& because);

struct FeasibleBuckets {
    std::vector<Bucket> buckets;                 // those given, in their order, with chunks that fit together
    std::vector<model::HeapFeasibility> proofs;  // one for each heap with buckets
};

// Finished buckets in, finished buckets out. A heap whose largest resources alone do not fit together gets
// fits = false and a warning.
[[nodiscard]] FeasibleBuckets make_feasible(std::vector<Bucket> buckets, std::span<const model::HeapPolicy> heaps,
                                            model::Statement& warnings);

// Rule: buckets for what the workload does not name. Every memory type that some use ranks, and every lazily allocated
// one, has a bucket for each resource class, so that an unforeseen request is suballocated, too. Where the workload's
// demand made none:
//   S            the largest alignment that the report's sweep saw of the class, at least 65536 for images and 256 for
//                buffers
//   chunk        the largest power of two within 64 MiB, 1/32 of the heap's usable bytes and maxMemoryAllocationSize
//   first chunk  a sixteenth of that, at least 1 MiB and S; a new chunk is at most a quarter of what the bucket holds
// They expect nothing: they take no memory until used, are in no proof of feasibility, and exporters leave them out.
// A heap too small for a chunk of S has none. Sizes in bytes. Pure.

// Those that `policy.buckets` lacks, by memory type and class. All else of the policy's memory is decided.
[[nodiscard]] std::vector<model::BucketPolicy> default_buckets(const Context& context,
                                                               const model::DevicePolicy& policy);

}  // namespace heapwright::policy
