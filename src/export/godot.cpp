// Godot: lines for project.godot. The staging buffer holds at least four blocks. Second-hand: the names and ranges are
// those of the project settings' documentation.
// Source: Godot, ProjectSettings, rendering/rendering_device/.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/checked.hpp"
#include "core/units.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::godot {
namespace {

constexpr std::uint64_t kFewestBlocks = 4;

constexpr Setting kBlock{.key = "rendering/rendering_device/staging_buffer/block_size_kb",
                         .unit = "KiB",
                         .source = "upload page",
                         .by_default = "256",
                         .unit_size = kKiB,
                         .least = 4,
                         .most = 0x7fffffff,
                         .rounding = Rounding::kUp};
constexpr Setting kMost{.key = "rendering/rendering_device/staging_buffer/max_size_mb",
                        .unit = "MiB",
                        .source = "upload ring",
                        .by_default = "128",
                        .unit_size = kMiB,
                        .least = 1,
                        .most = 0x7fffffff,
                        .rounding = Rounding::kUp};
constexpr Setting kResources{.key = "rendering/rendering_device/d3d12/max_resource_descriptors",
                             .unit = "descriptors",
                             .source = "visible resource heap",
                             .by_default = "65536",
                             .least = 512,
                             .most = 1'000'000};
constexpr Setting kSamplers{.key = "rendering/rendering_device/d3d12/max_sampler_descriptors",
                            .unit = "descriptors",
                            .source = "visible sampler heap",
                            .by_default = "1024",
                            .least = 256,
                            .most = 2048};
constexpr Setting kFrames{.key = "rendering/rendering_device/vsync/frame_queue_size",
                          .unit = "frames",
                          .source = "frames in flight",
                          .by_default = "2",
                          .least = 2,
                          .most = 3};
constexpr Setting kPool{.key = "rendering/rendering_device/vulkan/max_descriptors_per_pool",
                        .unit = "descriptors",
                        .source = "no policy value",
                        .by_default = "64",
                        .least = 1};
constexpr std::array kSettings{kBlock, kMost, kResources, kSamplers, kFrames, kPool};

// project.godot keeps "rendering/a/b" as "a/b" in its section [rendering].
std::string line(const Setting& setting, std::uint64_t value) {
    constexpr std::string_view kSection = "rendering/";
    return fmt::format("{}={}\n", setting.key.substr(kSection.size()), value);
}

std::string staging(Sheet& sheet) {
    const model::UploadPolicy& uploads = sheet.device().uploads;
    const auto block = sheet.set_decided(kBlock, uploads.page_bytes, "/uploads/page_bytes");
    auto most = sheet.set_decided(kMost, uploads.ring_bytes, "/uploads/ring_bytes");
    if (!block || !most) return {};
    const std::uint64_t blocks = div_ceil(kFewestBlocks * *block, kMiB / kKiB);
    if (*most < blocks) {
        sheet.change(kMost.key, fmt::format("{} MiB raised to {} MiB, which holds {} blocks of {} KiB", *most, blocks,
                                            kFewestBlocks, *block));
        most = blocks;
    }
    return line(kBlock, *block) + line(kMost, *most);
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string lines = staging(sheet);
    if (const auto frames = sheet.set_decided(kFrames, device.frames_in_flight, "/frames_in_flight")) {
        lines += line(kFrames, *frames);
    }
    if (device.identity.api == model::Api::kD3d12) {
        const model::DescriptorPolicy& descriptors = device.descriptors;
        if (const auto count =
                sheet.set_decided(kResources, descriptors.resources.capacity, "/descriptors/resources/capacity")) {
            lines += line(kResources, *count);
        }
        if (const auto count =
                sheet.set_decided(kSamplers, descriptors.samplers.capacity, "/descriptors/samplers/capacity")) {
            lines += line(kSamplers, *count);
        }
        sheet.leave_out(kPool, "it is for Vulkan; the policy is for Direct3D 12");
        sheet.explain("/descriptors/", "only the size of the two shader-visible heaps can be set");
    } else {
        sheet.leave_out(kResources, "it is for Direct3D 12; the policy is for Vulkan");
        sheet.leave_out(kSamplers, "it is for Direct3D 12; the policy is for Vulkan");
        sheet.leave_out(kPool, "the pool counts each descriptor type, the policy counts resources together");
        sheet.explain("/descriptors/", "its Vulkan pools count each descriptor type apart, the policy's heaps do not");
    }
    sheet.explain("/buckets/*/chunk_size_bytes", "it allocates through VMA and D3D12MA with their default block sizes");
    return comment(head_of(target, sheet), ";") + "\n[rendering]\n\n" + lines;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "godot",
                                        .title = "Godot",
                                        .form = "project.godot (INI)",
                                        .ending = ".godot",
                                        .checked_against = "Godot's project settings of 2026-11, second-hand",
                                        .api = {}},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::godot
