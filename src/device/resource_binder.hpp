// Memory requirements of a description; resources placed at (device allocation, offset) or with a dedicated allocation
// of their own. Never picks a memory type or an offset. begin() and what follows it make a resource with one creation
// and ask for its requirements on the way, where the API can. Vulkan: vkGetDevice*MemoryRequirements,
// vkCreateImage/Buffer, vkBind*Memory2, VkMemoryDedicatedAllocateInfo. Direct3D 12: GetResourceAllocationInfo,
// CreatePlacedResource, CreateCommittedResource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/memory_source.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::device {

struct ResourceId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(ResourceId, ResourceId) = default;
};

class ResourceBinder {
public:
    virtual ~ResourceBinder() = default;

    // Errors: kNotSupported with the reason when the device cannot create such a resource at all.
    [[nodiscard]] virtual Result<model::MemoryRequirements> requirements(
        const model::ResourceDescription& resource) = 0;

    // `offset_bytes` is the caller's promise: aligned, inside the allocation, not in use. The backend checks nothing.
    [[nodiscard]] virtual Result<ResourceId> create_placed(const model::ResourceDescription& resource,
                                                           AllocationId memory, std::uint64_t offset_bytes) = 0;

    // The resource and a device allocation that is its alone; both end with destroy().
    [[nodiscard]] virtual Result<ResourceId> create_dedicated(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) = 0;

    // As create_dedicated(), of a resource that belongs to one queue family at a time (VK_SHARING_MODE_EXCLUSIVE): to
    // the first that uses it, until a submission hands it over (Submission::releases, acquires). Every other resource
    // belongs to all families. Errors: also kNotSupported where resources have no owners (Direct3D 12).
    [[nodiscard]] virtual Result<ResourceId> create_exclusive(const model::ResourceDescription&, MemoryTypeIndex,
                                                              float) {
        return fail(ErrorCode::kNotSupported, "resources belong to no queue family here", "create_exclusive");
    }

    // A resource that is being created. Whoever begins one ends it once: bind_placed() or bind_dedicated() that
    // succeed, or cancel(), all with the same description.
    struct Begun {
        ResourceId id;  // 0: the backend makes it when it gets its memory
        model::MemoryRequirements requirements;
    };
    // Errors: as requirements(), and the API's creation's.
    [[nodiscard]] virtual Result<Begun> begin(const model::ResourceDescription& resource) {
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements wanted, requirements(resource));
        return Begun{.id = {}, .requirements = wanted};
    }
    // As create_placed() and create_dedicated(); after an error it may be tried again.
    [[nodiscard]] virtual Result<ResourceId> bind_placed(const Begun&, const model::ResourceDescription& resource,
                                                         AllocationId memory, std::uint64_t offset_bytes) {
        return create_placed(resource, memory, offset_bytes);
    }
    [[nodiscard]] virtual Result<ResourceId> bind_dedicated(const Begun&, const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float priority) {
        return create_dedicated(resource, memory_type, priority);
    }
    virtual void cancel(const Begun&) {}

    // No submitted work uses it.
    virtual void destroy(ResourceId resource) = 0;

    // Creates the resource and destroys it, `times` over and with nothing else in between, so that what the driver
    // takes can be timed. At the place in the allocation, or without memory where the API knows such resources.
    // Errors: as create_placed(); nothing is left then.
    [[nodiscard]] virtual Status create_and_destroy(const model::ResourceDescription& resource, AllocationId memory,
                                                    std::uint64_t offset_bytes, std::uint32_t times) {
        for (std::uint32_t i = 0; i < times; ++i) {
            HEAPWRIGHT_ASSIGN(const ResourceId created, create_placed(resource, memory, offset_bytes));
            destroy(created);
        }
        return {};
    }

    // The bytes of a dedicated resource in host-visible memory. A placed one is reached through its allocation.
    [[nodiscard]] virtual Result<std::span<std::byte>> map_dedicated(ResourceId resource) = 0;
};

}  // namespace heapwright::device
