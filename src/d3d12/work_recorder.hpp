// Records a list of checked work into a command list.
//
// Every resource is in COMMON before the list and after it. Within it a state is tracked for each resource that the
// list names; overlapping writes in one state are parted by a transition to COMMON and back.
// One list by one thread; several lists may be recorded at once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "d3d12/command_slot.hpp"
#include "d3d12/descriptor_heaps.hpp"
#include "d3d12/pipelines.hpp"
#include "d3d12/resource_binder.hpp"
#include "d3d12/transform_programs.hpp"
#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

// Everything that a work item may name.
struct WorkObjects {
    ResourceBinder& resources;
    DescriptorHeaps& descriptors;
    Pipelines& pipelines;
    TransformPrograms& transforms;
};

class WorkRecorder {
public:
    // The slot is recording. All three outlive this.
    WorkRecorder(CommandSlot& slot, device::EngineKind engine, const WorkObjects& objects)
        : slot_(slot), list_(slot.list.get()), engine_(engine), objects_(objects), resources_(objects.resources) {}

    // Errors: device::check_work's, `where` being the item's position; those of scratch memory; kNotSupported.
    [[nodiscard]] Status record(std::span<const device::Work> work);

    // Resources whose first use was recorded here, to be marked once the list was queued.
    [[nodiscard]] const std::vector<device::ResourceId>& freshly_used() const { return freshly_used_; }

    Status operator()(const device::FillBuffer& fill);
    Status operator()(const device::CopyBuffer& copy);
    Status operator()(const device::ClearImage& clear);
    Status operator()(const device::CopyBufferToImage& copy);
    Status operator()(const device::CopyImageToBuffer& copy);
    Status operator()(const device::CopyImage& copy);
    Status operator()(const device::ClearRenderTarget& clear);
    Status operator()(const device::ClearDepthStencil& clear);
    Status operator()(const device::DispatchTables& dispatch);
    Status operator()(const device::TransformBuffer& transform);
    Status operator()(const device::DrawBuffer& draw);

private:
    // Bytes of a buffer, subresources of a texture.
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = ~0ull;
    };
    struct Tracked {
        D3D12_RESOURCE_STATES state = D3D12_RESOURCE_STATE_COMMON;
        std::vector<Range> written;  // in this state
    };
    struct Pattern {
        ScratchRange range;
        std::uint64_t size_bytes = 0;
    };

    // Brings the resource into the state for reading or writing the range.
    void use(device::ResourceId id, D3D12_RESOURCE_STATES state, Range range);
    void use(ID3D12Resource* resource, D3D12_RESOURCE_STATES state, Range range);
    void transition(ID3D12Resource* resource, D3D12_RESOURCE_STATES from, D3D12_RESOURCE_STATES to);
    void return_to_common();

    void bind(const Pipeline& pipeline, const DescriptorHeap& resources, const DescriptorHeap* samplers);
    Status clear_by_view(Resource& image, const device::ClearImage& clear);
    Status clear_by_copy(Resource& image, const device::ClearImage& clear);
    void clear_level(const Resource& image, const device::ClearImage& clear, std::uint32_t mip_level);

    [[nodiscard]] Result<Pattern> word_pattern(std::uint32_t value, std::uint64_t size_bytes);

    CommandSlot& slot_;
    ID3D12GraphicsCommandList* list_;
    device::EngineKind engine_;
    const WorkObjects& objects_;
    ResourceBinder& resources_;
    std::unordered_map<ID3D12Resource*, Tracked> tracked_;
    std::unordered_map<std::uint32_t, Pattern> patterns_;
    std::vector<device::ResourceId> freshly_used_;
    // What is bound in the list.
    const Pipeline* bound_pipeline_ = nullptr;
    const DescriptorHeap* bound_resources_ = nullptr;
    const DescriptorHeap* bound_samplers_ = nullptr;
};

}  // namespace heapwright::d3d12
