// Open 3D Engine: PlatformLimits in a .setreg file. JSON parsers that know no comments read it too: what other targets
// say in comments stands under /Heapwright, which the engine does not look at.
// Source: O3DE, Gems/Atom/RHI, PlatformLimitsDescriptor (Code/Include/Atom/RHI.Reflect, DX12/Code/Source/RHI.Reflect).
#include <fmt/format.h>

#include <array>

#include <nlohmann/json.hpp>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::o3de {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMost32 = 0xffffffff;
constexpr std::uint64_t kMostSamplers = 2048;
constexpr std::uint64_t kMostResources = 1'000'000;

constexpr Setting size(std::string_view key, std::string_view source, std::string_view by_default) {
    return {.key = key, .unit = "bytes", .source = source, .by_default = by_default};
}
constexpr Setting descriptors(std::string_view key, std::string_view source, std::string_view by_default,
                              std::uint64_t most) {
    return {.key = key, .unit = "descriptors", .source = source, .by_default = by_default, .least = 1, .most = most};
}

constexpr Setting kImagePage = size("PlatformDefaultValues/ImagePoolPageSizeInBytes",
                                    "chunk size of the fullest device bucket for images", "2 MiB");
constexpr Setting kBufferPage = size("PlatformDefaultValues/BufferPoolPageSizeInBytes",
                                     "chunk size of the fullest device bucket for buffers", "16 MiB");
constexpr Setting kStagingBudget =
    size("PlatformDefaultValues/StagingBufferBudgetInBytes", "upload ring", "0: no budget");
constexpr Setting kAsyncStaging =
    size("PlatformDefaultValues/AsyncQueueStagingBufferSizeInBytes", "upload page", "4 MiB");
constexpr Setting kMediumStaging =
    size("PlatformDefaultValues/MediumStagingBufferPageSizeInBytes", "no policy value", "2 MiB");
constexpr Setting kLargestStaging = size("PlatformDefaultValues/LargestStagingBufferPageSizeInBytes",
                                         "chunk size of the fullest host bucket", "128 MiB");
constexpr Setting kResources = descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV[1]",
                                           "visible resource heap", "1000000", kMostResources);
constexpr Setting kCpuResources =
    descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV[0]", "CBV/SRV/UAV page", "500000", kMost32);
constexpr Setting kSamplers =
    descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_SAMPLER[1]", "visible sampler heap", "2048", kMostSamplers);
constexpr Setting kCpuSamplers =
    descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_SAMPLER[0]", "sampler page", "2048", kMost32);
constexpr Setting kRenderTargets =
    descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_RTV[0]", "RTV page", "2048", kMost32);
constexpr Setting kDepthStencils =
    descriptors("DescriptorHeapLimits/DESCRIPTOR_HEAP_TYPE_DSV[0]", "DSV page", "2048", kMost32);
constexpr Setting kStaticRatio{.key = "StaticDescriptorRatio",
                               .unit = "",
                               .source = "static part of the visible resource heap",
                               .by_default = "0.5",
                               .most = 1};
constexpr Setting kPaging{.key = "PagingParameters", .unit = "", .source = "no policy value", .by_default = "none"};
constexpr Setting kUsageHint{
    .key = "UsageHintParameters", .unit = "", .source = "no policy value", .by_default = "none"};
constexpr std::array kSettings{kImagePage,      kBufferPage,    kStagingBudget, kAsyncStaging, kMediumStaging,
                               kLargestStaging, kCpuResources,  kResources,     kCpuSamplers,  kSamplers,
                               kRenderTargets,  kDepthStencils, kStaticRatio,   kPaging,       kUsageHint};

// "PlatformDefaultValues/ImagePoolPageSizeInBytes" -> "ImagePoolPageSizeInBytes".
std::string last_part(const Setting& setting) {
    return std::string(setting.key.substr(setting.key.rfind('/') + 1));
}

void take_page(Sheet& sheet, Json& values, const Setting& setting, const std::optional<std::size_t>& bucket) {
    if (!bucket) {
        sheet.leave_out(setting, "the policy has no such bucket");
        return;
    }
    values[last_part(setting)] = sheet.set(setting, sheet.device().buckets[*bucket].chunk_size_bytes.value,
                                           bucket_path(*bucket, "chunk_size_bytes"));
}

