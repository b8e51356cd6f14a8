#include "heapwright/policy/feasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heapwright/contract/feasibility.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

contract::ChunkWish wish_of(const Bucket& bucket) {
    return {.wanted_bytes = bucket.policy.chunk_size_bytes.value,
            .smallest_bytes = bucket.smallest_chunk_bytes,
            .unit_bytes = std::max(bucket.policy.granule_bytes.value, bucket.policy.alignment_bytes),
            .resource_bytes = bucket.largest_bytes};
}

}  // namespace

FeasibleBuckets make_feasible(std::vector<Bucket> buckets, std::span<const model::HeapPolicy> heaps,
                              std::vector<std::string>& warnings) {
    FeasibleBuckets feasible{.buckets = std::move(buckets), .proofs = {}};
    for (const model::HeapPolicy& heap : heaps) {
        std::vector<Bucket*> members;
        std::vector<contract::ChunkWish> wishes;
        for (Bucket& bucket : feasible.buckets) {
            if (bucket.heap != heap.heap) continue;
            members.push_back(&bucket);
            wishes.push_back(wish_of(bucket));
        }
        if (members.empty()) continue;
        const std::uint64_t usable = heap.usable_bytes.value;
        const contract::OneChunkEach each = contract::fit_one_chunk_each(wishes, usable);
        const std::uint64_t total = each.total_bytes;
        const std::string because =
            fmt::format("one chunk for {} of heap {} takes {} of {} usable bytes",
                        each_counted(members.size(), "the", "bucket"), heap.heap, each.wanted_total_bytes, usable);
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (each.chunk_bytes[i] != wishes[i].wanted_bytes) shrink_chunks(*members[i], each.chunk_bytes[i], because);
        }
        feasible.proofs.push_back({.heap = heap.heap,
                                   .buckets = static_cast<std::uint32_t>(members.size()),
                                   .one_chunk_each_bytes = total,
                                   .usable_bytes = usable,
                                   .fits = each.fits});
        if (!each.fits) {
            warnings.push_back(fmt::format(
                "heap {}: one chunk for {} takes {} bytes even when each holds no more than its "
                "largest resource, but {} are usable: not all combinations of this workload can live at the same time",
                heap.heap, each_counted(members.size(), "its", "bucket"), total, usable));
        }
    }
    return feasible;
}

}  // namespace heapwright::policy
