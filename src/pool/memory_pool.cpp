#include "pool/memory_pool.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

namespace heapwright::pool {

Result<std::unique_ptr<MemoryPool>> MemoryPool::create(device::Device& device, const model::DevicePolicy& policy,
                                                       const PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(device.facts(), policy));
    return std::unique_ptr<MemoryPool>(new MemoryPool(device, policy, std::move(index), options));
}

MemoryPool::MemoryPool(device::Device& device, const model::DevicePolicy& policy, contract::BucketIndex index,
                       const PoolOptions& options)
    : device_(device),
      placer_({.facts = device.facts(), .memory = device.memory(), .is_real = device.is_real()}, policy,
              std::move(index), options) {}

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

Result<MemoryPlacer::Request> MemoryPool::request_of(const model::ResourceDescription& description,
                                                     model::MemoryUse use) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    return request_of(description, use, requirements);
}

MemoryPlacer::Request MemoryPool::request_of(const model::ResourceDescription& description, model::MemoryUse use,
                                             const model::MemoryRequirements& requirements) const {
    return {.requirements = requirements,
            .resource_class = class_of(description),
            .use = use,
            .transient_attachment = model::is_transient_attachment(description)};
}

Result<Resource> MemoryPool::create(const model::ResourceDescription& description, model::MemoryUse use,
                                    model::OwnMemory own_memory) {
    HEAPWRIGHT_ASSIGN(const device::ResourceBinder::Begun begun, device_.resources().begin(description));
    MemoryPlacer::Request request = request_of(description, use, begun.requirements);
    request.own_memory = own_memory;
    MakeResource make{.pool = *this, .description = description, .request = request, .begun = &begun, .priority = {}};
    const Result<MemoryPlacer::Placed> placed = placer_.place(request, std::ref(make));
    if (!placed) {
        device_.resources().cancel(begun);
        return fail(placed.error());
    }
    if (const auto* dedicated = std::get_if<DedicatedAllocation>(&*placed))
        return alone(make.id, request.requirements, *dedicated);
    const Placement& placement = std::get<Placement>(*placed);
    Result<device::ResourceId> id =
        device_.resources().bind_placed(begun, description, placement.memory, placement.offset_bytes);
    if (!id) device_.resources().cancel(begun);
    return placed_at(std::move(id), request.requirements, placement);
}

Result<Resource> MemoryPool::place(const model::ResourceDescription& description,
                                   const model::MemoryRequirements& requirements, const Placement& placement) {
    return placed_at(device_.resources().create_placed(description, placement.memory, placement.offset_bytes),
                     requirements, placement);
}

Result<Resource> MemoryPool::placed_at(Result<device::ResourceId> id, const model::MemoryRequirements& requirements,
                                       const Placement& placement) {
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

Status MemoryPool::MakeResource::operator()(MemoryTypeIndex memory_type) {
    const float wanted =
        priority ? *priority : pool.placer_.priority_alone(request.requirements, request.resource_class, memory_type);
    device::ResourceBinder& resources = pool.device_.resources();
    HEAPWRIGHT_ASSIGN(id, begun == nullptr ? resources.create_dedicated(description, memory_type, wanted)
                                           : resources.bind_dedicated(*begun, description, memory_type, wanted));
    return {};
}

Resource MemoryPool::alone(device::ResourceId id, const model::MemoryRequirements& requirements,
                           const DedicatedAllocation& dedicated) {
    Resource resource;
    resource.pool_ = this;
    resource.id_ = id;
    resource.requirements_ = requirements;
    resource.dedicated_ = dedicated;
    return resource;
}

Result<Resource> MemoryPool::allocate_dedicated(const model::ResourceDescription& description, model::MemoryUse use,
                                                std::optional<float> priority) {
    HEAPWRIGHT_ASSIGN(const MemoryPlacer::Request request, request_of(description, use));
    MakeResource make{
        .pool = *this, .description = description, .request = request, .begun = nullptr, .priority = priority};
    HEAPWRIGHT_ASSIGN(const DedicatedAllocation dedicated, placer_.allocate_alone(request, std::ref(make)));
    return alone(make.id, request.requirements, dedicated);
}

Result<std::span<std::byte>> MemoryPool::map(const Resource& resource) {
    if (!resource) return fail(ErrorCode::kInvalidArgument, "an empty resource was to be mapped");
    if (resource.is_dedicated()) return device_.resources().map_dedicated(resource.id());
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> memory, device_.memory().map(resource.placement()->memory));
    return memory.subspan(resource.placement()->offset_bytes, resource.requirements().size_bytes);
}

// Resources that share one placement on purpose.

Result<std::vector<Resource>> MemoryPool::allocate_aliasing(std::span<const model::ResourceDescription> descriptions,
                                                            model::MemoryUse use) {
    if (descriptions.size() < 2) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "aliasing takes at least two resources",
                          .value = descriptions.size(),
                          .limit = 2});
    }
    model::MemoryRequirements shared{.memory_type_bits = ~0u};
    const auto resource_class = class_of(descriptions.front());
    std::vector<model::MemoryRequirements> each;
    for (const model::ResourceDescription& description : descriptions) {
        if (class_of(description) != resource_class)
            return fail(ErrorCode::kInvalidArgument, "resources of different classes cannot share a placement");
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements one, device_.resources().requirements(description));
        if (one.dedicated == model::Dedicated::kRequired)
            return fail(ErrorCode::kNotSupported, "a resource that requires a dedicated allocation cannot share one");
        shared.size_bytes = std::max(shared.size_bytes, one.size_bytes);
        shared.alignment_bytes = std::max(shared.alignment_bytes, one.alignment_bytes);
        shared.memory_type_bits &= one.memory_type_bits;
        each.push_back(one);
    }
    const bool all_transient = std::ranges::all_of(descriptions, model::is_transient_attachment);
    HEAPWRIGHT_ASSIGN(const Placement placement, allocate(shared, resource_class, use, all_transient));
    std::vector<device::ResourceId> ids;
    for (const model::ResourceDescription& description : descriptions) {
        auto id = device_.resources().create_placed(description, placement.memory, placement.offset_bytes);
        if (!id) {
            for (const device::ResourceId made : ids) device_.resources().destroy(made);
            HEAPWRIGHT_TRY(placer_.free(placement));
            return fail(std::move(id.error()));
        }
        ids.push_back(*id);
    }
    const auto group = std::make_shared<AliasGroup>(ids.size());
    std::vector<Resource> resources(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        resources[i].pool_ = this;
        resources[i].id_ = ids[i];
        resources[i].requirements_ = each[i];
        resources[i].placement_ = placement;
        resources[i].alias_ = group;
    }
    return resources;
}

}  // namespace heapwright::pool