Json default_values(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    Json values = Json::object();
    const auto on_device = device_buckets(device);
    take_page(sheet, values, kImagePage, fullest_with(device, on_device, model::ResourceClass::kOptimal));
    take_page(sheet, values, kBufferPage, fullest_with(device, on_device, model::ResourceClass::kLinear));
    take_page(sheet, values, kLargestStaging, fullest(device, host_buckets(device)));
    if (const auto ring = sheet.set_decided(kStagingBudget, device.uploads.ring_bytes, "/uploads/ring_bytes")) {
        values[last_part(kStagingBudget)] = *ring;
    }
    if (const auto page = sheet.set_decided(kAsyncStaging, device.uploads.page_bytes, "/uploads/page_bytes")) {
        values[last_part(kAsyncStaging)] = *page;
    }
    sheet.leave_out(kMediumStaging, "no policy value says it");
    return values;
}

void take_descriptors(Sheet& sheet, Json& limits) {
    const model::DescriptorPolicy& policy = sheet.device().descriptors;
    Json heaps = Json::object();
    const auto pair = [&](const char* name, std::optional<std::uint64_t> host, std::optional<std::uint64_t> visible) {
        if (host && visible) heaps[name] = {*host, *visible};
    };
    pair("DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
         sheet.set_decided(kCpuResources, policy.cbv_srv_uav_page, "/descriptors/cbv_srv_uav_page"),
         sheet.set_decided(kResources, policy.resources.capacity, "/descriptors/resources/capacity"));
    pair("DESCRIPTOR_HEAP_TYPE_SAMPLER",
         sheet.set_decided(kCpuSamplers, policy.sampler_page, "/descriptors/sampler_page"),
         sheet.set_decided(kSamplers, policy.samplers.capacity, "/descriptors/samplers/capacity"));
    // Neither of these can be shader-visible.
    pair("DESCRIPTOR_HEAP_TYPE_RTV", sheet.set_decided(kRenderTargets, policy.rtv_page, "/descriptors/rtv_page"), 0);
    pair("DESCRIPTOR_HEAP_TYPE_DSV", sheet.set_decided(kDepthStencils, policy.dsv_page, "/descriptors/dsv_page"), 0);
    if (!heaps.empty()) limits["DescriptorHeapLimits"] = heaps;
    if (policy.resources.capacity.value != 0) {
        const double dynamic = static_cast<double>(policy.resources.dynamic_capacity.value) /
                               static_cast<double>(policy.resources.capacity.value);
        const double ratio = std::clamp(1.0 - dynamic, 0.0, 1.0);
        limits["StaticDescriptorRatio"] = ratio;
        sheet.set_text(kStaticRatio, fmt::format("{}", ratio),
                       {"/descriptors/resources/dynamic_capacity", "/descriptors/resources/capacity"});
    } else {
        sheet.leave_out(kStaticRatio, "the policy has no /descriptors/resources/capacity");
    }
}

std::string write(const Target& target, Sheet& sheet) {
    const bool vulkan = sheet.device().identity.api == model::Api::kVulkan;
    Json limits = Json::object();
    limits["$type"] = vulkan ? "AZ::Vulkan::PlatformLimitsDescriptor" : "AZ::DX12::PlatformLimitsDescriptor";
    limits["PlatformDefaultValues"] = default_values(sheet);
    if (vulkan) {
        sheet.explain("/descriptors/", "PlatformLimits has descriptor heaps for dx12 alone");
    } else {
        take_descriptors(sheet, limits);
        sheet.explain("/descriptors/", "it chooses its dynamic chunks and its descriptor allocators itself");
    }
    sheet.leave_out(kPaging, "no policy value says it");
    sheet.leave_out(kUsageHint, "no policy value says it");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one page size for image pools, one for buffer pools and one for staging; those of the "
                  "fullest buckets are set");

    Json document = Json::object();
    document["O3DE"]["Atom"]["RHI"]["PlatformLimits"][vulkan ? "vulkan" : "dx12"] = std::move(limits);
    document["Heapwright"]["Export"] = head_of(target, sheet);
    return document.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

extern const Target kTarget{
    .summary = {.name = "o3de",
                .title = "O3DE",
                .form = "setreg (JSON)",
                .ending = ".setreg",
                .checked_against = "O3DE's source of 2026-11 (PlatformLimitsDescriptor version 2)",
                .api = {}},
    .settings = kSettings,
    .write = write};

}  // namespace heapwright::exporting::o3de
