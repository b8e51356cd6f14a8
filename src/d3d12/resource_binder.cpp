#include "d3d12/resource_binder.hpp"

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::d3d12 {

namespace {

// What no device could create.
Status check_arguments(const model::ImageDescription& image) {
    if (image.width == 0 || image.height == 0 || image.depth == 0 || image.mip_levels == 0 || image.array_layers == 0 ||
        !is_power_of_two(image.samples) || image.usage == 0) {
        return fail(ErrorCode::kInvalidArgument,
                    "a texture needs a usage, extents, mip levels and array layers of at least 1, and a power of two "
                    "of samples",
                    "D3D12_RESOURCE_DESC");
    }
    const std::uint32_t full_chain = model::full_mip_chain(image.width, image.height, image.depth);
    if (image.mip_levels <= full_chain) return {};
    return fail(Error{.code = ErrorCode::kInvalidArgument,
                      .message = "more mip levels than the extent has",
                      .where = "D3D12_RESOURCE_DESC",
                      .value = image.mip_levels,
                      .limit = full_chain});
}

}  // namespace

Result<ResourceBinder::Sized> ResourceBinder::size(const model::ResourceDescription& resource) const {
    constexpr const char* kCall = "ID3D12Device::GetResourceAllocationInfo";
    Sized sized;
    model::MemoryRequirements answer;
    leave_breadcrumb(kCall);
    if (const auto* image = std::get_if<model::ImageDescription>(&resource)) {
        HEAPWRIGHT_TRY(check_arguments(*image));
        if (std::string why = context_.support.objection(*image); !why.empty()) {
            return fail(ErrorCode::kNotSupported, std::move(why), "D3D12_RESOURCE_DESC");
        }
        if (std::string why = context_.support.extent_objection(*image); !why.empty()) {
            return fail(ErrorCode::kNotSupported, std::move(why), "D3D12_RESOURCE_DESC");
        }
        sized.desc = texture_description(*image).desc;
        answer = context_.query.texture(*image, sized.desc);
    } else {
        const auto& buffer = std::get<model::BufferDescription>(resource);
        if (buffer.size_bytes == 0 || buffer.usage == 0) {
            return fail(ErrorCode::kInvalidArgument, "a buffer needs a usage and at least 1 byte",
                        "D3D12_RESOURCE_DESC");
        }
        sized.desc = buffer_description(buffer);
        answer = context_.query.buffer(buffer, sized.desc);
    }
    if (answer.size_bytes == 0) return fail(ErrorCode::kNotSupported, "the device refused this resource", kCall);
    sized.requirements = answer;
    return sized;
}

Result<model::MemoryRequirements> ResourceBinder::requirements(const model::ResourceDescription& resource) {
    HEAPWRIGHT_ASSIGN(const Sized sized, size(resource));
    return sized.requirements;
}

Result<device::ResourceId> ResourceBinder::create_placed(const model::ResourceDescription& resource,
                                                         device::AllocationId heap_id, std::uint64_t offset_bytes) {
    const Heap* heap = memory_.find(heap_id);
    if (heap == nullptr) return fail(ErrorCode::kInvalidArgument, "the device allocation is not live");
    HEAPWRIGHT_ASSIGN(const Sized sized, size(resource));
    Resource created{.description = resource, .handle = {}, .is_fresh = true, .committed_type = {}};
    leave_breadcrumb("ID3D12Device::CreatePlacedResource");
    HEAPWRIGHT_TRY(check(context_.device->CreatePlacedResource(heap->handle.get(), offset_bytes, &sized.desc,
                                                               D3D12_RESOURCE_STATE_COMMON, nullptr, IID_ID3D12Resource,
                                                               created.handle.out()),
                         "ID3D12Device::CreatePlacedResource"));
    return device::ResourceId{resources_.insert(std::move(created))};
}

Result<device::ResourceId> ResourceBinder::create_dedicated(const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float) {
    HEAPWRIGHT_ASSIGN(Sized sized, size(resource));
    if (memory_type.value >= 32 || ((sized.requirements.memory_type_bits >> memory_type.value) & 1) == 0) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the resource cannot lie in this memory type",
                          .where = "memory_type_bits",
                          .value = memory_type.value,
                          .limit = sized.requirements.memory_type_bits});
    }
    HEAPWRIGHT_TRY(check_allocation(context_, memory_type, sized.requirements.size_bytes));
    const MemoryRow& row = context_.layout.rows()[memory_type.value];
    Resource created{.description = resource, .handle = {}, .committed_type = memory_type};
    created.committed_bytes = sized.requirements.size_bytes;
    leave_breadcrumb("ID3D12Device::CreateCommittedResource");
    HEAPWRIGHT_TRY(check(context_.device->CreateCommittedResource(&row.properties, D3D12_HEAP_FLAG_NONE, &sized.desc,
                                                                  D3D12_RESOURCE_STATE_COMMON, nullptr,
                                                                  IID_ID3D12Resource, created.handle.out()),
                         "ID3D12Device::CreateCommittedResource"));
    used_.add(row.type.heap_index, created.committed_bytes);
    return device::ResourceId{resources_.insert(std::move(created))};
}

void ResourceBinder::destroy(device::ResourceId resource) {
    const auto gone = resources_.take(resource.value);
    if (!gone || !gone->committed_type) return;
    used_.subtract(context_.layout.rows()[gone->committed_type->value].type.heap_index, gone->committed_bytes);
}

Result<std::span<std::byte>> ResourceBinder::map_dedicated(device::ResourceId id) {
    Resource* resource = find(id);
    if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "the resource is not live");
    if (!resource->committed_type) {
        return fail(ErrorCode::kInvalidArgument, "a placed resource is mapped through its device allocation");
    }
    if (!context_.layout.rows()[resource->committed_type->value].is_host_visible()) {
        return fail(ErrorCode::kNotSupported, "the memory type is not host visible", "ID3D12Resource::Map");
    }
    const auto* buffer = std::get_if<model::BufferDescription>(&resource->description);
    if (buffer == nullptr) return fail(ErrorCode::kNotSupported, "a texture is not mapped", "ID3D12Resource::Map");
    const std::scoped_lock lock(map_mutex_);
    if (resource->mapped == nullptr) {
        void* address = nullptr;
        leave_call("ID3D12Resource::Map");
        HEAPWRIGHT_TRY(check(resource->handle->Map(0, nullptr, &address), "ID3D12Resource::Map"));
        resource->mapped = static_cast<std::byte*>(address);
    }
    return std::span(resource->mapped, static_cast<std::size_t>(buffer->size_bytes));
}

}  // namespace heapwright::d3d12
