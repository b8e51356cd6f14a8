// ID3D12Device::GetResourceAllocationInfo with the smallest placement alignment that the device grants: for a texture
// that may be small (4 KiB, multisampled 64 KiB) that alignment is asked for first, then the device's default.
// Source: "Small resources" of D3D12_RESOURCE_DESC: no render target or depth stencil and at most 64 KiB in the most
// detailed mip level for 4 KiB; at most 4 MiB there for multisampled textures at 64 KiB. Allocates nothing.
// Thread-safe but for queries().
#pragma once

#include <atomic>
#include <cstdint>

#include "d3d12/api.hpp"
#include "d3d12/memory_layout.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::d3d12 {

class AllocationQuery {
public:
    // Both outlive this.
    AllocationQuery(ID3D12Device* device, const MemoryLayout& layout) : device_(device), layout_(layout) {}

    // size_bytes 0: refused. On success desc.Alignment is the one that the answer is for.
    [[nodiscard]] model::MemoryRequirements texture(const model::ImageDescription& image, D3D12_RESOURCE_DESC& desc);
    [[nodiscard]] model::MemoryRequirements buffer(const model::BufferDescription& buffer, D3D12_RESOURCE_DESC& desc);

    [[nodiscard]] std::uint64_t queries() const { return queries_.load(std::memory_order_relaxed); }

private:
    // Whether the device grants the alignment that desc asks for.
    [[nodiscard]] bool ask(const D3D12_RESOURCE_DESC& desc, D3D12_RESOURCE_ALLOCATION_INFO& info);

    ID3D12Device* device_;
    const MemoryLayout& layout_;
    std::atomic<std::uint64_t> queries_{0};
};

}  // namespace heapwright::d3d12
