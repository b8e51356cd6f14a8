// MemoryPool executes a policy on a device: buckets by (class, alignment S, memory type T), chunks taken from the
// device, suballocations in them, dedicated allocations beside them.
// Guarantees: every placement fits its requirements, lies in memory that the policy ranks for the use, overlaps no
// other (unless it was asked for with allocate_aliasing), and is reused only after its timeline value; limits of heaps,
// budget and device allocations hold; every failure leaves the pool as it was (empty chunks may have gone back). When a
// heap is full: prepared chunks go back, then empty ones, then smaller chunks are tried, down to one of the request's
// own size, then buckets of a larger S, then the next memory type, then an error with the figures. When others take so
// much of a heap that the device's budget of the moment is exceeded, collect() gives prepared and empty chunks of that
// heap back without being asked. Ownership: the device outlives the pool; the pool outlives
// its Resources. The destructor expects the device idle, waits for what the background does for the pool, and frees
// what still waits for the timeline. Thread-safe, one lock a bucket; validate_invariants() compares the sums of all of
// them and wants no other thread in the pool but the background's, which it holds up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/background/background_processor.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/bucket.hpp"
#include "heapwright/pool/bucket_index.hpp"
#include "heapwright/pool/budgeted_heaps.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "heapwright/pool/release_lane.hpp"
#include "heapwright/pool/resource.hpp"

namespace heapwright::pool {

struct PoolOptions {
    std::uint64_t memory_limit_bytes = ~0ull;  // over all heaps, beside the policy's own limits
    double kept_empty_share = 0.125;           // of a heap's usable bytes, for the empty chunks of all its buckets
    std::uint32_t empty_chunk_age = 120;       // collections (frames) until a kept empty chunk goes back, an eighth of
                                               // it where its bucket has another
    // Of the device's live budget, left to other processes; empty: what the policy says of each heap.
    std::optional<double> budget_reserve_share = {};
    // Of the memory of a bucket (VK_EXT_memory_priority), 0 to 1; empty: what the policy says of it.
    std::function<float(const model::BucketPolicy&)> chunk_priority = {};
    // BackgroundProcessor::submit() of a processor that outlives the pool. With it the pool keeps the policy's
    // `chunks_ahead` ready, from its creation on, and frees chunks of those buckets in the background; without it, and
    // in buckets that have none ahead, every chunk is taken and freed by the call that needs it or leaves it empty.
    // Its threads had better not be of idle priority: what they hold of the driver's and the kernel's locks when a busy
    // machine stops them, the frames wait for.
    std::function<bool(background::WorkItem)> background = {};
};

class MemoryPool {
public:
    // Errors: those of BucketIndex::create.
    [[nodiscard]] static Result<std::unique_ptr<MemoryPool>> create(device::Device& device,
                                                                    const model::DevicePolicy& policy,
                                                                    const PoolOptions& options);
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    // A resource in a chunk, or in an allocation of its own where the driver requires one (or prefers it and the
    // policy follows, or its size passes the bucket's dedicated threshold: in a chunk then, when there is no room for
    // an allocation of its own). Errors: kRefused above the humongous threshold; kOutOfDeviceMemory with the figures of
    // every memory type that was tried; kNotSupported when no bucket serves the class, use and alignment; the device's
    // own.
    [[nodiscard]] Result<Resource> create(const model::ResourceDescription& description, model::MemoryUse use);

    // The interface for humongous resources, and for any other that wants an allocation of its own.
    // Errors: kOutOfDeviceMemory as above; kNotSupported when no ranked memory type fits; the device's own.
    [[nodiscard]] Result<Resource> allocate_dedicated(const model::ResourceDescription& description,
                                                      model::MemoryUse use, std::optional<float> priority = {});

    // Resources that share one placement, so that only one of them has contents at a time; the first use of each after
    // another must not read (its contents are undefined then). This is the only way to memory that two live resources
    // share. Errors: kInvalidArgument for fewer than two, or linear beside optimal ones; kNotSupported when no memory
    // type serves all, or one requires a dedicated allocation; else as create(), and nothing is kept.
    [[nodiscard]] Result<std::vector<Resource>> allocate_aliasing(
        std::span<const model::ResourceDescription> descriptions, model::MemoryUse use);

