#include "heapwright/policy/feasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kNoCap = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped(const Bucket& bucket, std::uint64_t cap) {
    const std::uint64_t chunk = bucket.policy.chunk_size_bytes.value;
    if (chunk <= cap) return chunk;
    const std::uint64_t unit = std::max(bucket.policy.granule_bytes.value, bucket.policy.alignment_bytes);
    return std::max(bucket.smallest_chunk_bytes, align_down(cap, unit));
}

class HeapChunks {
public:
    HeapChunks(std::vector<Bucket>& buckets, std::uint32_t heap) {
        for (Bucket& bucket : buckets) {
            if (bucket.heap == heap) members_.push_back(&bucket);
        }
    }

    [[nodiscard]] const std::vector<Bucket*>& members() const { return members_; }

    // One chunk of each bucket, none above `cap` unless its largest resource is, or that resource where it is larger
    // and gets an allocation of its own; saturates.
    [[nodiscard]] std::uint64_t total(std::uint64_t cap) const {
        std::uint64_t sum = 0;
        for (const Bucket* bucket : members_)
            sum = checked_add(sum, std::max(capped(*bucket, cap), bucket->largest_bytes)).value_or(kNoCap);
        return sum;
    }

    // The largest cap under which one chunk each fits; 0 when none does.
    [[nodiscard]] std::uint64_t largest_fitting_cap(std::uint64_t usable) const {
        if (total(kNoCap) <= usable) return kNoCap;
        std::uint64_t fits = 0;
        std::uint64_t too_much = kNoCap;
        while (too_much - fits > 1) {
            const std::uint64_t middle = fits + (too_much - fits) / 2;
            (total(middle) <= usable ? fits : too_much) = middle;
        }
        return fits;
    }

private:
    std::vector<Bucket*> members_;
};

}  // namespace

FeasibleBuckets make_feasible(std::vector<Bucket> buckets, std::span<const model::HeapPolicy> heaps,
                              std::vector<std::string>& warnings) {
    FeasibleBuckets feasible{.buckets = std::move(buckets), .proofs = {}};
    for (const model::HeapPolicy& heap : heaps) {
        const HeapChunks chunks(feasible.buckets, heap.heap);
        if (chunks.members().empty()) continue;
        const std::uint64_t usable = heap.usable_bytes.value;
        const std::uint64_t cap = chunks.largest_fitting_cap(usable);
        const std::uint64_t wanted = chunks.total(kNoCap);
        const std::uint64_t total = chunks.total(cap);
        const std::string because =
            fmt::format("one chunk for {} of heap {} takes {} of {} usable bytes",
                        each_counted(chunks.members().size(), "the", "bucket"), heap.heap, wanted, usable);
        for (Bucket* bucket : chunks.members()) {
            const std::uint64_t chunk = capped(*bucket, cap);
            if (chunk != bucket->policy.chunk_size_bytes.value) shrink_chunks(*bucket, chunk, because);
        }
        feasible.proofs.push_back({.heap = heap.heap,
                                   .buckets = static_cast<std::uint32_t>(chunks.members().size()),
                                   .one_chunk_each_bytes = total,
                                   .usable_bytes = usable,
                                   .fits = total <= usable});
        if (total > usable) {
            warnings.push_back(fmt::format(
                "heap {}: one chunk for {} takes {} bytes even when each holds no more than its "
                "largest resource, but {} are usable: not all combinations of this workload can live at the same time",
                heap.heap, each_counted(chunks.members().size(), "its", "bucket"), total, usable));
        }
    }
    return feasible;
}

}  // namespace heapwright::policy
