#include "d3d12/descriptor_heaps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"
#include "d3d12/returned_structures.hpp"
#include "model/documented_heaps.hpp"

namespace heapwright::d3d12 {
namespace {

using device::DescriptorHeapKind;

static_assert(model::kDocumentedVisibleViews == D3D12_MAX_SHADER_VISIBLE_DESCRIPTOR_HEAP_SIZE_TIER_2);
static_assert(model::kDocumentedVisibleSamplers == D3D12_MAX_SHADER_VISIBLE_SAMPLER_HEAP_SIZE);

D3D12_DESCRIPTOR_HEAP_TYPE heap_type(DescriptorHeapKind kind) {
    switch (kind) {
        case DescriptorHeapKind::kCbvSrvUav: return D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
        case DescriptorHeapKind::kSampler: return D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER;
        case DescriptorHeapKind::kRtv: return D3D12_DESCRIPTOR_HEAP_TYPE_RTV;
        case DescriptorHeapKind::kDsv: break;
    }
    return D3D12_DESCRIPTOR_HEAP_TYPE_DSV;
}

D3D12_TEXTURE_ADDRESS_MODE address_mode(device::AddressMode mode) {
    switch (mode) {
        case device::AddressMode::kRepeat: return D3D12_TEXTURE_ADDRESS_MODE_WRAP;
        case device::AddressMode::kMirroredRepeat: return D3D12_TEXTURE_ADDRESS_MODE_MIRROR;
        case device::AddressMode::kClampToEdge: return D3D12_TEXTURE_ADDRESS_MODE_CLAMP;
        case device::AddressMode::kClampToBorder: break;
    }
    return D3D12_TEXTURE_ADDRESS_MODE_BORDER;
}

D3D12_FILTER filter_of(const device::SamplerDescription& sampler) {
    if (sampler.max_anisotropy > 1) return D3D12_FILTER_ANISOTROPIC;
    return sampler.filter == device::FilterMode::kLinear ? D3D12_FILTER_MIN_MAG_MIP_LINEAR
                                                         : D3D12_FILTER_MIN_MAG_MIP_POINT;
}

}  // namespace

DescriptorHeaps::DescriptorHeaps(const OpenDevice& context, ResourceBinder& resources)
    : context_(context),
      resources_(resources),
      form_{.form = device::DescriptorForm::kDescriptorHeap, .reason = "Direct3D 12 has no other"},
      view_limit_(model::kDocumentedVisibleViews),
      sampler_limit_(model::kDocumentedVisibleSamplers) {
    D3D12_FEATURE_DATA_D3D12_OPTIONS19 options{};
    leave_breadcrumb("ID3D12Device::CheckFeatureSupport", "D3D12_OPTIONS19");
    if (SUCCEEDED(context.device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS19, &options, sizeof options))) {
        if (options.MaxViewDescriptorHeapSize != 0) view_limit_ = options.MaxViewDescriptorHeapSize;
        if (options.MaxSamplerDescriptorHeapSize != 0) sampler_limit_ = options.MaxSamplerDescriptorHeapSize;
        form_.reason += "; heap sizes by D3D12_OPTIONS19";
    } else {
        form_.reason += "; heap sizes by the documented hardware tiers";
    }
    form_.reason += fmt::format(" ({} views, {} samplers)", view_limit_, sampler_limit_);
}

std::optional<std::uint64_t> DescriptorHeaps::stated_limit(DescriptorHeapKind kind, bool shader_visible) const {
    if (!shader_visible || !device::can_be_shader_visible(kind)) return std::nullopt;
    return kind == DescriptorHeapKind::kSampler ? sampler_limit_ : view_limit_;
}

