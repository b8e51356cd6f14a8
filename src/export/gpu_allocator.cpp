// gpu-allocator: it clamps every size to 4-256 MiB and rounds it up to a multiple of 4 MiB, so that is done here, and
// told.
// Source: gpu-allocator, src/lib.rs, AllocationSizes.
#include <fmt/format.h>

#include <array>

#include "core/units.hpp"
#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::gpu_allocator {
namespace {

constexpr Setting size(std::string_view key, std::string_view source, std::string_view by_default) {
    return {.key = key,
            .unit = "bytes",
            .source = source,
            .by_default = by_default,
            .least = 4 * kMiB,
            .most = 256 * kMiB,
            .rounding = Rounding::kUp,
            .multiple = 4 * kMiB};
}

constexpr Setting kDevice = size("device_memblock_size", "first chunk of the fullest device bucket", "256 MiB");
constexpr Setting kHost = size("host_memblock_size", "first chunk of the fullest host bucket", "64 MiB");
constexpr Setting kMostDevice =
    size("max_device_memblock_size", "chunk size of the fullest device bucket", "device_memblock_size");
constexpr Setting kMostHost =
    size("max_host_memblock_size", "chunk size of the fullest host bucket", "host_memblock_size");
constexpr std::array kSettings{kDevice, kHost, kMostDevice, kMostHost};

struct Sizes {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> most;
};

Sizes take(Sheet& sheet, std::size_t index, const Setting& first, const Setting& most) {
    const model::BucketPolicy& bucket = sheet.device().buckets[index];
    const std::string chunk = bucket_path(index, "chunk_size_bytes");
    if (!bucket.growth) {
        sheet.leave_out(most, fmt::format("the bucket {} does not grow", bucket.id));
        return {.first = sheet.set(first, bucket.chunk_size_bytes.value, chunk)};
    }
    const auto start =
        sheet.set(first, bucket.growth->first_chunk_bytes.value, bucket_path(index, "growth/first_chunk_bytes"));
    return {.first = start, .most = sheet.set(most, bucket.chunk_size_bytes.value, chunk)};
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    const auto on_device = fullest(device, device_buckets(device));
    const auto on_host = fullest(device, host_buckets(device));
    std::string call;
    if (on_device || on_host) {
        // new() takes both; where only one kind of bucket is there, all memory is of that kind.
        const Sizes of_device = take(sheet, on_device ? *on_device : *on_host, kDevice, kMostDevice);
        const Sizes of_host = take(sheet, on_host ? *on_host : *on_device, kHost, kMostHost);
        call = fmt::format("gpu_allocator::AllocationSizes::new({}, {})", of_device.first, of_host.first);
        if (of_device.most) call += fmt::format("\n        .with_max_device_memblock_size({})", *of_device.most);
        if (of_host.most) call += fmt::format("\n        .with_max_host_memblock_size({})", *of_host.most);
    } else {
        for (const Setting& setting : kSettings) sheet.leave_out(setting, "the policy has no bucket");
        call = "gpu_allocator::AllocationSizes::default()";
    }
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one block size for device memory and one for host memory; "
                  "those of the fullest buckets are set");
    sheet.explain("/buckets/*/growth/first_chunk_bytes",
                  "it has one first block size for device memory and one for "
                  "host memory; those of the fullest buckets are set");
    sheet.explain("/buckets/*/growth/divisor", "its block sizes double with each block");
    sheet.explain("/buckets/*/dedicated_threshold_bytes",
                  "a resource larger than a block gets memory of its own; smaller ones ask for it in "
                  "AllocationScheme");
    std::string text = comment(head_of(target, sheet), "//");
    text += "\npub fn allocation_sizes() -> gpu_allocator::AllocationSizes {\n    " + call + "\n}\n";
    return text;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "gpu-allocator",
                                        .title = "gpu-allocator",
                                        .form = "Rust",
                                        .ending = ".rs",
                                        .checked_against = "gpu-allocator 0.28 (new() also 0.24 to 0.27)",
                                        .api = {}},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::gpu_allocator
