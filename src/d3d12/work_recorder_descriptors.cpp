// Work that reaches resources through descriptors: clears and draws through views, dispatches and transforms.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/programs.hpp"
#include "d3d12/work_recorder.hpp"
#include "device/work_check.hpp"

namespace heapwright::d3d12 {
namespace {

// A buffer may be read as both at a time.
const D3D12_RESOURCE_STATES kReadBufferState =
    D3D12_RESOURCE_STATE_VERTEX_AND_CONSTANT_BUFFER | D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE;

device::DescriptorTable table_of(const DescriptorHeap* heap) {
    if (heap == nullptr) return {};
    return {.request = &heap->request, .type_at = [heap](std::uint32_t index) { return heap->types[index]; }};
}

device::ResourceId image_of_view(const auto& view) {
    if constexpr (requires { view.image; }) {
        return view.image;
    } else {
        return {};
    }
}

// The heap of a view that was written, and for this image.
Result<const DescriptorHeap*> view_heap(DescriptorHeaps& heaps, device::DescriptorHeapId id, std::uint32_t index,
                                        device::ResourceId image) {
    const DescriptorHeap* heap = heaps.find(id);
    if (heap == nullptr || index >= heap->views.size() || heap->types[index] == DescriptorType::kNever) {
        return fail(ErrorCode::kInvalidArgument, "no view was written where one is named");
    }
    const device::ResourceId viewed =
        std::visit([](const auto& view) { return image_of_view(view); }, heap->views[index]);
    if (viewed != image) {
        return fail(ErrorCode::kInvalidArgument, "the view that is named is of another image");
    }
    return heap;
}

}  // namespace

Status WorkRecorder::operator()(const device::ClearRenderTarget& clear) {
    HEAPWRIGHT_ASSIGN(const DescriptorHeap* heap,
                      view_heap(objects_.descriptors, clear.heap, clear.index, clear.image));
    use(clear.image, D3D12_RESOURCE_STATE_RENDER_TARGET, {});
    float color[4] = {};
    std::memcpy(color, clear.value.data(), sizeof color);
    leave_call("ID3D12GraphicsCommandList::ClearRenderTargetView");
    list_->ClearRenderTargetView(heap->cpu(clear.index), color, 0, nullptr);
    return {};
}

Status WorkRecorder::operator()(const device::ClearDepthStencil& clear) {
    HEAPWRIGHT_ASSIGN(const DescriptorHeap* heap,
                      view_heap(objects_.descriptors, clear.heap, clear.index, clear.image));
    use(clear.image, D3D12_RESOURCE_STATE_DEPTH_WRITE, {});
    const bool stencil = model::info(image_of(*resources_.find(clear.image)).format).has_stencil;
    const D3D12_CLEAR_FLAGS flags =
        stencil ? D3D12_CLEAR_FLAG_DEPTH | D3D12_CLEAR_FLAG_STENCIL : D3D12_CLEAR_FLAG_DEPTH;
    leave_call("ID3D12GraphicsCommandList::ClearDepthStencilView");
    list_->ClearDepthStencilView(heap->cpu(clear.index), flags, clear.depth, clear.stencil, 0, nullptr);
    return {};
}

void WorkRecorder::bind(const Pipeline& pipeline, const DescriptorHeap& resources, const DescriptorHeap* samplers) {
    if (&pipeline != bound_pipeline_) {
        leave_call("ID3D12GraphicsCommandList::SetComputeRootSignature");
        list_->SetComputeRootSignature(pipeline.signature.get());
        leave_call("ID3D12GraphicsCommandList::SetPipelineState");
        list_->SetPipelineState(pipeline.state.get());
        bound_pipeline_ = &pipeline;
    }
    if (&resources == bound_resources_ && samplers == bound_samplers_) return;
    ID3D12DescriptorHeap* heaps[2] = {resources.handle.get(), samplers == nullptr ? nullptr : samplers->handle.get()};
    leave_call("ID3D12GraphicsCommandList::SetDescriptorHeaps");
    list_->SetDescriptorHeaps(samplers == nullptr ? 1 : 2, heaps);
    bound_resources_ = &resources;
    bound_samplers_ = samplers;
}

Status WorkRecorder::operator()(const device::DispatchTables& dispatch) {
    const Pipeline* pipeline = objects_.pipelines.find(dispatch.pipeline);
    if (pipeline == nullptr) return fail(ErrorCode::kInvalidArgument, "the pipeline is not live");
    if (const std::string& why = objects_.pipelines.table_objection(); !why.empty()) {
        return fail(ErrorCode::kNotSupported, why);
    }
    const DescriptorHeap* resources = objects_.descriptors.find(dispatch.resource_heap);
    const DescriptorHeap* samplers =
        dispatch.sampler_heap ? objects_.descriptors.find(*dispatch.sampler_heap) : nullptr;
    HEAPWRIGHT_TRY(device::check_dispatch(dispatch, pipeline->static_sampler, table_of(resources), table_of(samplers)));
    for (const device::ResourceId id : dispatch.reads) {
        const bool buffer = std::holds_alternative<model::BufferDescription>(resources_.find(id)->description);
        use(id, buffer ? kReadBufferState : D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE, {});
    }
    for (const device::ResourceId id : dispatch.writes) use(id, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, {});

    bind(*pipeline, *resources, samplers);
    leave_call("ID3D12GraphicsCommandList::SetComputeRootDescriptorTable");
    list_->SetComputeRootDescriptorTable(kStaticTableParameter, resources->gpu(dispatch.static_table));
    leave_call("ID3D12GraphicsCommandList::SetComputeRootDescriptorTable");
    list_->SetComputeRootDescriptorTable(kDynamicTableParameter, resources->gpu(dispatch.dynamic_table));
    if (samplers != nullptr) {
        leave_call("ID3D12GraphicsCommandList::SetComputeRootDescriptorTable");
        list_->SetComputeRootDescriptorTable(kSamplerParameter, samplers->gpu(dispatch.sampler));
    }
    leave_call("ID3D12GraphicsCommandList::SetComputeRoot32BitConstant");
    list_->SetComputeRoot32BitConstant(output_parameter(pipeline->static_sampler), dispatch.output_word, 0);
    leave_call("ID3D12GraphicsCommandList::Dispatch");
    list_->Dispatch(1, 1, 1);
    return {};
}

Status WorkRecorder::operator()(const device::TransformBuffer& transform) {
    const bool in_place = transform.source == transform.destination;
    HEAPWRIGHT_ASSIGN(const Pipeline* program, objects_.transforms.get(in_place));
    ID3D12Resource* source = resources_.find(transform.source)->handle.get();
    ID3D12Resource* destination = resources_.find(transform.destination)->handle.get();
    if (!in_place) {
        use(transform.source, D3D12_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE,
            {transform.source_offset_bytes, transform.source_offset_bytes + transform.size_bytes});
    }
    use(transform.destination, D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
        {transform.destination_offset_bytes, transform.destination_offset_bytes + transform.size_bytes});
    if (program != bound_pipeline_) {
        leave_call("ID3D12GraphicsCommandList::SetComputeRootSignature");
        list_->SetComputeRootSignature(program->signature.get());
        leave_call("ID3D12GraphicsCommandList::SetPipelineState");
        list_->SetPipelineState(program->state.get());
        bound_pipeline_ = program;
    }
    // Dispatches of many groups have rows of them: neither dimension comes near its limit.
    constexpr std::uint64_t kRowGroups = 32768;
    constexpr std::uint64_t kRowWords = kRowGroups * kTransformGroupWords;
    const std::uint64_t word_count = transform.size_bytes / sizeof(std::uint32_t);
    const std::uint32_t constants[] = {static_cast<std::uint32_t>(word_count), static_cast<std::uint32_t>(kRowWords),
                                       transform.key, transform.rounds};
    leave_call("ID3D12GraphicsCommandList::SetComputeRoot32BitConstants");
    list_->SetComputeRoot32BitConstants(kTransformConstants, static_cast<UINT>(std::size(constants)), constants, 0);
    leave_call("ID3D12Resource::GetGPUVirtualAddress");
    const D3D12_GPU_VIRTUAL_ADDRESS written = destination->GetGPUVirtualAddress();
    leave_call("ID3D12GraphicsCommandList::SetComputeRootUnorderedAccessView");
    list_->SetComputeRootUnorderedAccessView(kTransformDestination, written + transform.destination_offset_bytes);
    if (!in_place) {
        leave_call("ID3D12Resource::GetGPUVirtualAddress");
        const D3D12_GPU_VIRTUAL_ADDRESS read = source->GetGPUVirtualAddress();
        leave_call("ID3D12GraphicsCommandList::SetComputeRootShaderResourceView");
        list_->SetComputeRootShaderResourceView(kTransformSource, read + transform.source_offset_bytes);
    }
    leave_call("ID3D12GraphicsCommandList::Dispatch");
    list_->Dispatch(static_cast<UINT>(std::min(div_ceil(word_count, kTransformGroupWords), kRowGroups)),
                    static_cast<UINT>(div_ceil(word_count, kRowWords)), 1);
    return {};
}

Status WorkRecorder::operator()(const device::DrawBuffer& draw) {
    HEAPWRIGHT_ASSIGN(const DescriptorHeap* heap, view_heap(objects_.descriptors, draw.heap, draw.index, draw.image));
    const auto* view = std::get_if<device::RenderTargetView>(&heap->views[draw.index]);
    if (view == nullptr || view->mip_level != 0 || view->array_layer != 0) {
        return fail(ErrorCode::kInvalidArgument, "a draw's view is a render target view of mip 0 and layer 0");
    }
    return (*this)(device::CopyBufferToImage{
        .buffer = draw.source, .image = draw.image, .buffer_offset_bytes = draw.source_offset_bytes});
}

}  // namespace heapwright::d3d12
