// Where requests go under a policy: buckets by (class, alignment S, memory type T), chunks taken from a source of
// heaps, suballocations in them, the books of allocations that one resource has alone, what waits for the timeline.
// Everything of a memory pool but the resources themselves: the memory pool runs it on a device's memory
// (memory_pool.hpp), the advisor over numbers (policy/simulated_pool.hpp). Guarantees: every placement fits its
// requirements, lies in memory that the policy ranks for the use (or, of a transient attachment, in lazily allocated
// memory), overlaps no other, and is reused only after its
// timeline value; limits of heaps, budget and device allocations hold; a failure leaves everything as it was (empty
// chunks may have gone back). Which bucket takes a request, what gets memory of its own and in which order memory is
// tried stands in contract/bucket_choice.hpp. Ownership: the source of memory and
// the facts outlive the placer. Who owns it collects what was released before it goes. Thread-safe, one lock a bucket;
// validate_invariants() wants no other thread in it but the background's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "device/memory_source.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "heapwright/pool/pool_options.hpp"
#include "pool/bucket.hpp"
#include "pool/budgeted_memory.hpp"
#include "pool/release_lane.hpp"

namespace heapwright::pool {

class MemoryPlacer {
public:
    struct Source {
        const model::DeviceReport& facts;
        device::MemorySource& memory;
        bool is_real = false;  // its host-visible pages are worth touching ahead of need
    };

    // `index` is contract::BucketIndex::create(facts, policy).
    MemoryPlacer(const Source& source, const model::DevicePolicy& policy, contract::BucketIndex index,
                 const PoolOptions& options);
    MemoryPlacer(const MemoryPlacer&) = delete;
    MemoryPlacer& operator=(const MemoryPlacer&) = delete;

    using Request = contract::Request;  // place() alone regards its wish for memory of its own
    using Placed = std::variant<Placement, DedicatedAllocation>;
    // Takes memory of one's own from the device in the memory type given.
    using MakeAlone = std::function<Status(MemoryTypeIndex)>;

    // In a chunk or in memory of its own, as contract/bucket_choice.hpp says; `make` takes the latter. Errors: kRefused
    // above the humongous threshold where the policy refuses; kOutOfDeviceMemory with the figures of every memory type
    // that was tried; kNotSupported when no ranked memory type is admitted; kOutOfRange above maxMemoryAllocationSize;
    // kOverBudget as the options say; those of `make` and of the source.
    [[nodiscard]] Result<Placed> place(const Request& request, const MakeAlone& make);

    // In a chunk, which a humongous request that is not refused gets made for it. Errors: as place(); kNotSupported
    // also when no bucket serves the class and use.
    [[nodiscard]] Result<Placement> allocate(const Request& request);

    // Memory of its own, whatever the policy says. Errors: as place(), but never kRefused.
    [[nodiscard]] Result<DedicatedAllocation> allocate_alone(const Request& request, const MakeAlone& make);
    // The same in one memory type, which the policy need not rank.
    [[nodiscard]] Result<DedicatedAllocation> allocate_alone(const Request& request, MemoryTypeIndex memory_type,
                                                             const MakeAlone& make);
    // What the policy, or the caller, says of memory of its own beside the buckets of that type.
    [[nodiscard]] float priority_alone(const model::MemoryRequirements& requirements,
                                       model::ResourceClass resource_class, MemoryTypeIndex memory_type) const;

    [[nodiscard]] Result<Placement> allocate_at(std::size_t bucket, std::uint32_t chunk, std::uint64_t offset_bytes,
                                                std::uint64_t size_bytes) {
        return buckets_[bucket]->allocate_at(chunk, offset_bytes, size_bytes);
    }
    // At once: the device never used it, or its use is over.
    [[nodiscard]] Status free(const Placement& placement) { return buckets_[placement.bucket]->free(placement); }

    // The same of memory of one's own, which went back to the device just now.
    void free_alone(const DedicatedAllocation& dedicated);

    void begin_recording(TimelineValue value) { recording_.store(value.value, std::memory_order_relaxed); }
    // Ends with release_completed(), on timeline 0 not before the recording point has completed. Where host memory runs
    // out nothing has changed.
    void release(Release release);
    [[nodiscard]] std::uint32_t timeline_count() const {
        return std::clamp<std::uint32_t>(options_.timelines, 1, kMostTimelines);
    }
    // Ends with release_completed(), whatever is recorded.
    void release(const Placement& placement, TimelineValue last_use);

