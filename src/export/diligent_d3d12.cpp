// Diligent Engine over Direct3D 12. Its GPU heap of samplers holds a static and a dynamic part that together are one
// Direct3D 12 heap: they sum to at most 2048.
// Source: DiligentCore, GraphicsTypes.h, EngineD3D12CreateInfo; Direct3D 12 hardware tiers.
#include <fmt/format.h>

#include <array>

#include "core/checked.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::diligent_d3d12 {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;
constexpr std::uint64_t kMostSamplers = 2048;
constexpr std::uint64_t kMostResources = 1'000'000;
constexpr std::string_view kDescriptors = "descriptors";

constexpr Setting cpu_page(std::string_view key, std::string_view source, std::string_view by_default) {
    return {.key = key, .unit = kDescriptors, .source = source, .by_default = by_default, .least = 1, .most = kMost32};
}
constexpr Setting gpu_heap(std::string_view key, std::string_view source, std::string_view by_default,
                           std::uint64_t most) {
    return {.key = key, .unit = kDescriptors, .source = source, .by_default = by_default, .least = 1, .most = most};
}

constexpr Setting kCpuResources = cpu_page("CPUDescriptorHeapAllocationSize[0]", "CBV/SRV/UAV page", "8192");
constexpr Setting kCpuSamplers = cpu_page("CPUDescriptorHeapAllocationSize[1]", "sampler page", "2048");
constexpr Setting kCpuRenderTargets = cpu_page("CPUDescriptorHeapAllocationSize[2]", "RTV page", "1024");
constexpr Setting kCpuDepthStencils = cpu_page("CPUDescriptorHeapAllocationSize[3]", "DSV page", "1024");
constexpr Setting kResources =
    gpu_heap("GPUDescriptorHeapSize[0]", "visible resource heap, less its dynamic part", "16384", kMostResources);
constexpr Setting kSamplers =
    gpu_heap("GPUDescriptorHeapSize[1]", "visible sampler heap, less its dynamic part", "1024", kMostSamplers);
constexpr Setting kDynamicResources =
    gpu_heap("GPUDescriptorHeapDynamicSize[0]", "dynamic part of the resource heap", "8192", kMostResources);
constexpr Setting kDynamicSamplers =
    gpu_heap("GPUDescriptorHeapDynamicSize[1]", "dynamic part of the sampler heap", "1024", kMostSamplers);
constexpr Setting kResourceChunk =
    gpu_heap("DynamicDescriptorAllocationChunkSize[0]", "dynamic chunk of resources", "256", kMostResources);
constexpr Setting kSamplerChunk =
    gpu_heap("DynamicDescriptorAllocationChunkSize[1]", "dynamic chunk of samplers", "32", kMostSamplers);
constexpr Setting kDynamicPage{.key = "DynamicHeapPageSize",
                               .unit = "bytes",
                               .source = "upload page",
                               .by_default = "1 MiB",
                               .least = 1,
                               .most = kMost32};
constexpr Setting kReservedPages{.key = "NumDynamicHeapPagesToReserve",
                                 .unit = "pages",
                                 .source = "upload ring over upload page",
                                 .by_default = "1",
                                 .least = 1,
                                 .most = kMost32,
                                 .rounding = Rounding::kUp};
constexpr std::array kSettings{kCpuResources,  kCpuSamplers,  kCpuRenderTargets, kCpuDepthStencils,
                               kResources,     kSamplers,     kDynamicResources, kDynamicSamplers,
                               kResourceChunk, kSamplerChunk, kDynamicPage,      kReservedPages};

class Writer {
public:
    explicit Writer(Sheet& sheet) : sheet_(sheet) {}

