// D3D12 Memory Allocator: a custom pool for every bucket, each with its BlockSize, because a pool whose BlockSize is 0
// ignores PreferredBlockSize and takes 64 MiB.
// Source: D3D12MemAlloc.h, ALLOCATOR_DESC, POOL_DESC.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::d3d12ma {
namespace {

constexpr Setting kBlockSize{.key = "ALLOCATOR_DESC::PreferredBlockSize",
                             .unit = "bytes",
                             .source = "chunk size of the fullest device bucket",
                             .by_default = "0: 64 MiB",
                             .least = 1};
constexpr Setting kHeapType{.key = "POOL_DESC::HeapProperties.Type",
                            .unit = "",
                            .source = "memory type of each bucket",
                            .by_default = "none: required"};
constexpr Setting kHeapFlags{.key = "POOL_DESC::HeapFlags",
                             .unit = "",
                             .source = "resource classes of each bucket",
                             .by_default = "none: required"};
constexpr Setting kPoolFlags{
    .key = "POOL_DESC::Flags", .unit = "", .source = "suballocator of each bucket", .by_default = "POOL_FLAG_NONE"};
constexpr Setting kPoolBlockSize{.key = "POOL_DESC::BlockSize",
                                 .unit = "bytes",
                                 .source = "chunk size of each bucket",
                                 .by_default = "0: 64 MiB, whatever PreferredBlockSize is",
                                 .least = 1};
constexpr Setting kPoolMinimum{
    .key = "POOL_DESC::MinBlockCount", .unit = "blocks", .source = "no policy value", .by_default = "0"};
constexpr Setting kPoolMaximum{
    .key = "POOL_DESC::MaxBlockCount", .unit = "blocks", .source = "no policy value", .by_default = "0: no limit"};
constexpr Setting kPoolAlignment{.key = "POOL_DESC::MinAllocationAlignment",
                                 .unit = "bytes",
                                 .source = "granule of each bucket",
                                 .by_default = "0: what each resource requires",
                                 .rounding = Rounding::kPowerOfTwoDown};
constexpr Setting kPriority{
    .key = "POOL_DESC::ResidencyPriority", .unit = "", .source = "priority of each bucket", .by_default = "normal"};
constexpr Setting kFlags{
    .key = "ALLOCATOR_DESC::Flags", .unit = "", .source = "no policy value", .by_default = "ALLOCATOR_FLAG_NONE"};
constexpr std::array kSettings{kBlockSize,     kFlags,       kHeapType,    kHeapFlags,     kPoolFlags,
                               kPoolBlockSize, kPoolMinimum, kPoolMaximum, kPoolAlignment, kPriority};

std::string_view heap_type(const model::DevicePolicy& device, std::uint32_t memory_type) {
    constexpr model::Flags kGpuUpload = model::memory_property::kDeviceLocal | model::memory_property::kHostVisible;
    if (has_properties(device, memory_type, kGpuUpload).value_or(false)) return "D3D12_HEAP_TYPE_GPU_UPLOAD";
    switch (use_of(device, memory_type)) {
        case model::MemoryUse::kDeviceOnly: return "D3D12_HEAP_TYPE_DEFAULT";
        case model::MemoryUse::kReadback: return "D3D12_HEAP_TYPE_READBACK";
        case model::MemoryUse::kUpload:
        case model::MemoryUse::kStreaming: return "D3D12_HEAP_TYPE_UPLOAD";
    }
    return "D3D12_HEAP_TYPE_DEFAULT";
}

// Tier 1 keeps the classes apart by memory type; where two share one, the device is of tier 2.
bool any_type_holds_two_classes(const model::DevicePolicy& device) {
    for (const model::BucketPolicy& bucket : device.buckets) {
        for (const model::BucketPolicy& other : device.buckets) {
            if (other.memory_type != bucket.memory_type) continue;
            const auto& mine = bucket.resource_classes;
            for (const model::ResourceClass theirs : other.resource_classes) {
                if (std::find(mine.begin(), mine.end(), theirs) == mine.end()) return true;
            }
            if (mine.size() > 1) return true;
        }
    }
    return false;
}

std::string_view heap_flags(const model::DevicePolicy& device, const model::BucketPolicy& bucket) {
    if (bucket.resource_classes.size() != 1) return "D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES";
    switch (bucket.resource_classes.front()) {
        case model::ResourceClass::kLinear: return "D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS";
        case model::ResourceClass::kOptimalRenderTarget: return "D3D12_HEAP_FLAG_ALLOW_ONLY_RT_DS_TEXTURES";
        case model::ResourceClass::kOptimal:
            // On tier 2 the class holds render targets too.
            return any_type_holds_two_classes(device) ? "D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES"
                                                      : "D3D12_HEAP_FLAG_ALLOW_ONLY_NON_RT_DS_TEXTURES";
    }
    return "D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES";
}

std::string_view residency_priority(double priority) {
    if (priority > 0.5) return "D3D12_RESIDENCY_PRIORITY_HIGH";
    return priority < 0.5 ? "D3D12_RESIDENCY_PRIORITY_LOW" : "D3D12_RESIDENCY_PRIORITY_NORMAL";
}

std::string pool(Sheet& sheet, std::size_t index) {
    const model::DevicePolicy& device = sheet.device();
    const model::BucketPolicy& bucket = device.buckets[index];
    const auto path = [index](std::string_view member) { return bucket_path(index, member); };
    const std::string_view type = heap_type(device, bucket.memory_type);
    const std::string_view flags = heap_flags(device, bucket);
    sheet.set_text(kHeapType, type, {path("memory_type")}, bucket.id);
    sheet.set_text(kHeapFlags, flags, {path("resource_classes")}, bucket.id);
    const auto kind = bucket.suballocator.value;
    const bool linear = kind == model::SuballocatorKind::kLinear || kind == model::SuballocatorKind::kRing;
    const std::string_view pool_flags = linear ? "D3D12MA::POOL_FLAG_ALGORITHM_LINEAR" : "D3D12MA::POOL_FLAG_NONE";
    if (linear || kind == model::SuballocatorKind::kTlsf) {
        sheet.set_text(kPoolFlags, pool_flags, {path("suballocator")}, bucket.id);
    }
    const auto size = sheet.set(kPoolBlockSize, bucket.chunk_size_bytes.value, path("chunk_size_bytes"), bucket.id);
    const auto alignment = sheet.set(kPoolAlignment, bucket.granule_bytes.value, path("granule_bytes"), bucket.id);

    std::string text = fmt::format("    // {}\n", identifier(bucket.id));
    text += fmt::format("    pools[{}].Flags = {};\n", index, pool_flags);
    text += fmt::format("    pools[{}].HeapProperties.Type = {};\n", index, type);
    text += fmt::format("    pools[{}].HeapFlags = {};\n", index, flags);
    text += fmt::format("    pools[{}].BlockSize = {}ull;\n", index, size);
    text += fmt::format("    pools[{}].MinAllocationAlignment = {}ull;\n", index, alignment);
    if (bucket.priority) {
        const std::string_view priority = residency_priority(bucket.priority->value);
        sheet.set_text(kPriority, priority, {path("priority")}, bucket.id);
        text += fmt::format("    pools[{}].ResidencyPriority = {};\n", index, priority);
    }
    return text;
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string block_line;
    if (const auto main = fullest(device, device_buckets(device))) {
        const auto size =
            sheet.set(kBlockSize, device.buckets[*main].chunk_size_bytes.value, bucket_path(*main, "chunk_size_bytes"));
        block_line = fmt::format("    desc.PreferredBlockSize = {}ull;\n", size);
    } else {
        sheet.leave_out(kBlockSize, "the policy has no bucket for device-only memory");
    }
    std::string pools;
    for (std::size_t i = 0; i < device.buckets.size(); ++i) pools += pool(sheet, i);
    for (const Setting* setting : {&kFlags, &kPoolMinimum, &kPoolMaximum}) {
        sheet.leave_out(*setting, "no policy value says it");
    }
    const bool has_priorities = std::ranges::any_of(
        device.buckets, [](const model::BucketPolicy& bucket) { return bucket.priority.has_value(); });
    if (!has_priorities) sheet.leave_out(kPriority, "the policy has no priorities for this device");
    sheet.explain("/buckets/*/growth/first_chunk_bytes", "the blocks of a pool with a BlockSize all take that size");
    sheet.explain("/buckets/*/growth/divisor", "the blocks of a pool with a BlockSize all take that size");
    sheet.explain("/buckets/*/dedicated_threshold_bytes",
                  "each allocation asks for it: above this size no pool, but ALLOCATION_FLAG_COMMITTED");
    sheet.explain("/buckets/*/suballocator", "its pools are TLSF or linear, they have no fixed blocks or slots");
    sheet.explain("/memory_uses/*/memory_types", "it has heap types, which each allocation or pool names");
    sheet.explain("/heaps/*/usable_bytes", "ALLOCATION_FLAG_WITHIN_BUDGET keeps to the budget that DXGI reports");

    std::string text = fmt::format("inline constexpr UINT kPoolCount = {};\n\n", device.buckets.size());
    text += fmt::format(
        "// Whether an adapter (DXGI_ADAPTER_DESC) is of the kind that this file is made for; ask it before the "
        "others.\n"
        "// For another one: `heapwright run` there, then `heapwright export d3d12ma` of its policy.\n"
        "inline bool is_made_for(UINT vendor_id, UINT device_id) {{\n"
        "    return vendor_id == {:#x} && device_id == {:#x};\n"
        "}}\n\n",
        device.identity.vendor_id, device.identity.device_id);
    text += "inline void configure([[maybe_unused]] D3D12MA::ALLOCATOR_DESC& desc) {\n" + block_line + "}\n\n";
    if (device.buckets.empty()) return cpp_file(target, sheet, "D3D12MemAlloc.h", text);
    text +=
        "// Make each with Allocator::CreatePool and name it in ALLOCATION_DESC::CustomPool. A pool with a BlockSize "
        "takes\n";
    text += "// neither what is larger nor what asks to be committed: leave CustomPool empty for these.\n";
    text += "inline void describe_pools(D3D12MA::POOL_DESC (&pools)[kPoolCount]) {\n" + pools + "}\n";
    return cpp_file(target, sheet, "D3D12MemAlloc.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "d3d12ma",
                                        .title = "D3D12 Memory Allocator",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "D3D12MA 2.0.1 and its source of 2026-11",
                                        .api = model::Api::kD3d12},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::d3d12ma