    // Ends everything released whose timeline value is at most `completed`, destroying what it names first; one
    // collection in the buckets' ages. Error: kInvariantBroken when the books do not agree; the rest is still
    // collected.
    Status release_completed(TimelineValue completed, const std::function<void(device::ResourceId)>& destroy) {
        return release_completed(std::span(&completed, 1), destroy);
    }
    // With the value of each timeline, from timeline 0 on.
    Status release_completed(std::span<const TimelineValue> completed,
                             const std::function<void(device::ResourceId)>& destroy);

    // Gives every empty chunk back, prepared ones too; the bytes that were given back.
    std::uint64_t trim();

    // Of releases that wait for their value.
    [[nodiscard]] std::uint64_t pending_count() const;

    [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
    [[nodiscard]] Bucket& bucket(std::size_t index) { return *buckets_[index]; }
    [[nodiscard]] const Bucket& bucket(std::size_t index) const { return *buckets_[index]; }
    [[nodiscard]] const contract::BucketIndex& index() const { return index_; }
    [[nodiscard]] const model::DevicePolicy& policy() const { return policy_; }
    // For memory beside the pool's that shares its limits, such as an upload heap's.
    [[nodiscard]] BudgetedMemory& accounts() { return memory_; }

    [[nodiscard]] PoolFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;

private:
    [[nodiscard]] Bucket::Options bucket_options(const Source& source, std::uint32_t index) const;
    [[nodiscard]] std::span<const std::unique_ptr<ReleaseLane>> lanes_of(std::uint32_t timeline) const {
        return std::span(lanes_).subspan(timeline * (buckets_.size() + 1), buckets_.size() + 1);
    }
    void release_completed(ReleaseLane& lane, TimelineValue completed,
                           const std::function<void(device::ResourceId)>& destroy, Status& first_error);
    // Destroys the resource at once; the placement that ends with it is still to be freed.
    [[nodiscard]] std::optional<Placement> end(const Release& release,
                                               const std::function<void(device::ResourceId)>& destroy);
    // Of a bucket's chunks, and of the resources beside it that have memory of their own.
    [[nodiscard]] float priority_of(const model::BucketPolicy& bucket) const;
    // What was tried in vain, for the message.
    struct Attempt {
        std::uint32_t memory_type = 0;
        Error error;
    };

    // in_type(Step) -> a Result, for each step of contract::TypeWalk. Error: kNotSupported where there is none, else as
    // place().
    template <class Made, class InType>
    [[nodiscard]] Result<Made> in_first_type(const Request& request, contract::Treatment treatment, InType&& in_type);
    [[nodiscard]] bool may_try(const model::MemoryRequirements& requirements, contract::Treatment treatment) const;
    // To what may not be tried.
    [[nodiscard]] Error objection(const model::MemoryRequirements& requirements, contract::Treatment treatment) const;
    [[nodiscard]] Result<Placement> allocate_in_type(std::span<const std::uint32_t> buckets,
                                                     const model::MemoryRequirements& requirements);
    [[nodiscard]] Result<DedicatedAllocation> alone_in_type(const model::MemoryRequirements& requirements,
                                                            MemoryTypeIndex memory_type, const MakeAlone& make);
    std::uint64_t give_back(contract::Relief relief, ErrorCode met, std::uint32_t heap, std::uint64_t wanted_bytes);
    std::uint64_t tell_budget_pressure(std::uint32_t heap, std::uint64_t wanted_bytes);
    void relieve_over_budget();
    [[nodiscard]] Error no_room(const Request& request, const std::vector<Attempt>& tried) const;
    // Of one heap, or of all; the bytes that went back.
    std::uint64_t give_back_prepared(std::optional<std::uint32_t> heap);
    std::uint64_t trim_heap(std::uint32_t heap);
    [[nodiscard]] std::uint64_t pending_bytes() const;

    const model::DevicePolicy policy_;
    const contract::BucketIndex index_;
    const PoolOptions options_;
    const std::uint64_t largest_device_allocation_;
    BudgetedMemory memory_;
    std::vector<std::unique_ptr<Bucket>> buckets_;
    std::vector<std::unique_ptr<ReleaseLane>> lanes_;  // a timeline's together: one a bucket, one for dedicated memory
    std::atomic<std::uint64_t> recording_{0};
    std::atomic<std::uint64_t> collections_{0};

    mutable std::mutex dedicated_mutex_;
    std::vector<std::uint64_t> dedicated_bytes_;  // by heap
    std::uint64_t dedicated_count_ = 0;
};

}  // namespace heapwright::pool
