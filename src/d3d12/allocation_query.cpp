#include "d3d12/allocation_query.hpp"

#include <limits>

#include "core/checked.hpp"
#include "d3d12/resource_description.hpp"
#include "d3d12/returned_structures.hpp"

namespace heapwright::d3d12 {
namespace {

// The alignment to try first; 0 when the size rule leaves only the default.
std::uint64_t small_alignment(const model::ImageDescription& image, const D3D12_RESOURCE_DESC& desc) {
    const D3D12_RESOURCE_FLAGS targets =
        D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET | D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL;
    const PlaneLayout top = plane_layout(image, 0, false);
    const std::uint64_t top_bytes = top.packed_bytes() * image.samples;
    if (image.samples > 1) {
        return top_bytes <= D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT
                   ? D3D12_SMALL_MSAA_RESOURCE_PLACEMENT_ALIGNMENT
                   : 0;
    }
    if ((desc.Flags & targets) != 0) return 0;
    return top_bytes <= D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT ? D3D12_SMALL_RESOURCE_PLACEMENT_ALIGNMENT : 0;
}

}  // namespace

bool AllocationQuery::ask(const D3D12_RESOURCE_DESC& desc, D3D12_RESOURCE_ALLOCATION_INFO& info) {
    queries_.fetch_add(1, std::memory_order_relaxed);
    info = allocation_info(device_, desc);
    const bool refused = info.SizeInBytes == 0 || info.SizeInBytes == std::numeric_limits<UINT64>::max();
    // An alignment that is none would break the report; the resource then counts as refused.
    return !refused && is_power_of_two(info.Alignment) && (desc.Alignment == 0 || info.Alignment <= desc.Alignment);
}

model::MemoryRequirements AllocationQuery::texture(const model::ImageDescription& image, D3D12_RESOURCE_DESC& desc) {
    D3D12_RESOURCE_ALLOCATION_INFO info{};
    desc.Alignment = small_alignment(image, desc);
    bool granted = desc.Alignment != 0 && ask(desc, info);
    if (!granted) {
        desc.Alignment = 0;
        granted = ask(desc, info);
    }
    if (!granted) return {};
    return {.size_bytes = info.SizeInBytes,
            .alignment_bytes = info.Alignment,
            .memory_type_bits = layout_.bits_for(image),
            .dedicated = model::Dedicated::kNone};
}

model::MemoryRequirements AllocationQuery::buffer(const model::BufferDescription& buffer, D3D12_RESOURCE_DESC& desc) {
    D3D12_RESOURCE_ALLOCATION_INFO info{};
    desc.Alignment = 0;
    if (!ask(desc, info)) return {};
    return {.size_bytes = info.SizeInBytes,
            .alignment_bytes = info.Alignment,
            .memory_type_bits = layout_.bits_for(buffer),
            .dedicated = model::Dedicated::kNone};
}

}  // namespace heapwright::d3d12
