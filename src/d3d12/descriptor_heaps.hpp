// device::DescriptorHeapSource on Direct3D 12: ID3D12DescriptorHeap. What type each descriptor has is kept beside the
// heap, so that a table that does not suit its program is refused before the runtime reads it.
// Thread-safety: the seam's. A heap that is still live when this ends is released.
#pragma once

#include <cstddef>
#include <vector>

#include "d3d12/device.hpp"
#include "d3d12/resource_binder.hpp"
#include "device/descriptor_checks.hpp"
#include "device/slot_map.hpp"

namespace heapwright::d3d12 {

using device::DescriptorType;

struct DescriptorHeap {
    device::DescriptorHeapRequest request;
    Com<ID3D12DescriptorHeap> handle;
    std::uint64_t cpu_start = 0;
    std::uint64_t gpu_start = 0;  // shader-visible heaps alone
    std::uint32_t increment_bytes = 0;
    std::vector<DescriptorType> types;
    std::vector<device::Descriptor> views;  // of RTV and DSV heaps

    [[nodiscard]] D3D12_CPU_DESCRIPTOR_HANDLE cpu(std::uint32_t index) const {
        return {.ptr = static_cast<SIZE_T>(cpu_start + std::uint64_t{increment_bytes} * index)};
    }
    [[nodiscard]] D3D12_GPU_DESCRIPTOR_HANDLE gpu(std::uint32_t index) const {
        return {.ptr = gpu_start + std::uint64_t{increment_bytes} * index};
    }
};

class DescriptorHeaps final : public device::DescriptorHeapSource {
public:
    DescriptorHeaps(const OpenDevice& context, ResourceBinder& resources);
    DescriptorHeaps(const DescriptorHeaps&) = delete;
    DescriptorHeaps& operator=(const DescriptorHeaps&) = delete;

    [[nodiscard]] const device::DescriptorFormChoice& form() const override { return form_; }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind kind,
                                                            bool shader_visible) const override;
    [[nodiscard]] Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override;
    void destroy(device::DescriptorHeapId heap) override { static_cast<void>(heaps_.take(heap.value)); }
    [[nodiscard]] device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override;
    [[nodiscard]] Status write(device::DescriptorHeapId heap, std::uint32_t index,
                               const device::Descriptor& descriptor) override;
    [[nodiscard]] Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                              device::DescriptorHeapId source, std::uint32_t source_index,
                              std::uint32_t count) override;

    // Null for an id that is not live.
    [[nodiscard]] DescriptorHeap* find(device::DescriptorHeapId heap) const { return heaps_.find(heap.value); }
    [[nodiscard]] std::size_t live_heaps() const { return heaps_.size(); }

private:
    struct Writer;
    [[nodiscard]] Result<DescriptorHeap*> range(device::DescriptorHeapId heap, std::uint32_t first,
                                                std::uint32_t count) const;

    const OpenDevice& context_;
    ResourceBinder& resources_;
    device::DescriptorFormChoice form_;
    std::uint64_t view_limit_ = 0;
    std::uint64_t sampler_limit_ = 0;
    mutable device::SlotMap<DescriptorHeap> heaps_;
};

}  // namespace heapwright::d3d12
