#include "d3d12/memory_layout.hpp"

#include <algorithm>
#include <array>

#include "core/breadcrumb.hpp"
#include "d3d12/facts.hpp"
#include "d3d12/returned_structures.hpp"

namespace heapwright::d3d12 {
namespace {

using model::D3d12HeapType;
using model::ResourceClass;
namespace property = model::memory_property;

struct ClassRow {
    std::vector<ResourceClass> classes;
    D3D12_HEAP_FLAGS flags;
};

std::vector<ClassRow> class_rows(bool separate) {
    if (!separate) return {{{}, D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES}};
    return {{{ResourceClass::kLinear}, D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS},
            {{ResourceClass::kOptimal}, D3D12_HEAP_FLAG_ALLOW_ONLY_NON_RT_DS_TEXTURES},
            {{ResourceClass::kOptimalRenderTarget}, D3D12_HEAP_FLAG_ALLOW_ONLY_RT_DS_TEXTURES}};
}

D3D12_HEAP_PROPERTIES plain(D3D12_HEAP_TYPE type) {
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = type;
    return properties;
}

model::Flags host_flags(const D3D12_HEAP_PROPERTIES& properties, bool local) {
    model::Flags flags = property::kHostVisible | property::kHostCoherent;
    if (properties.CPUPageProperty == D3D12_CPU_PAGE_PROPERTY_WRITE_BACK) flags |= property::kHostCached;
    return local ? flags | property::kDeviceLocal : flags;
}

}  // namespace

MemoryLayout MemoryLayout::build(D3D12_RESOURCE_HEAP_TIER tier, bool unified, bool gpu_upload,
                                 const D3D12_HEAP_PROPERTIES& upload, const D3D12_HEAP_PROPERTIES& readback) {
    MemoryLayout layout;
    layout.unified_ = unified;
    layout.separates_ = tier == D3D12_RESOURCE_HEAP_TIER_1;
    const std::uint32_t system_heap = unified ? 0 : 1;
    const auto add = [&layout](D3d12HeapType type, std::uint32_t heap, model::Flags flags, const ClassRow& classes,
                               const D3D12_HEAP_PROPERTIES& properties) {
        layout.rows_.push_back({.type = {.heap_index = heap,
                                         .property_flags = flags,
                                         .d3d12_heap_type = type,
                                         .resource_classes = classes.classes},
                                .properties = properties,
                                .flags = classes.flags});
    };
    const ClassRow buffers{{ResourceClass::kLinear}, D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS};
    for (const ClassRow& classes : class_rows(layout.separates_)) {
        add(D3d12HeapType::kDefault, 0, property::kDeviceLocal, classes, plain(D3D12_HEAP_TYPE_DEFAULT));
    }
    add(D3d12HeapType::kUpload, system_heap, host_flags(upload, unified), buffers, upload);
    add(D3d12HeapType::kReadback, system_heap, host_flags(readback, unified), buffers, readback);
    if (gpu_upload) {
        constexpr model::Flags kFlags = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent;
        for (const ClassRow& classes : class_rows(layout.separates_)) {
            add(D3d12HeapType::kGpuUpload, 0, kFlags, classes, plain(D3D12_HEAP_TYPE_GPU_UPLOAD));
        }
    }
    return layout;
}

MemoryLayout MemoryLayout::read(ID3D12Device* device) {
    probe::FailedQuestions failed;
    const auto options = feature_data<D3D12_FEATURE_DATA_D3D12_OPTIONS>(device, D3D12_FEATURE_D3D12_OPTIONS,
                                                                        "D3D12_FEATURE_D3D12_OPTIONS", failed);
    const auto architecture = feature_data<D3D12_FEATURE_DATA_ARCHITECTURE>(device, D3D12_FEATURE_ARCHITECTURE,
                                                                            "D3D12_FEATURE_ARCHITECTURE", failed);
    const auto options16 = feature_data<D3D12_FEATURE_DATA_D3D12_OPTIONS16>(device, D3D12_FEATURE_D3D12_OPTIONS16,
                                                                            "D3D12_FEATURE_D3D12_OPTIONS16", failed);
    leave_breadcrumb("ID3D12Device::GetCustomHeapProperties");
    const D3D12_HEAP_PROPERTIES upload = custom_heap_properties(device, D3D12_HEAP_TYPE_UPLOAD);
    const D3D12_HEAP_PROPERTIES readback = custom_heap_properties(device, D3D12_HEAP_TYPE_READBACK);
    MemoryLayout layout = build(options.ResourceHeapTier == D3D12_RESOURCE_HEAP_TIER_2 ? D3D12_RESOURCE_HEAP_TIER_2
                                                                                       : D3D12_RESOURCE_HEAP_TIER_1,
                                architecture.UMA != 0, options16.GPUUploadHeapSupported != 0, upload, readback);
    layout.failed_ = std::move(failed);
    return layout;
}

std::uint32_t MemoryLayout::bits_for(const model::ResourceDescription& resource) const {
    const ResourceClass wanted = model::resource_class(resource, true);
    const auto* buffer = std::get_if<model::BufferDescription>(&resource);
    constexpr model::Flags kWritten = model::buffer_usage::kStorage | model::buffer_usage::kStorageTexel;
    const bool device_writes = buffer != nullptr && (buffer->usage & kWritten) != 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const model::MemoryType& type = rows_[i].type;
        const bool one_way =
            type.d3d12_heap_type == D3d12HeapType::kUpload || type.d3d12_heap_type == D3d12HeapType::kReadback;
        if (one_way && device_writes) continue;
        const auto& classes = type.resource_classes;
        if (classes.empty() || std::find(classes.begin(), classes.end(), wanted) != classes.end()) bits |= 1u << i;
    }
    return bits;
}

}  // namespace heapwright::d3d12
