#include "heapwright/policy/merging.hpp"

#include <fmt/format.h>

namespace heapwright::policy {
namespace {

// The bucket of the same type and classes with the smallest alignment that is not below this one's.
const Bucket* merging_partner(const std::vector<Bucket>& buckets, const Bucket& bucket) {
    const Bucket* best = nullptr;
    for (const Bucket& other : buckets) {
        if (&other == &bucket || other.policy.memory_type != bucket.policy.memory_type ||
            other.policy.resource_classes != bucket.policy.resource_classes ||
            other.policy.alignment_bytes < bucket.policy.alignment_bytes) {
            continue;
        }
        if (best == nullptr || other.policy.alignment_bytes < best->policy.alignment_bytes) best = &other;
    }
    return best;
}

}  // namespace

void list_merging_alternatives(std::vector<Bucket>& buckets) {
    for (Bucket& bucket : buckets) {
        auto& decided = bucket.policy.chunk_size_bytes;
        if (bucket.policy.expected_bytes >= decided.value) continue;
        const Bucket* partner = merging_partner(buckets, bucket);
        if (partner == nullptr) continue;
        decided.why.alternatives.push_back(
            {.value = "merge into " + partner->policy.id,
             .reason = fmt::format("the workload is expected to keep {} of this chunk's {} bytes in use; sharing saves "
                                   "the chunk, but rounds every resource here up to {} bytes",
                                   bucket.policy.expected_bytes, decided.value, partner->policy.granule_bytes.value)});
    }
}

}  // namespace heapwright::policy
