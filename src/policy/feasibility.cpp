#include "heapwright/policy/feasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kNoCap = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped(const ChunkPlan& plan, const Bucket& bucket, std::uint64_t cap) {
    if (plan.value_bytes <= cap) return plan.value_bytes;
    const std::uint64_t unit = std::max(bucket.policy.granule_bytes.value, bucket.policy.alignment_bytes);
    return std::max(plan.smallest_bytes, align_down(cap, unit));
}

class HeapChunks {
public:
    HeapChunks(const std::vector<ChunkPlan>& plans, std::vector<Bucket>& buckets, std::uint32_t heap)
        : plans_(plans), buckets_(buckets) {
        for (std::size_t index = 0; index < buckets.size(); ++index) {
            if (buckets[index].heap == heap) members_.push_back(index);
        }
    }

    [[nodiscard]] const std::vector<std::size_t>& members() const { return members_; }

    // One chunk of each bucket, none above `cap` unless its largest resource is, or that resource where it is larger
    // and gets an allocation of its own; saturates.
    [[nodiscard]] std::uint64_t total(std::uint64_t cap) const {
        std::uint64_t sum = 0;
        for (const std::size_t index : members_) {
            const std::uint64_t chunk = capped(plans_[index], buckets_[index], cap);
            sum = checked_add(sum, std::max(chunk, buckets_[index].largest_bytes)).value_or(kNoCap);
        }
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
    const std::vector<ChunkPlan>& plans_;
    std::vector<Bucket>& buckets_;
    std::vector<std::size_t> members_;
};

}  // namespace

std::vector<model::HeapFeasibility> make_feasible(const std::vector<ChunkPlan>& plans,
                                                  std::span<const model::HeapPolicy> heaps,
                                                  std::vector<Bucket>& buckets, std::vector<std::string>& warnings) {
    std::vector<model::HeapFeasibility> proofs;
    for (const model::HeapPolicy& heap : heaps) {
        const HeapChunks chunks(plans, buckets, heap.heap);
        if (chunks.members().empty()) continue;
        const std::uint64_t usable = heap.usable_bytes.value;
        const std::uint64_t cap = chunks.largest_fitting_cap(usable);
        const std::uint64_t wanted = chunks.total(kNoCap);
        for (const std::size_t index : chunks.members()) {
            Bucket& bucket = buckets[index];
            auto& decided = bucket.policy.chunk_size_bytes;
            decided.value = capped(plans[index], bucket, cap);
            decided.why = plans[index].why;
            if (decided.value != plans[index].value_bytes) {
                decided.why.reason += fmt::format(
                    "; shrunk to {} because one chunk for {} of heap {} takes {} of {} usable bytes", decided.value,
                    each_counted(chunks.members().size(), "the", "bucket"), heap.heap, wanted, usable);
                decided.why.alternatives.push_back({.value = std::to_string(plans[index].value_bytes),
                                                    .reason = "starves the other buckets of its heap"});
            }
        }
        const std::uint64_t total = chunks.total(cap);
        proofs.push_back({.heap = heap.heap,
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
    return proofs;
}

}  // namespace heapwright::policy
