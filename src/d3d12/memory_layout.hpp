// Direct3D 12 has heap types, not memory types. Here a memory type is a row (heap type, resource classes) that the
// device keeps apart, and its index a row number:
//
//   resource heap tier 2    DEFAULT, any class | UPLOAD | READBACK | GPU_UPLOAD, any class, where there is one
//   resource heap tier 1    DEFAULT: buffers | textures | targets, then UPLOAD | READBACK | GPU_UPLOAD likewise in
//   three
//
// UPLOAD and READBACK heaps take buffers alone. Heaps of theirs are made with the custom properties that
// GetCustomHeapProperties calls their equal: the same memory, but buffers in it may be copied from and to, which the
// two types themselves restrict to one direction.
// Source: D3D12_HEAP_TYPE, D3D12_RESOURCE_HEAP_TIER, ID3D12Device::GetCustomHeapProperties. Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/api.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {

struct MemoryRow {
    model::MemoryType type;
    D3D12_HEAP_PROPERTIES properties{};
    D3D12_HEAP_FLAGS flags = D3D12_HEAP_FLAG_NONE;

    [[nodiscard]] bool is_host_visible() const {
        return (type.property_flags & model::memory_property::kHostVisible) != 0;
    }
};

class MemoryLayout {
public:
    [[nodiscard]] static MemoryLayout read(ID3D12Device* device);

    // For tests of the other tier.
    [[nodiscard]] static MemoryLayout build(D3D12_RESOURCE_HEAP_TIER tier, bool unified, bool gpu_upload,
                                            const D3D12_HEAP_PROPERTIES& upload, const D3D12_HEAP_PROPERTIES& readback);

    // Of what read() asked.
    [[nodiscard]] const probe::FailedQuestions& failed() const { return failed_; }
    [[nodiscard]] const std::vector<MemoryRow>& rows() const { return rows_; }
    [[nodiscard]] bool is_unified() const { return unified_; }
    [[nodiscard]] bool separates_classes() const { return separates_; }

    // The rows that take such a resource, as memory_type_bits. Storage buffers need a heap that the device may write.
    [[nodiscard]] std::uint32_t bits_for(const model::ResourceDescription& resource) const;

private:
    std::vector<MemoryRow> rows_;
    bool unified_ = false;
    bool separates_ = false;
    probe::FailedQuestions failed_;
};

}  // namespace heapwright::d3d12