Result<device::DescriptorHeapId> DescriptorHeaps::create(const device::DescriptorHeapRequest& request) {
    // More than the documented size is wrong use of the API, whatever a runtime lets pass: only who asks for the
    // refusal itself gets it from the device.
    HEAPWRIGHT_TRY(device::check_heap_request(
        request, request.beyond_stated_limit ? std::nullopt : stated_limit(request.kind, request.shader_visible)));
    D3D12_DESCRIPTOR_HEAP_DESC desc{};
    desc.Type = heap_type(request.kind);
    desc.NumDescriptors = request.capacity;
    desc.Flags = request.shader_visible ? D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE : D3D12_DESCRIPTOR_HEAP_FLAG_NONE;
    DescriptorHeap heap{.request = request};
    leave_breadcrumb("ID3D12Device::CreateDescriptorHeap", fmt::format("{} descriptors", request.capacity));
    HEAPWRIGHT_TRY(check(context_.device->CreateDescriptorHeap(&desc, IID_ID3D12DescriptorHeap, heap.handle.out()),
                         "ID3D12Device::CreateDescriptorHeap", fmt::format("{} descriptors", request.capacity)));
    heap.cpu_start = first_cpu_handle(heap.handle.get()).ptr;
    if (request.shader_visible) heap.gpu_start = first_gpu_handle(heap.handle.get()).ptr;
    leave_call("ID3D12Device::GetDescriptorHandleIncrementSize");
    heap.increment_bytes = context_.device->GetDescriptorHandleIncrementSize(desc.Type);
    heap.types.resize(request.capacity);
    if (!device::can_be_shader_visible(request.kind)) heap.views.resize(request.capacity);
    return device::DescriptorHeapId{heaps_.insert(std::move(heap))};
}

device::DescriptorHeapAddresses DescriptorHeaps::addresses(device::DescriptorHeapId id) const {
    const DescriptorHeap* heap = find(id);
    if (heap == nullptr) return {};
    device::DescriptorHeapAddresses addresses{
        .cpu_start = heap->cpu_start, .gpu_start = std::nullopt, .increment_bytes = heap->increment_bytes};
    if (heap->request.shader_visible) addresses.gpu_start = heap->gpu_start;
    return addresses;
}

Result<DescriptorHeap*> DescriptorHeaps::range(device::DescriptorHeapId id, std::uint32_t first,
                                               std::uint32_t count) const {
    DescriptorHeap* heap = find(id);
    if (heap == nullptr) return fail(ErrorCode::kInvalidArgument, "the descriptor heap is not live");
    HEAPWRIGHT_TRY(device::check_range(heap->request, first, count));
    return heap;
}

// Writes one descriptor at `at` and tells what it is.
struct DescriptorHeaps::Writer {
    ID3D12Device* device;
    ResourceBinder& resources;
    D3D12_CPU_DESCRIPTOR_HANDLE at;

    Result<DescriptorType> operator()(const device::ConstantBufferView& view) const {
        constexpr std::uint64_t kAlignment = D3D12_CONSTANT_BUFFER_DATA_PLACEMENT_ALIGNMENT;
        constexpr std::uint64_t kMostBytes = std::uint64_t{D3D12_REQ_IMMEDIATE_CONSTANT_BUFFER_ELEMENT_COUNT} * 16;
        HEAPWRIGHT_ASSIGN(const Resource* buffer,
                          buffer_of(view.buffer, view.offset_bytes, view.size_bytes, model::buffer_usage::kUniform));
        HEAPWRIGHT_TRY(multiple_of(view.offset_bytes, kAlignment));
        HEAPWRIGHT_TRY(multiple_of(view.size_bytes, kAlignment));
        if (view.size_bytes > kMostBytes) {
            return device::refused(ErrorCode::kInvalidArgument, "a constant buffer view is too large", view.size_bytes,
                                   kMostBytes);
        }
        leave_call("ID3D12Resource::GetGPUVirtualAddress");
        const D3D12_CONSTANT_BUFFER_VIEW_DESC desc{
            .BufferLocation = buffer->handle->GetGPUVirtualAddress() + view.offset_bytes,
            .SizeInBytes = static_cast<UINT>(view.size_bytes)};
        leave_call("ID3D12Device::CreateConstantBufferView");
        device->CreateConstantBufferView(&desc, at);
        return DescriptorType::kConstantBuffer;
    }