    // Memory alone. Errors as create().
    [[nodiscard]] Result<Placement> allocate(const model::MemoryRequirements& requirements,
                                             model::ResourceClass resource_class, model::MemoryUse use);
    void release(const Placement& placement, TimelineValue last_use);

    // From now on a Resource that is dropped may be named by the submission that will signal `value`.
    void begin_recording(TimelineValue value) { recording_.store(value.value, std::memory_order_relaxed); }

    // Ends everything released whose timeline value is at most `completed`; call once a frame.
    // Error: kInvariantBroken when the pool's own books do not agree; the rest is still collected.
    Status collect(TimelineValue completed);

    // Gives every empty chunk back, prepared ones too; the bytes that were given back.
    std::uint64_t trim();

    // For moving resources (defragmenter.hpp): the chunks of a bucket, a resource at a place in one of them, and giving
    // back the empty ones. Errors: kExhausted when the place is not free; the device's own; nothing is kept then.
    [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
    [[nodiscard]] const Bucket& bucket(std::size_t index) const { return *buckets_[index]; }
    [[nodiscard]] Result<Resource> create_at(const model::ResourceDescription& description,
                                             const model::MemoryRequirements& requirements, std::size_t bucket,
                                             std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    std::uint64_t trim_bucket(std::size_t bucket) { return buckets_[bucket]->trim(); }

    // The bytes of a resource in host-visible memory.
    [[nodiscard]] Result<std::span<std::byte>> map(const Resource& resource);

    [[nodiscard]] PoolFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;
    [[nodiscard]] const model::DevicePolicy& policy() const { return policy_; }

private:
    friend class Resource;

    MemoryPool(device::Device& device, const model::DevicePolicy& policy, BucketIndex index,
               const PoolOptions& options);

    void release(Release release);
    [[nodiscard]] Status end(const Release& release);
    [[nodiscard]] Result<Resource> create_dedicated(const model::ResourceDescription& description,
                                                    const model::MemoryRequirements& requirements, model::MemoryUse use,
                                                    std::optional<float> priority);
    // Of a bucket's chunks, and of the dedicated resources that it would hold.
    [[nodiscard]] float priority_of(const model::BucketPolicy& bucket) const;
    [[nodiscard]] float dedicated_priority(const model::ResourceDescription& description,
                                           const model::MemoryRequirements& requirements,
                                           MemoryTypeIndex memory_type) const;
    [[nodiscard]] Result<Resource> create_dedicated_in(const model::ResourceDescription& description,
                                                       const model::MemoryRequirements& requirements,
                                                       MemoryTypeIndex memory_type, float priority);
    [[nodiscard]] Result<Resource> place(const model::ResourceDescription& description,
                                         const model::MemoryRequirements& requirements, const Placement& placement);
    [[nodiscard]] bool passes_dedicated_threshold(const model::MemoryRequirements& requirements,
                                                  model::ResourceClass resource_class, model::MemoryUse use) const;
    [[nodiscard]] Result<Placement> allocate_in_type(std::span<const std::uint32_t> buckets,
                                                     const model::MemoryRequirements& requirements);
    // Tries again after each kind of memory that can be given back, the least missed first. `failed` is the first
    // attempt's error.
    template <class Attempt>
    [[nodiscard]] auto retry_relieved(std::uint32_t heap, Attempt attempt, decltype(attempt()) failed);
    std::uint64_t give_back_prepared_in(std::uint32_t heap);
    std::uint64_t give_back_prepared_in_all(std::uint32_t heap);
    std::uint64_t trim_heap(std::uint32_t heap);
    void relieve_device_budget();
    [[nodiscard]] std::string describe_type(std::uint32_t memory_type, const Error& error) const;
    [[nodiscard]] std::uint64_t pending_bytes() const;

    device::Device& device_;
    const model::DevicePolicy policy_;
    const BucketIndex index_;
    const PoolOptions options_;
    BudgetedHeaps heaps_;
    std::vector<std::unique_ptr<Bucket>> buckets_;
    const std::uint64_t largest_device_allocation_;
    std::vector<std::unique_ptr<ReleaseLane>> lanes_;  // one a bucket, the last for dedicated allocations
    std::atomic<std::uint64_t> recording_{0};
    std::atomic<std::uint64_t> collections_{0};

    mutable std::mutex dedicated_mutex_;
    std::vector<std::uint64_t> dedicated_bytes_;  // by heap
    std::uint64_t dedicated_count_ = 0;
};

}  // namespace heapwright::pool
