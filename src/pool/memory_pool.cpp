#include "heapwright/pool/memory_pool.hpp"

#include <algorithm>
#include <utility>

#include "heapwright/contract/memory_order.hpp"

namespace heapwright::pool {

Result<std::unique_ptr<MemoryPool>> MemoryPool::create(device::Device& device, const model::DevicePolicy& policy,
                                                       const PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(device.facts(), policy));
    return std::unique_ptr<MemoryPool>(new MemoryPool(device, policy, std::move(index), options));
}

MemoryPool::MemoryPool(device::Device& device, const model::DevicePolicy& policy, contract::BucketIndex index,
                       const PoolOptions& options)
    : device_(device),
      placer_({.facts = device.facts(), .heaps = device.heaps(), .is_real = device.is_real()}, policy, std::move(index),
              options) {}

MemoryPool::~MemoryPool() {
    // The device is idle, so that every timeline value has passed. Books that disagree cannot be reported from here;
    // validate_invariants() is the place for that.
    (void)release_completed(TimelineValue{~0ull});
}

Status MemoryPool::release_completed(TimelineValue completed) {
    return placer_.release_completed(completed,
                                     [this](device::ResourceId resource) { device_.resources().destroy(resource); });
}

model::ResourceClass MemoryPool::class_of(const model::ResourceDescription& description) const {
    return model::resource_class(description, placer_.index().separates_render_targets());
}

Result<Resource> MemoryPool::create(const model::ResourceDescription& description, model::MemoryUse use) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    const model::ResourceClass resource_class = class_of(description);
    const contract::Treatment treatment = placer_.treatment_of(requirements, resource_class, use);
    if (treatment == contract::Treatment::kOwn || treatment == contract::Treatment::kOwnIfRoom) {
        auto resource = create_dedicated(description, requirements, use, {});
        if (treatment == contract::Treatment::kOwn || contract::is_final(resource)) return resource;
    }
    HEAPWRIGHT_ASSIGN(const Placement placement, allocate(requirements, resource_class, use));
    return place(description, requirements, placement);
}

Result<Resource> MemoryPool::place(const model::ResourceDescription& description,
                                   const model::MemoryRequirements& requirements, const Placement& placement) {
    auto id = device_.resources().create_placed(description, placement.heap, placement.offset_bytes);
    if (!id) {
        // The device never saw the range in use, so it is free at once.
        HEAPWRIGHT_TRY(placer_.free(placement));
        return fail(std::move(id.error()));
    }
    Resource resource;
    resource.pool_ = this;
    resource.id_ = *id;
    resource.requirements_ = requirements;
    resource.placement_ = placement;
    return resource;
}

Result<Resource> MemoryPool::create_at(const model::ResourceDescription& description,
                                       const model::MemoryRequirements& requirements, std::size_t bucket,
                                       std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Placement placement, placer_.allocate_at(bucket, chunk, offset_bytes, size_bytes));
    return place(description, requirements, placement);
}

Result<Resource> MemoryPool::allocate_dedicated(const model::ResourceDescription& description, model::MemoryUse use,
                                                std::optional<float> priority) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    return create_dedicated(description, requirements, use, priority);
}

Result<Resource> MemoryPool::create_dedicated(const model::ResourceDescription& description,
                                              const model::MemoryRequirements& requirements, model::MemoryUse use,
                                              std::optional<float> priority) {
    Resource resource;
    const auto make = [&](MemoryTypeIndex memory_type) -> Status {
        const float wanted =
            priority ? *priority : placer_.priority_alone(requirements, class_of(description), memory_type);
        HEAPWRIGHT_ASSIGN(resource.id_, device_.resources().create_dedicated(description, memory_type, wanted));
        return {};
    };
    HEAPWRIGHT_ASSIGN(resource.dedicated_, placer_.allocate_alone(requirements, use, make));
    resource.pool_ = this;
    resource.requirements_ = requirements;
    return resource;
}

Result<std::span<std::byte>> MemoryPool::map(const Resource& resource) {
    if (!resource) return fail(ErrorCode::kInvalidArgument, "an empty resource was to be mapped");
    if (resource.is_dedicated()) return device_.resources().map_dedicated(resource.id());
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> heap, device_.heaps().map(resource.placement()->heap));
    return heap.subspan(resource.placement()->offset_bytes, resource.requirements().size_bytes);
}

}  // namespace heapwright::pool
