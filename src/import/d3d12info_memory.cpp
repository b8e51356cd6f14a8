// Heaps: a device with unified memory has one, of all bytes that DXGI counts; any other has its dedicated video memory
// and the shared system memory. Memory types: the rows (heap type, resource class) that the Direct3D 12 backend makes,
// with the CPU page properties that the specification defines for each architecture.
// Source: DXGI_ADAPTER_DESC3, ID3D12Device::GetCustomHeapProperties, D3D12_RESOURCE_HEAP_TIER; "D3D12 GPU Upload
// Heaps" for D3D12_HEAP_TYPE_GPU_UPLOAD.
#include <fmt/format.h>

#include <limits>

#include "core/checked.hpp"
#include "import/detail/formats.hpp"
#include "import/detail/number_limits.hpp"

namespace heapwright::imports::detail {
namespace {

using model::D3d12HeapType;
using model::ResourceClass;
namespace property = model::memory_property;

struct Architecture {
    bool unified = false;
    bool cache_coherent = false;
    bool separates_classes = false;
    bool gpu_upload = false;
};

// Nothing when the file does not hold the member.
std::optional<std::uint64_t> fact(const JsonValue& adapter, std::string_view structure, std::string_view member) {
    const auto value = adapter.find(structure, member);
    return value ? value->number() : std::nullopt;
}

std::optional<Architecture> read_architecture(const JsonValue& adapter) {
    constexpr std::string_view kOptions = "D3D12_FEATURE_DATA_D3D12_OPTIONS";
    const auto either = [&adapter](std::string_view member) {
        const auto newer = fact(adapter, "D3D12_FEATURE_DATA_ARCHITECTURE1", member);
        return newer ? newer : fact(adapter, "D3D12_FEATURE_DATA_ARCHITECTURE", member);
    };
    const auto unified = either("UMA");
    const auto coherent = either("CacheCoherentUMA");
    const auto tier = fact(adapter, kOptions, "ResourceHeapTier");
    if (!unified || !coherent || !tier) return std::nullopt;
    const auto gpu_upload = fact(adapter, "D3D12_FEATURE_DATA_D3D12_OPTIONS16", "GPUUploadHeapSupported");
    return Architecture{.unified = *unified != 0,
                        .cache_coherent = *coherent != 0,
                        .separates_classes = *tier < 2,
                        .gpu_upload = gpu_upload.value_or(0) != 0};
}

void add_memory_types(const Architecture& architecture, model::DeviceReport& device) {
    std::vector<std::vector<ResourceClass>> class_rows{{}};
    if (architecture.separates_classes) {
        class_rows = {{ResourceClass::kLinear}, {ResourceClass::kOptimal}, {ResourceClass::kOptimalRenderTarget}};
    }
    const std::vector<ResourceClass> buffers{ResourceClass::kLinear};
    const std::uint32_t system_heap = architecture.unified ? 0 : 1;
    constexpr model::Flags kHost = property::kHostVisible | property::kHostCoherent;
    const model::Flags system = kHost | (architecture.unified ? property::kDeviceLocal : 0);
    const model::Flags upload =
        system | (architecture.unified && architecture.cache_coherent ? property::kHostCached : 0);
    const auto add = [&device](D3d12HeapType type, std::uint32_t heap, model::Flags flags,
                               const std::vector<ResourceClass>& classes) {
        device.memory_types.push_back(
            {.heap_index = heap, .property_flags = flags, .d3d12_heap_type = type, .resource_classes = classes});
    };
    for (const auto& classes : class_rows) add(D3d12HeapType::kDefault, 0, property::kDeviceLocal, classes);
    add(D3d12HeapType::kUpload, system_heap, upload, buffers);
    add(D3d12HeapType::kReadback, system_heap, system | property::kHostCached, buffers);
    if (!architecture.gpu_upload) return;
    for (const auto& classes : class_rows) {
        add(D3d12HeapType::kGpuUpload, 0, property::kDeviceLocal | kHost, classes);
    }
}

void add_budgets(const JsonValue& adapter, std::size_t heap_count, model::DeviceReport& device) {
    constexpr std::string_view kSegments[] = {"DXGI_QUERY_VIDEO_MEMORY_INFO[DXGI_MEMORY_SEGMENT_GROUP_LOCAL]",
                                              "DXGI_QUERY_VIDEO_MEMORY_INFO[DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL]"};
    std::vector<model::HeapBudget> budgets;
    std::vector<std::string> absent;
    for (std::size_t heap = 0; heap < heap_count; ++heap) {
        const auto budget = fact(adapter, kSegments[heap], "Budget");
        if (!budget) return;
        const auto usage = fact(adapter, kSegments[heap], "CurrentUsage");
        if (!usage) absent.push_back(fmt::format("/volatile/heap_budgets/{}/usage_bytes", heap));
        budgets.push_back({.budget_bytes = *budget, .usage_bytes = usage.value_or(0)});
    }
    device.run.heap_budgets = std::move(budgets);
    device.absent.insert(device.absent.end(), absent.begin(), absent.end());
}

}  // namespace

Status read_d3d12_memory(const JsonValue& adapter, model::DeviceReport& device) {
    HEAPWRIGHT_ASSIGN(const JsonValue description, adapter.require("DXGI_ADAPTER_DESC3"));
    HEAPWRIGHT_ASSIGN(const std::uint64_t video, description.require_number("DedicatedVideoMemory", kMax64));
    HEAPWRIGHT_ASSIGN(const std::uint64_t shared, description.require_number("SharedSystemMemory", kMax64));
    const auto architecture = read_architecture(adapter);
    // Without it nothing tells which heaps and memory types there are; both stay absent.
    if (!architecture) return {};
    if (architecture->unified) {
        const auto all = checked_add(video, shared);
        if (!all) return description.error("the memory sizes add up beyond 64 bits", ErrorCode::kOutOfRange, video);
        device.heaps.push_back({.size_bytes = *all, .flags = model::memory_heap::kDeviceLocal});
    } else {
        device.heaps.push_back({.size_bytes = video, .flags = model::memory_heap::kDeviceLocal});
        device.heaps.push_back({.size_bytes = shared, .flags = 0});
    }
    add_memory_types(*architecture, device);
    add_budgets(adapter, device.heaps.size(), device);
    return {};
}

}  // namespace heapwright::imports::detail