    Result<DescriptorType> operator()(const device::BufferView& view) const {
        HEAPWRIGHT_ASSIGN(const Resource* buffer,
                          buffer_of(view.buffer, view.offset_bytes, view.size_bytes, model::buffer_usage::kStorage));
        HEAPWRIGHT_TRY(multiple_of(view.offset_bytes, D3D12_RAW_UAV_SRV_BYTE_ALIGNMENT));
        HEAPWRIGHT_TRY(multiple_of(view.size_bytes, 4));
        const std::uint64_t first = view.offset_bytes / 4;
        const auto count = static_cast<UINT>(view.size_bytes / 4);
        if (view.writable) {
            D3D12_UNORDERED_ACCESS_VIEW_DESC desc{};
            desc.Format = DXGI_FORMAT_R32_TYPELESS;
            desc.ViewDimension = D3D12_UAV_DIMENSION_BUFFER;
            desc.Buffer.FirstElement = first;
            desc.Buffer.NumElements = count;
            desc.Buffer.Flags = D3D12_BUFFER_UAV_FLAG_RAW;
            leave_call("ID3D12Device::CreateUnorderedAccessView");
            device->CreateUnorderedAccessView(buffer->handle.get(), nullptr, &desc, at);
            return DescriptorType::kWrittenBuffer;
        }
        D3D12_SHADER_RESOURCE_VIEW_DESC desc{};
        desc.Format = DXGI_FORMAT_R32_TYPELESS;
        desc.ViewDimension = D3D12_SRV_DIMENSION_BUFFER;
        desc.Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;
        desc.Buffer.FirstElement = first;
        desc.Buffer.NumElements = count;
        desc.Buffer.Flags = D3D12_BUFFER_SRV_FLAG_RAW;
        leave_call("ID3D12Device::CreateShaderResourceView");
        device->CreateShaderResourceView(buffer->handle.get(), &desc, at);
        return DescriptorType::kReadBuffer;
    }

    Result<DescriptorType> operator()(const device::ImageView& view) const {
        const model::Flags usage = view.writable ? model::image_usage::kStorage : model::image_usage::kSampled;
        HEAPWRIGHT_ASSIGN(const Resource* image, image_of(view.image, view.mip_level, view.array_layer, usage, false));
        const auto& description = std::get<model::ImageDescription>(image->description);
        const bool array = description.array_layers > 1;
        if (view.writable) {
            D3D12_UNORDERED_ACCESS_VIEW_DESC desc{};
            desc.Format = view_format(description.format);
            desc.ViewDimension = array ? D3D12_UAV_DIMENSION_TEXTURE2DARRAY : D3D12_UAV_DIMENSION_TEXTURE2D;
            if (array) {
                desc.Texture2DArray.MipSlice = view.mip_level;
                desc.Texture2DArray.FirstArraySlice = view.array_layer;
                desc.Texture2DArray.ArraySize = 1;
            } else {
                desc.Texture2D.MipSlice = view.mip_level;
            }
            leave_call("ID3D12Device::CreateUnorderedAccessView");
            device->CreateUnorderedAccessView(image->handle.get(), nullptr, &desc, at);
            return DescriptorType::kWrittenImage;
        }
        D3D12_SHADER_RESOURCE_VIEW_DESC desc{};
        desc.Format = view_format(description.format);
        desc.Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;
        // A program's two-dimensional texture is one layer; an array of one layer is not that to the runtime.
        if (array && view.array_layer != 0) {
            return fail(ErrorCode::kNotSupported, "a two-dimensional view is of layer 0 alone in Direct3D 12");
        }
        desc.ViewDimension = D3D12_SRV_DIMENSION_TEXTURE2D;
        desc.Texture2D.MostDetailedMip = view.mip_level;
        desc.Texture2D.MipLevels = 1;
        leave_call("ID3D12Device::CreateShaderResourceView");
        device->CreateShaderResourceView(image->handle.get(), &desc, at);
        return DescriptorType::kReadImage;
    }

