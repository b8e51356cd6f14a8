// llama.cpp's Vulkan backend, by environment variables. Second-hand: not every name was read in the source.
#include <fmt/format.h>

#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::llama_cpp {
namespace {

constexpr Setting kBlock{.key = "GGML_VK_SUBALLOCATION_BLOCK_SIZE",
                         .unit = "bytes",
                         .source = "chunk size of the fullest device bucket",
                         .by_default = "1 GiB",
                         .least = 1};
constexpr Setting kMostAllocation{.key = "GGML_VK_FORCE_MAX_ALLOCATION_SIZE",
                                  .unit = "bytes",
                                  .source = "no policy value",
                                  .by_default = "maxMemoryAllocationSize"};
constexpr Setting kMostBuffer{.key = "GGML_VK_FORCE_MAX_BUFFER_SIZE",
                              .unit = "bytes",
                              .source = "largest buffer",
                              .by_default = "maxBufferSize",
                              .least = 1};
constexpr Setting kPreferHost{.key = "GGML_VK_PREFER_HOST_MEMORY",
                              .unit = "",
                              .source = "first memory type for device-only memory",
                              .by_default = "unset"};
constexpr Setting kNoVisible{.key = "GGML_VK_DISABLE_HOST_VISIBLE_VIDMEM",
                             .unit = "",
                             .source = "first memory type for device-only memory",
                             .by_default = "unset"};
constexpr std::array kSettings{kBlock, kMostAllocation, kMostBuffer, kPreferHost, kNoVisible};

// llama.cpp asks for DEVICE_LOCAL memory first, host-visible or not; the policy may rank otherwise.
std::string place(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    for (std::size_t i = 0; i < device.memory_uses.size(); ++i) {
        const model::MemoryUsePolicy& use = device.memory_uses[i];
        if (use.use != model::MemoryUse::kDeviceOnly || use.memory_types.value.empty()) continue;
        const std::uint32_t first = use.memory_types.value.front();
        const std::vector<std::string> path{fmt::format("/memory_uses/{}/memory_types", i)};
        if (!has_properties(device, first, model::memory_property::kDeviceLocal).value_or(true)) {
            sheet.set_text(kPreferHost, "1", path);
            sheet.leave_out(kNoVisible, "the policy prefers host memory");
            return "export GGML_VK_PREFER_HOST_MEMORY=1\n";
        }
        if (!has_properties(device, first, model::memory_property::kHostVisible).value_or(true)) {
            sheet.set_text(kNoVisible, "1", path);
            sheet.leave_out(kPreferHost, "the policy prefers device-local memory");
            return "export GGML_VK_DISABLE_HOST_VISIBLE_VIDMEM=1\n";
        }
    }
    sheet.leave_out(kPreferHost, "the policy prefers device-local memory");
    sheet.leave_out(kNoVisible, "the policy's first memory type for device-only memory is host-visible");
    return {};
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string lines;
    if (const auto main = fullest(device, device_buckets(device))) {
        const auto size =
            sheet.set(kBlock, device.buckets[*main].chunk_size_bytes.value, bucket_path(*main, "chunk_size_bytes"));
        lines += fmt::format("export GGML_VK_SUBALLOCATION_BLOCK_SIZE={}\n", size);
    } else {
        sheet.leave_out(kBlock, "the policy has no bucket for device-only memory");
    }
    sheet.leave_out(kMostAllocation, "the policy limits no single allocation; the driver's own limit stands");
    if (device.largest_buffer_bytes) {
        const auto size = sheet.set(kMostBuffer, device.largest_buffer_bytes->value, "/largest_buffer_bytes");
        lines += fmt::format("export GGML_VK_FORCE_MAX_BUFFER_SIZE={}\n", size);
    } else {
        sheet.leave_out(kMostBuffer, "the policy limits no single buffer; the driver's own limit stands");
    }
    lines += place(sheet);
    sheet.explain("/largest_storage_buffer_bytes",
                  "it binds each tensor by its own range, so that a buffer may hold more than one descriptor sees");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one block size for all memory; that of the fullest device "
                  "bucket is set");
    return comment(head_of(target, sheet), "#") + lines;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "llama.cpp",
                                        .title = "llama.cpp (Vulkan)",
                                        .form = "environment, a file for sh",
                                        .ending = ".sh",
                                        .checked_against = "llama.cpp's Vulkan backend of 2026-11, second-hand",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::llama_cpp
