// NVRHI: the descriptor heaps of its Direct3D 12 device and the upload chunks of a command list. Its shader-visible
// sampler heap cannot exceed 2048.
// Source: NVRHI, nvrhi/d3d12.h, DeviceDesc; nvrhi/nvrhi.h, CommandListParameters.
#include <fmt/format.h>

#include <array>

#include "export/target.hpp"

namespace heapwright::exporting::nvrhi {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;

constexpr Setting heap(std::string_view key, std::string_view source, std::string_view by_default, std::uint64_t most) {
    return {.key = key, .unit = "descriptors", .source = source, .by_default = by_default, .least = 1, .most = most};
}

constexpr Setting kRenderTargets = heap("d3d12::DeviceDesc::renderTargetViewHeapSize", "RTV page", "1024", kMost32);
constexpr Setting kDepthStencils = heap("d3d12::DeviceDesc::depthStencilViewHeapSize", "DSV page", "1024", kMost32);
constexpr Setting kResources =
    heap("d3d12::DeviceDesc::shaderResourceViewHeapSize", "visible resource heap", "16384", 1'000'000);
constexpr Setting kSamplers = heap("d3d12::DeviceDesc::samplerHeapSize", "visible sampler heap", "1024", 2048);
constexpr Setting kUpload{.key = "CommandListParameters::uploadChunkSize",
                          .unit = "bytes",
                          .source = "upload page",
                          .by_default = "64 KiB",
                          .least = 1};
constexpr Setting kScratch{.key = "CommandListParameters::scratchChunkSize",
                           .unit = "bytes",
                           .source = "no policy value",
                           .by_default = "64 KiB"};
constexpr Setting kScratchMost{.key = "CommandListParameters::scratchMaxMemory",
                               .unit = "bytes",
                               .source = "no policy value",
                               .by_default = "1 GiB"};
constexpr std::array kSettings{kRenderTargets, kDepthStencils, kResources, kSamplers, kUpload, kScratch, kScratchMost};

std::string line(const Setting& setting, std::optional<std::uint64_t> value) {
    if (!value) return {};
    return fmt::format("    desc.{} = {}u;\n", setting.key.substr(setting.key.rfind(':') + 1), *value);
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    const model::DescriptorPolicy& descriptors = device.descriptors;
    std::string heaps =
        line(kRenderTargets, sheet.set_decided(kRenderTargets, descriptors.rtv_page, "/descriptors/rtv_page"));
    heaps += line(kDepthStencils, sheet.set_decided(kDepthStencils, descriptors.dsv_page, "/descriptors/dsv_page"));
    heaps += line(kResources,
                  sheet.set_decided(kResources, descriptors.resources.capacity, "/descriptors/resources/capacity"));
    heaps +=
        line(kSamplers, sheet.set_decided(kSamplers, descriptors.samplers.capacity, "/descriptors/samplers/capacity"));
    const std::string chunk =
        line(kUpload, sheet.set_decided(kUpload, device.uploads.page_bytes, "/uploads/page_bytes"));
    sheet.leave_out(kScratch, "no policy value says how much scratch memory ray tracing takes");
    sheet.leave_out(kScratchMost, "no policy value says how much scratch memory ray tracing takes");
    sheet.explain("/descriptors/",
                  "it has one heap for each type, without pages or a dynamic part, and its own allocator");
    sheet.explain("/uploads/ring_bytes", "its command lists take as many upload chunks as they need");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "every resource gets memory of its own there, unless the application "
                  "makes heaps and binds resources to them");

    std::string text = "inline void configure([[maybe_unused]] nvrhi::d3d12::DeviceDesc& desc) {\n" + heaps + "}\n\n";
    text += "inline void configure([[maybe_unused]] nvrhi::CommandListParameters& desc) {\n" + chunk + "}\n";
    return cpp_file(target, sheet, "nvrhi/d3d12.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "nvrhi",
                                        .title = "NVRHI",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "NVRHI's source of 2026-11",
                                        .api = model::Api::kD3d12},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::nvrhi
