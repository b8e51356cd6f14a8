// wgpu: one range of block sizes for device memory; for host memory it takes half of it, whatever the policy says.
// Source: wgpu-types, MemoryHints and MemoryBudgetThresholds; wgpu-hal, AllocationSizes::from_memory_hints.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/checked.hpp"
#include "core/units.hpp"
#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::wgpu {
namespace {

constexpr Setting block(std::string_view key, std::string_view source) {
    return {.key = key,
            .unit = "bytes",
            .source = source,
            .by_default = "MemoryHints::Performance: 128 MiB to 256 MiB",
            .least = 4 * kMiB,
            .most = 256 * kMiB,
            .rounding = Rounding::kUp,
            .multiple = 4 * kMiB};
}

constexpr Setting kFirst = block("MemoryHints::Manual.suballocated_device_memory_block_size.start",
                                 "first chunk of the fullest device bucket, or its chunk size");
constexpr Setting kMost =
    block("MemoryHints::Manual.suballocated_device_memory_block_size.end", "chunk size of the fullest device bucket");
constexpr Setting kCreation{.key = "MemoryBudgetThresholds.for_resource_creation",
                            .unit = "percent",
                            .source = "usable bytes of the first device heap, of its budget",
                            .by_default = "None",
                            .most = 100,
                            .rounding = Rounding::kDown};
constexpr Setting kLoss{.key = "MemoryBudgetThresholds.for_device_loss",
                        .unit = "percent",
                        .source = "no policy value",
                        .by_default = "None",
                        .most = 100};
constexpr std::array kSettings{kFirst, kMost, kCreation, kLoss};

std::string creation_threshold(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    const auto heap = first_heap(device, model::MemoryUse::kDeviceOnly);
    if (!heap || *heap >= device.heaps.size() || device.heaps[*heap].base_bytes == 0) {
        sheet.leave_out(kCreation, "the policy does not say which heap device-only memory lies in");
        return "None";
    }
    const std::uint64_t usable = device.heaps[*heap].usable_bytes.value;
    const std::uint64_t budget = device.heaps[*heap].base_bytes;
    Setting setting = kCreation;
    setting.unit_size = std::max<std::uint64_t>(1, budget / 100);
    const auto percent = sheet.set(setting, usable, fmt::format("/heaps/{}/usable_bytes", *heap));
    return fmt::format("Some({})", percent);
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string hints = "wgpu::MemoryHints::default()";
    if (const auto main = fullest(device, device_buckets(device))) {
        const model::BucketPolicy& bucket = device.buckets[*main];
        const std::string chunk = bucket_path(*main, "chunk_size_bytes");
        const auto first = bucket.growth ? sheet.set(kFirst, bucket.growth->first_chunk_bytes.value,
                                                     bucket_path(*main, "growth/first_chunk_bytes"))
                                         : sheet.set(kFirst, bucket.chunk_size_bytes.value, chunk);
        const auto most = sheet.set(kMost, bucket.chunk_size_bytes.value, chunk);
        hints =
            fmt::format("wgpu::MemoryHints::Manual {{\n        suballocated_device_memory_block_size: {}..{},\n    }}",
                        first, most);
        if (const auto host = fullest(device, host_buckets(device))) {
            const std::uint64_t wanted = device.buckets[*host].chunk_size_bytes.value;
            sheet.change("host memory blocks",
                         fmt::format("wgpu takes half of the device's, {} to {} bytes, where the policy has {} ({})",
                                     first / 2, most / 2, wanted, device.buckets[*host].id));
        }
    } else {
        for (const Setting* setting : {&kFirst, &kMost}) {
            sheet.leave_out(*setting, "the policy has no bucket for device-only memory");
        }
    }
    const std::string creation = creation_threshold(sheet);
    sheet.leave_out(kLoss, "no policy value says when a device shall be given up");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one range of block sizes for all device memory (that of the "
                  "fullest bucket is set), and half of it for host memory");
    sheet.explain("/buckets/*/growth/first_chunk_bytes", "it has one range of block sizes for all memory types");
    sheet.explain("/heaps/*/usable_bytes", "it has one threshold for all heaps; that of the device-only heap is set");
    std::string text = comment(head_of(target, sheet), "//");
    text += "\n// For wgpu::DeviceDescriptor.\npub fn memory_hints() -> wgpu::MemoryHints {\n    " + hints + "\n}\n";
    text += "\n// For wgpu::InstanceDescriptor.\npub fn memory_budget_thresholds() -> wgpu::MemoryBudgetThresholds {\n";
    text += fmt::format("    wgpu::MemoryBudgetThresholds {{\n        for_resource_creation: {},\n", creation);
    return text + "        for_device_loss: None,\n    }\n}\n";
}

}  // namespace

extern const Target kTarget{
    .summary = {.name = "wgpu",
                .title = "wgpu",
                .form = "Rust",
                .ending = ".rs",
                .checked_against = "wgpu 26 and its source of 2026-11 (MemoryHints::Manual also 22 to 25)",
                .api = {}},
    .settings = kSettings,
    .write = write};

}  // namespace heapwright::exporting::wgpu