    Result<DescriptorType> operator()(const device::RenderTargetView& view) const {
        HEAPWRIGHT_ASSIGN(const Resource* image, image_of(view.image, view.mip_level, view.array_layer,
                                                          model::image_usage::kColorAttachment, false));
        const auto& description = std::get<model::ImageDescription>(image->description);
        D3D12_RENDER_TARGET_VIEW_DESC desc{};
        desc.Format = view_format(description.format);
        if (description.samples > 1) {
            desc.ViewDimension = D3D12_RTV_DIMENSION_TEXTURE2DMSARRAY;
            desc.Texture2DMSArray.FirstArraySlice = view.array_layer;
            desc.Texture2DMSArray.ArraySize = 1;
        } else {
            desc.ViewDimension = D3D12_RTV_DIMENSION_TEXTURE2DARRAY;
            desc.Texture2DArray.MipSlice = view.mip_level;
            desc.Texture2DArray.FirstArraySlice = view.array_layer;
            desc.Texture2DArray.ArraySize = 1;
        }
        leave_call("ID3D12Device::CreateRenderTargetView");
        device->CreateRenderTargetView(image->handle.get(), &desc, at);
        return DescriptorType::kRenderTarget;
    }

    Result<DescriptorType> operator()(const device::DepthStencilView& view) const {
        HEAPWRIGHT_ASSIGN(const Resource* image, image_of(view.image, view.mip_level, view.array_layer,
                                                          model::image_usage::kDepthStencilAttachment, true));
        const auto& description = std::get<model::ImageDescription>(image->description);
        D3D12_DEPTH_STENCIL_VIEW_DESC desc{};
        desc.Format = view_format(description.format);
        if (description.samples > 1) {
            desc.ViewDimension = D3D12_DSV_DIMENSION_TEXTURE2DMSARRAY;
            desc.Texture2DMSArray.FirstArraySlice = view.array_layer;
            desc.Texture2DMSArray.ArraySize = 1;
        } else {
            desc.ViewDimension = D3D12_DSV_DIMENSION_TEXTURE2DARRAY;
            desc.Texture2DArray.MipSlice = view.mip_level;
            desc.Texture2DArray.FirstArraySlice = view.array_layer;
            desc.Texture2DArray.ArraySize = 1;
        }
        leave_call("ID3D12Device::CreateDepthStencilView");
        device->CreateDepthStencilView(image->handle.get(), &desc, at);
        return DescriptorType::kDepthStencil;
    }

    Result<DescriptorType> operator()(const device::SamplerDescription& sampler) const {
        D3D12_SAMPLER_DESC desc{};
        desc.Filter = filter_of(sampler);
        desc.AddressU = address_mode(sampler.address_u);
        desc.AddressV = address_mode(sampler.address_v);
        desc.AddressW = D3D12_TEXTURE_ADDRESS_MODE_CLAMP;
        desc.MipLODBias = std::clamp(sampler.lod_bias, -16.0f, 15.99f);
        desc.MaxAnisotropy = std::clamp<UINT>(sampler.max_anisotropy, 1, D3D12_REQ_MAXANISOTROPY);
        desc.ComparisonFunc = D3D12_COMPARISON_FUNC_NEVER;
        desc.MinLOD = sampler.min_lod;
        desc.MaxLOD = std::max(sampler.min_lod, sampler.max_lod);
        leave_call("ID3D12Device::CreateSampler");
        device->CreateSampler(&desc, at);
        return DescriptorType::kSampler;
    }

private:
    static Status multiple_of(std::uint64_t value, std::uint64_t unit) {
        if (value % unit == 0) return {};
        return device::refused(ErrorCode::kInvalidArgument,
                               "a view's offset or size is no multiple of what the API asks", value, unit);
    }

    static Status has_usage(model::Flags usage, model::Flags needed) {
        if ((usage & needed) != 0) return {};
        return device::refused(ErrorCode::kInvalidArgument, "the resource was made without the usage of the view",
                               usage, needed);
    }

