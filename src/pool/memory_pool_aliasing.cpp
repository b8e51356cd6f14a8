// Resources that share one placement on purpose.
#include <algorithm>
#include <utility>

#include "pool/memory_pool.hpp"

namespace heapwright::pool {

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
        auto id = device_.resources().create_placed(description, placement.heap, placement.offset_bytes);
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
