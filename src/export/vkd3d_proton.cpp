// vkd3d-proton: flags in VKD3D_CONFIG. Its chunk sizes are fixed.
// Source: vkd3d-proton, README.md and libs/vkd3d/device.c, VKD3D_CONFIG.
#include <fmt/format.h>

#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::vkd3d_proton {
namespace {

constexpr Setting kNoUploadHvv{.key = "VKD3D_CONFIG no_upload_hvv",
                               .unit = "",
                               .source = "first memory type for upload memory",
                               .by_default = "off: upload heaps lie in host-visible device memory"};
constexpr Setting kSmallRebar{
    .key = "VKD3D_CONFIG small_vram_rebar", .unit = "", .source = "no policy value", .by_default = "off"};
constexpr std::array kSettings{kNoUploadHvv, kSmallRebar};

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string lines;
    bool known = false;
    for (std::size_t i = 0; i < device.memory_uses.size(); ++i) {
        const model::MemoryUsePolicy& use = device.memory_uses[i];
        if (use.use != model::MemoryUse::kUpload || use.memory_types.value.empty()) continue;
        const auto is_local =
            has_properties(device, use.memory_types.value.front(), model::memory_property::kDeviceLocal);
        known = is_local.has_value();
        if (!is_local.value_or(true)) {
            sheet.set_text(kNoUploadHvv, "set", {fmt::format("/memory_uses/{}/memory_types", i)});
            lines = "export VKD3D_CONFIG=no_upload_hvv\n";
        }
    }
    if (lines.empty()) {
        sheet.leave_out(kNoUploadHvv, known ? "the policy's first memory type for uploads is device-local"
                                            : "the policy does not say what its memory types for uploads are");
    }
    sheet.leave_out(kSmallRebar, "no policy value says it");
    sheet.explain("/buckets/*/chunk_size_bytes", "its chunk sizes are fixed");
    sheet.explain("/buckets/*/growth/first_chunk_bytes", "its chunk sizes are fixed");
    sheet.explain("/memory_uses/*/memory_types", "only upload memory can be moved, by no_upload_hvv");
    return comment(head_of(target, sheet), "#") + lines;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "vkd3d-proton",
                                        .title = "vkd3d-proton",
                                        .form = "environment, a file for sh",
                                        .ending = ".sh",
                                        .checked_against = "vkd3d-proton's source of 2026-11",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::vkd3d_proton
