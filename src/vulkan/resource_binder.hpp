// device::ResourceBinder on Vulkan: buffers and images, placed in an allocation or with a dedicated one.
// Thread-safe. A resource that is still live when this ends is destroyed.
// map_dedicated() on memory that is not coherent shows the device's writes as of that call; a submission that names
// the resource sees the host's writes before it.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

#include "heapwright_generated/volk.hpp"

#include "device/resource_binder.hpp"
#include "device/slot_map.hpp"
#include "vulkan/format_map.hpp"
#include "vulkan/memory_source.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

struct Resource {
    model::ResourceDescription description;
    VkBuffer buffer = VK_NULL_HANDLE;  // exactly one of the two
    VkImage image = VK_NULL_HANDLE;
    std::optional<DeviceMemory> dedicated;
    bool is_exclusive = false;  // VK_SHARING_MODE_EXCLUSIVE on a device with several queue families
    // The whole image's, after the last submission that named it. Guarded by the Submitter.
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

// The description of a resource that is an image.
[[nodiscard]] inline const model::ImageDescription& image_of(const Resource& resource) {
    return std::get<model::ImageDescription>(resource.description);
}

class ResourceBinder final : public device::ResourceBinder {
public:
    ResourceBinder(const OpenDevice& context, MemoryAllocator& memory, MemorySource& source)
        : context_(context),
          memory_(memory),
          source_(source),
          support_(context),
          known_(context.enabled.maintenance4) {}
    ResourceBinder(const ResourceBinder&) = delete;
    ResourceBinder& operator=(const ResourceBinder&) = delete;
    ~ResourceBinder() override;

    [[nodiscard]] Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override;
    [[nodiscard]] Result<device::ResourceId> create_placed(const model::ResourceDescription& resource,
                                                           device::AllocationId allocation,
                                                           std::uint64_t offset_bytes) override;
    [[nodiscard]] Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override;
    [[nodiscard]] Result<device::ResourceId> create_exclusive(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override;
    // Creates it without memory.
    [[nodiscard]] Result<Begun> begin(const model::ResourceDescription& resource) override;
    [[nodiscard]] Result<device::ResourceId> bind_placed(const Begun& begun, const model::ResourceDescription& resource,
                                                         device::AllocationId allocation,
                                                         std::uint64_t offset_bytes) override;
    [[nodiscard]] Result<device::ResourceId> bind_dedicated(const Begun& begun,
                                                            const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float priority) override;
    void cancel(const Begun& begun) override { destroy(begun.id); }
    void destroy(device::ResourceId resource) override;
    [[nodiscard]] Status create_and_destroy(const model::ResourceDescription& resource, device::AllocationId memory,
                                            std::uint64_t offset_bytes, std::uint32_t times) override;
    [[nodiscard]] Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override;

    // Null for an id that is not live.
    [[nodiscard]] Resource* find(device::ResourceId resource) { return resources_.find(resource.value); }
    [[nodiscard]] std::size_t live_resources() const { return resources_.size(); }

    // Makes the host's writes to a mapped dedicated resource visible to work that is submitted next.
    [[nodiscard]] Status flush_host_writes(const Resource& resource);

private:
    [[nodiscard]] Status check(const model::ResourceDescription& resource);
    // One that the device is known to support. Shared by `families` where they are several.
    [[nodiscard]] Result<Resource> create(const model::ResourceDescription& resource,
                                          std::span<const std::uint32_t> families);
    // The resource keeps the memory, or nothing where it fails.
    [[nodiscard]] Status give_memory(Resource& created, MemoryTypeIndex memory_type, float priority);
    [[nodiscard]] Result<device::ResourceId> with_memory(Resource created, MemoryTypeIndex memory_type, float priority);
    [[nodiscard]] model::MemoryRequirements requirements_of(const Resource& resource) const;
    [[nodiscard]] Status bind(const Resource& resource, VkDeviceMemory memory, std::uint64_t offset_bytes) const;
    void release(const Resource& resource);

    const OpenDevice& context_;
    MemoryAllocator& memory_;
    MemorySource& source_;
    ResourceSupport support_;
    KnownRequirements known_;
    device::SlotMap<Resource> resources_;
    std::mutex map_mutex_;
};

}  // namespace heapwright::vulkan