    void take(const Setting& setting, const model::Decided<std::uint64_t>& decided, std::string_view path) {
        if (const auto value = sheet_.set_decided(setting, decided, path)) assign(setting, *value);
    }
    // The two parts of a shader-visible heap, shrunk alike where together they exceed `most`.
    void take_visible(const Setting& fixed, const Setting& dynamic, const model::VisibleHeapPolicy& heap,
                      std::string_view path, std::uint64_t most) {
        const std::string capacity_path = fmt::format("{}/capacity", path);
        const std::string dynamic_path = fmt::format("{}/dynamic_capacity", path);
        const std::uint64_t capacity = heap.capacity.value;
        if (capacity <= heap.dynamic_capacity.value || heap.dynamic_capacity.value == 0) {
            sheet_.leave_out(fixed, fmt::format("the policy's {} leaves no static part", capacity_path));
            sheet_.leave_out(dynamic, fmt::format("the policy's {} leaves no static part", capacity_path));
            return;
        }
        std::uint64_t wanted = heap.dynamic_capacity.value;
        std::uint64_t rest = capacity - wanted;
        if (capacity > most) {
            const std::uint64_t held = checked_mul(rest, most).value_or(most) / capacity;
            sheet_.change(fmt::format("{} + {}", fixed.key, dynamic.key),
                          fmt::format("{} + {} = {} descriptors held down to {} in all, both parts alike", rest, wanted,
                                      capacity, most));
            rest = held == 0 ? 1 : held;
            wanted = most - rest;
        }
        assign(fixed, sheet_.set(fixed, rest, capacity_path));
        assign(dynamic, sheet_.set(dynamic, wanted, dynamic_path));
    }
    void assign(const Setting& setting, std::uint64_t value) {
        lines_ += fmt::format("    info.{} = {}u;\n", setting.key, value);
    }
    [[nodiscard]] const std::string& lines() const { return lines_; }

private:
    Sheet& sheet_;
    std::string lines_;
};

std::string write(const Target& target, Sheet& sheet) {
    const model::DescriptorPolicy& descriptors = sheet.device().descriptors;
    const model::UploadPolicy& uploads = sheet.device().uploads;
    Writer writer(sheet);
    writer.take(kCpuResources, descriptors.cbv_srv_uav_page, "/descriptors/cbv_srv_uav_page");
    writer.take(kCpuSamplers, descriptors.sampler_page, "/descriptors/sampler_page");
    writer.take(kCpuRenderTargets, descriptors.rtv_page, "/descriptors/rtv_page");
    writer.take(kCpuDepthStencils, descriptors.dsv_page, "/descriptors/dsv_page");
    writer.take_visible(kResources, kDynamicResources, descriptors.resources, "/descriptors/resources", kMostResources);
    writer.take_visible(kSamplers, kDynamicSamplers, descriptors.samplers, "/descriptors/samplers", kMostSamplers);
    writer.take(kResourceChunk, descriptors.resources.dynamic_chunk, "/descriptors/resources/dynamic_chunk");
    writer.take(kSamplerChunk, descriptors.samplers.dynamic_chunk, "/descriptors/samplers/dynamic_chunk");
    writer.take(kDynamicPage, uploads.page_bytes, "/uploads/page_bytes");
    if (uploads.page_bytes.value != 0 && uploads.ring_bytes.value != 0) {
        Setting pages = kReservedPages;
        pages.unit_size = uploads.page_bytes.value;
        writer.assign(pages, sheet.set(pages, uploads.ring_bytes.value, "/uploads/ring_bytes"));
    } else {
        sheet.leave_out(kReservedPages, "the policy has no /uploads/ring_bytes");
    }
    sheet.explain("/buckets/*/chunk_size_bytes", "its Direct3D 12 backend makes committed resources: it has no blocks");
    sheet.explain("/descriptors/", "its descriptor heaps have their own variable-size allocator in every part");
    sheet.explain("/buckets/*/suballocator", "its Direct3D 12 backend makes committed resources: it has no blocks");
    sheet.explain("/heaps/*/usable_bytes", "its Direct3D 12 backend makes committed resources, with no limit");

    std::string text =
        "inline void configure([[maybe_unused]] Diligent::EngineD3D12CreateInfo& info) {\n" + writer.lines() + "}\n";
    return cpp_file(target, sheet, "EngineFactoryD3D12.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "diligent-d3d12",
                                        .title = "Diligent Engine (Direct3D 12)",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "DiligentCore 2.5 (API 250000) and its source of 2026-11",
                                        .api = model::Api::kD3d12},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::diligent_d3d12
