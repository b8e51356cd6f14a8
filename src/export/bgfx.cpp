// bgfx: compile definitions for its target, in CMake.
// Source: bgfx, src/config.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/checked.hpp"
#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::bgfx {
namespace {

constexpr std::uint64_t kMostSize = 0x7fffffff;  // the defaults are int expressions

constexpr Setting kCached{.key = "BGFX_CONFIG_CACHED_DEVICE_MEMORY_ALLOCATIONS_SIZE",
                          .unit = "bytes",
                          .source = "chunk size of the fullest device bucket: what an empty chunk keeps",
                          .by_default = "128 MiB",
                          .most = kMostSize};
constexpr Setting kScratch{.key = "BGFX_CONFIG_MAX_STAGING_SCRATCH_BUFFER_SIZE",
                           .unit = "bytes",
                           .source = "upload page: a larger upload gets memory of its own",
                           .by_default = "16 MiB",
                           .most = kMostSize};
constexpr Setting kPerFrame{.key = "BGFX_CONFIG_MAX_SCRATCH_STAGING_BUFFER_PER_FRAME_SIZE",
                            .unit = "bytes",
                            .source = "upload ring over frames in flight",
                            .by_default = "32 MiB",
                            .most = kMostSize};
constexpr Setting kSets{.key = "BGFX_CONFIG_RENDERER_VULKAN_DESCRIPTOR_SETS_PER_POOL",
                        .unit = "sets",
                        .source = "no policy value",
                        .by_default = "1024",
                        .least = 1};
constexpr std::array kSettings{kCached, kScratch, kPerFrame, kSets};

std::string line(const Setting& setting, std::uint64_t value) {
    return fmt::format("    {}={}\n", setting.key, value);
}

std::string per_frame(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    if (device.uploads.ring_bytes.value == 0 || device.frames_in_flight.value == 0) {
        sheet.leave_out(kPerFrame, "the policy has no /uploads/ring_bytes");
        return {};
    }
    const std::uint64_t share = div_ceil(device.uploads.ring_bytes.value, device.frames_in_flight.value);
    const Applied applied = apply(kPerFrame, share);
    sheet.set_text(kPerFrame, fmt::format("{} bytes", applied.value), {"/uploads/ring_bytes", "/frames_in_flight"});
    for (const std::string& what : applied.changes) sheet.change(kPerFrame.key, what);
    if (device.uploads.ring_bytes.value % device.frames_in_flight.value != 0) {
        sheet.change(kPerFrame.key,
                     fmt::format("{} / {} rounded up", device.uploads.ring_bytes.value, device.frames_in_flight.value));
    }
    return line(kPerFrame, applied.value);
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string lines;
    const bool vulkan = device.identity.api == model::Api::kVulkan;
    const auto main = fullest(device, device_buckets(device));
    if (vulkan && main) {
        lines += line(kCached, sheet.set(kCached, device.buckets[*main].chunk_size_bytes.value,
                                         bucket_path(*main, "chunk_size_bytes")));
    } else {
        sheet.leave_out(kCached, vulkan ? "the policy has no bucket for device-only memory"
                                        : "only the Vulkan backend looks at it; the policy is for Direct3D 12");
    }
    if (vulkan) {
        if (const auto page = sheet.set_decided(kScratch, device.uploads.page_bytes, "/uploads/page_bytes")) {
            lines += line(kScratch, *page);
        }
        lines += per_frame(sheet);
    } else {
        sheet.leave_out(kScratch, "only the Vulkan backend looks at it; the policy is for Direct3D 12");
        sheet.leave_out(kPerFrame, "only the Vulkan backend looks at it; the policy is for Direct3D 12");
    }
    sheet.leave_out(kSets, "it counts sets, the policy descriptors");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "every resource gets memory of its own there: there are no blocks, only a cache of freed memory, "
                  "which takes the chunk size of the fullest device bucket on Vulkan");
    sheet.explain("/buckets/*/suballocator", "every resource gets memory of its own there");
    sheet.explain("/buckets/*/dedicated_threshold_bytes", "every resource gets memory of its own there");
    sheet.explain("/descriptors/", "its heaps have fixed sizes, and its Vulkan pools count sets");
    std::string text = comment(head_of(target, sheet), "#");
    text += "\nset(HEAPWRIGHT_BGFX_DEFINITIONS\n" + lines + ")\n";
    text += "if(TARGET bgfx)\n    target_compile_definitions(bgfx PRIVATE ${HEAPWRIGHT_BGFX_DEFINITIONS})\nendif()\n";
    return text;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "bgfx",
                                        .title = "bgfx",
                                        .form = "CMake compile definitions",
                                        .ending = ".cmake",
                                        .checked_against = "bgfx's src/config.h of 2026-11",
                                        .api = {}},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::bgfx
