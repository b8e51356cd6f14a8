// MemoryPool executes a policy on a device: the placer (memory_placer.hpp) decides where everything goes, the pool
// makes the device's resources there and owns them. Guarantees: every placement fits its requirements, lies in memory
// that the policy ranks for the use (or, of a transient attachment, in lazily allocated memory), overlaps no other
// (unless it was asked for with allocate_aliasing), and is reused only after its timeline value; limits of heaps,
// budget and device allocations hold; every failure leaves the pool as it was (empty chunks may have gone back). When
// others take so much of a heap that the device's current budget is exceeded, release_completed() gives prepared
// and empty chunks of that heap back without being asked, and tells the application where that is too little
// (PoolOptions::tell_budget_pressure). Ownership: the device outlives the pool; the pool outlives its Resources. The
// destructor expects the device idle, waits for what the background does for the pool, and frees what still waits for
// the timeline. Thread-safe, one lock a bucket; validate_invariants() compares the sums of all of them and wants no
// other thread in the pool but the background's, which it holds up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "heapwright/pool/pool_options.hpp"
#include "pool/memory_placer.hpp"
#include "pool/resource.hpp"

namespace heapwright::pool {

class MemoryPool {
public:
    // Errors: those of contract::BucketIndex::create.
    [[nodiscard]] static Result<std::unique_ptr<MemoryPool>> create(device::Device& device,
                                                                    const model::DevicePolicy& policy,
                                                                    const PoolOptions& options);
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    // A resource in a chunk, or in an allocation of its own, as contract/bucket_choice.hpp says: any request is served
    // as long as a memory type that the policy ranks for the use has room, whether the workload named it or not.
    // Errors: kRefused above the humongous threshold where the policy refuses; kOutOfDeviceMemory with the figures of
    // every memory type that was tried; kNotSupported when no ranked memory type is admitted; kOutOfRange above
    // maxMemoryAllocationSize; kOverBudget as the options say; the device's own.
    [[nodiscard]] Result<Resource> create(const model::ResourceDescription& description, model::MemoryUse use,
                                          model::OwnMemory own_memory = model::OwnMemory::kAuto);

    // The interface for humongous resources where the policy refuses them, and for any that wants an allocation of its
    // own. Errors: as create(), but never kRefused.
    [[nodiscard]] Result<Resource> allocate_dedicated(const model::ResourceDescription& description,
                                                      model::MemoryUse use, std::optional<float> priority = {});

    // Resources that share one placement, so that only one of them has contents at a time; the first use of each after
    // another must not read (its contents are undefined then). This is the only way to memory that two live resources
    // share. Errors: kInvalidArgument for fewer than two, or linear beside optimal ones; kNotSupported when no memory
    // type serves all, or one requires a dedicated allocation; else as create(), and nothing is kept.
    [[nodiscard]] Result<std::vector<Resource>> allocate_aliasing(
        std::span<const model::ResourceDescription> descriptions, model::MemoryUse use);

    // Memory alone, in a chunk. Errors as create(); kNotSupported also when no bucket serves the class and use.
    [[nodiscard]] Result<Placement> allocate(const model::MemoryRequirements& requirements,
                                             model::ResourceClass resource_class, model::MemoryUse use,
                                             bool transient_attachment = false) {
        return placer_.allocate({.requirements = requirements,
                                 .resource_class = resource_class,
                                 .use = use,
                                 .transient_attachment = transient_attachment});
    }
    void release(const Placement& placement, TimelineValue last_use) { placer_.release(placement, last_use); }

    // From now on a Resource that is dropped may be named by the submission that will signal `value`.
    void begin_recording(TimelineValue value) { placer_.begin_recording(value); }

    // Ends everything released whose timeline value is at most `completed`; call once a frame.
    // Error: kInvariantBroken when the pool's own books do not agree; the rest is still collected.
    Status release_completed(TimelineValue completed);

    // Gives every empty chunk back, prepared ones too; the bytes that were given back.
    std::uint64_t trim() { return placer_.trim(); }

    // For moving resources (defragmenter.hpp): the chunks of a bucket, a resource at a place in one of them, and giving
    // back the empty ones. Errors: kExhausted when the place is not free; the device's own; nothing is kept then.
    [[nodiscard]] std::size_t bucket_count() const { return placer_.bucket_count(); }
    [[nodiscard]] const Bucket& bucket(std::size_t index) const { return placer_.bucket(index); }
    [[nodiscard]] Result<Resource> create_at(const model::ResourceDescription& description,
                                             const model::MemoryRequirements& requirements, std::size_t bucket,
                                             std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    std::uint64_t trim_bucket(std::size_t bucket) { return placer_.bucket(bucket).trim(); }

    // The bytes of a resource in host-visible memory.
    [[nodiscard]] Result<std::span<std::byte>> map(const Resource& resource);

    [[nodiscard]] PoolFigures figures() const { return placer_.figures(); }
    [[nodiscard]] Status validate_invariants() const { return placer_.validate_invariants(); }
    [[nodiscard]] const model::DevicePolicy& policy() const { return placer_.policy(); }
    // For memory beside the pool's that shares its limits (frame::UploadHeap). The pool outlives who holds them.
    [[nodiscard]] BudgetedMemory& accounts() { return placer_.accounts(); }

private:
    friend class Resource;

    MemoryPool(device::Device& device, const model::DevicePolicy& policy, contract::BucketIndex index,
               const PoolOptions& options);

    void release(Release release) { placer_.release(std::move(release)); }
    [[nodiscard]] model::ResourceClass class_of(const model::ResourceDescription& description) const;
    [[nodiscard]] Result<MemoryPlacer::Request> request_of(const model::ResourceDescription& description,
                                                           model::MemoryUse use);
    [[nodiscard]] MemoryPlacer::Request request_of(const model::ResourceDescription& description, model::MemoryUse use,
                                                   const model::MemoryRequirements& requirements) const;
    // Makes a resource in memory of its own. Passed by reference, so that no creation pays for a copy.
    struct MakeResource {
        MemoryPool& pool;
        const model::ResourceDescription& description;
        const MemoryPlacer::Request& request;
        const device::ResourceBinder::Begun* begun;  // null: nothing of it is made yet
        std::optional<float> priority;               // empty: the policy's
        device::ResourceId id = {};

        Status operator()(MemoryTypeIndex memory_type);
    };
    [[nodiscard]] Resource alone(device::ResourceId id, const model::MemoryRequirements& requirements,
                                 const DedicatedAllocation& dedicated);
    [[nodiscard]] Result<Resource> place(const model::ResourceDescription& description,
                                         const model::MemoryRequirements& requirements, const Placement& placement);
    // Frees the placement where there is no resource.
    [[nodiscard]] Result<Resource> placed_at(Result<device::ResourceId> id,
                                             const model::MemoryRequirements& requirements, const Placement& placement);

    device::Device& device_;
    MemoryPlacer placer_;
};

}  // namespace heapwright::pool
