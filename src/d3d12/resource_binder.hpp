// device::ResourceBinder on Direct3D 12: buffers and textures, placed in a heap or committed. Every resource is in the
// state COMMON between two submissions.
// Thread-safe. A resource that is still live when this ends is released.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <variant>

#include "d3d12/device.hpp"
#include "d3d12/memory_source.hpp"
#include "device/resource_binder.hpp"
#include "device/slot_map.hpp"

namespace heapwright::d3d12 {

struct Resource {
    model::ResourceDescription description;
    Com<ID3D12Resource> handle;
    // Its bytes may have been another resource's: its first use has an aliasing barrier. Guarded by the Submitter.
    bool is_fresh = false;
    // Committed resources alone.
    std::optional<MemoryTypeIndex> committed_type;
    std::uint64_t committed_bytes = 0;
    std::byte* mapped = nullptr;
};

// The resource is an image.
[[nodiscard]] inline const model::ImageDescription& image_of(const Resource& resource) {
    return std::get<model::ImageDescription>(resource.description);
}

class ResourceBinder final : public device::ResourceBinder {
public:
    ResourceBinder(const OpenDevice& context, MemorySource& memory, UsedBytes& used)
        : context_(context), memory_(memory), used_(used) {}
    ResourceBinder(const ResourceBinder&) = delete;
    ResourceBinder& operator=(const ResourceBinder&) = delete;

    [[nodiscard]] Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override;
    [[nodiscard]] Result<device::ResourceId> create_placed(const model::ResourceDescription& resource,
                                                           device::AllocationId memory,
                                                           std::uint64_t offset_bytes) override;
    [[nodiscard]] Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override;
    void destroy(device::ResourceId resource) override;
    [[nodiscard]] Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override;

    [[nodiscard]] bool copies_stencil() const { return context_.copies_stencil; }

    // Null for an id that is not live.
    [[nodiscard]] Resource* find(device::ResourceId resource) { return resources_.find(resource.value); }
    [[nodiscard]] std::size_t live_resources() const { return resources_.size(); }

private:
    struct Sized {
        D3D12_RESOURCE_DESC desc{};
        model::MemoryRequirements requirements;
    };
    [[nodiscard]] Result<Sized> size(const model::ResourceDescription& resource) const;

    const OpenDevice& context_;
    MemorySource& memory_;
    UsedBytes& used_;
    device::SlotMap<Resource> resources_;
    std::mutex map_mutex_;
};

}  // namespace heapwright::d3d12