    Result<const Resource*> buffer_of(device::ResourceId id, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                      model::Flags usage) const {
        const Resource* resource = resources.find(id);
        const auto* buffer =
            resource == nullptr ? nullptr : std::get_if<model::BufferDescription>(&resource->description);
        if (buffer == nullptr) return fail(ErrorCode::kInvalidArgument, "the buffer of a view is not live");
        HEAPWRIGHT_TRY(has_usage(buffer->usage, usage));
        const bool fits = offset_bytes <= buffer->size_bytes && size_bytes <= buffer->size_bytes - offset_bytes;
        if (size_bytes == 0 || !fits) {
            return device::refused(
                ErrorCode::kInvalidArgument,
                fmt::format("{} bytes at offset {} are not inside the buffer", size_bytes, offset_bytes), offset_bytes,
                buffer->size_bytes);
        }
        return resource;
    }

    Result<const Resource*> image_of(device::ResourceId id, std::uint32_t mip_level, std::uint32_t array_layer,
                                     model::Flags usage, bool depth_view) const {
        const Resource* resource = resources.find(id);
        const auto* image =
            resource == nullptr ? nullptr : std::get_if<model::ImageDescription>(&resource->description);
        if (image == nullptr) return fail(ErrorCode::kInvalidArgument, "the image of a view is not live");
        HEAPWRIGHT_TRY(has_usage(image->usage, usage));
        const model::FormatInfo& format = model::info(image->format);
        if (format.is_depth_stencil() != depth_view || image->dimension != model::ImageDimension::k2d) {
            return fail(ErrorCode::kInvalidArgument, fmt::format("not a view of a {} image", format.name));
        }
        if (mip_level >= image->mip_levels || array_layer >= image->array_layers) {
            return device::refused(ErrorCode::kInvalidArgument,
                                   fmt::format("the image has no mip level {} of layer {}", mip_level, array_layer),
                                   mip_level, image->mip_levels);
        }
        return resource;
    }
};

Status DescriptorHeaps::write(device::DescriptorHeapId id, std::uint32_t index, const device::Descriptor& descriptor) {
    HEAPWRIGHT_ASSIGN(DescriptorHeap * heap, range(id, index, 1));
    HEAPWRIGHT_TRY(device::check_kind(heap->request, descriptor));
    const Writer writer{.device = context_.device.get(), .resources = resources_, .at = heap->cpu(index)};
    HEAPWRIGHT_ASSIGN(heap->types[index], std::visit(writer, descriptor));
    if (!heap->views.empty()) heap->views[index] = descriptor;
    return {};
}

Status DescriptorHeaps::copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                             device::DescriptorHeapId source, std::uint32_t source_index, std::uint32_t count) {
    HEAPWRIGHT_ASSIGN(const DescriptorHeap* from, range(source, source_index, count));
    HEAPWRIGHT_ASSIGN(DescriptorHeap * to, range(destination, destination_index, count));
    HEAPWRIGHT_TRY(device::check_copy(from->request, to->request));
    if (count == 0) return {};
    if (!from->views.empty()) {
        // vkd3d 1.2 copies no render target and depth stencil views: they are written once more.
        for (std::uint32_t i = 0; i < count; ++i) {
            if (from->types[source_index + i] == DescriptorType::kNever) {
                to->types[destination_index + i] = DescriptorType::kNever;
            } else {
                HEAPWRIGHT_TRY(write(destination, destination_index + i, from->views[source_index + i]));
            }
        }
        return {};
    }
    leave_call("ID3D12Device::CopyDescriptorsSimple");
    context_.device->CopyDescriptorsSimple(count, to->cpu(destination_index), from->cpu(source_index),
                                           heap_type(from->request.kind));
    std::copy_n(from->types.begin() + source_index, count, to->types.begin() + destination_index);
    return {};
}

}  // namespace heapwright::d3d12
