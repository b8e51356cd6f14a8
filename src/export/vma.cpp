// Vulkan Memory Allocator: a custom pool for every bucket, because one preferredLargeHeapBlockSize stands for all
// memory types and VMA ignores it in heaps of up to 1 GiB (it uses an eighth of the heap there).
// Source: vk_mem_alloc.h 3.2.1, VmaAllocatorCreateInfo, VmaPoolCreateInfo, CalcPreferredBlockSize.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heapwright/core/checked.hpp"
#include "heapwright/export/choice.hpp"
#include "heapwright/export/target.hpp"
#include "heapwright/policy/vma_rule.hpp"

namespace heapwright::exporting::vma {
namespace {

constexpr Setting kBlockSize{.key = "VmaAllocatorCreateInfo::preferredLargeHeapBlockSize",
                             .unit = "bytes",
                             .source = "chunk size of the fullest device bucket",
                             .by_default = "0: 256 MiB",
                             .least = 1};
constexpr Setting kHeapLimit{.key = "VmaAllocatorCreateInfo::pHeapSizeLimit",
                             .unit = "bytes",
                             .source = "usable bytes of each heap",
                             .by_default = "no limit"};
constexpr Setting kPoolType{.key = "VmaPoolCreateInfo::memoryTypeIndex",
                            .unit = "",
                            .source = "memory type of each bucket",
                            .by_default = "none: required",
                            .most = 31};
constexpr Setting kPoolFlags{.key = "VmaPoolCreateInfo::flags",
                             .unit = "",
                             .source = "resource classes and suballocator of each bucket",
                             .by_default = "0"};
constexpr Setting kPoolBlockSize{.key = "VmaPoolCreateInfo::blockSize",
                                 .unit = "bytes",
                                 .source = "chunk size of each bucket",
                                 .by_default = "0: as preferredLargeHeapBlockSize, or an eighth of a heap up to 1 GiB",
                                 .least = 1};
constexpr Setting kPoolMinimum{
    .key = "VmaPoolCreateInfo::minBlockCount", .unit = "blocks", .source = "no policy value", .by_default = "0"};
constexpr Setting kPoolMaximum{.key = "VmaPoolCreateInfo::maxBlockCount",
                               .unit = "blocks",
                               .source = "no policy value",
                               .by_default = "0: no limit"};
constexpr Setting kPoolPriority{.key = "VmaPoolCreateInfo::priority",
                                .unit = "",
                                .source = "priority of each bucket",
                                .by_default = "0",
                                .most = 1};
constexpr Setting kPoolAlignment{.key = "VmaPoolCreateInfo::minAllocationAlignment",
                                 .unit = "bytes",
                                 .source = "granule of each bucket",
                                 .by_default = "0: what each resource requires",
                                 .rounding = Rounding::kPowerOfTwoDown};
constexpr Setting kSmallHeap{
    .key = "VMA_SMALL_HEAP_MAX_SIZE", .unit = "bytes", .source = "no policy value", .by_default = "1 GiB"};
constexpr Setting kGranularity{
    .key = "VMA_DEBUG_MIN_BUFFER_IMAGE_GRANULARITY", .unit = "bytes", .source = "no policy value", .by_default = "1"};
constexpr std::array kSettings{kBlockSize,   kHeapLimit,    kPoolType,      kPoolFlags, kPoolBlockSize, kPoolMinimum,
                               kPoolMaximum, kPoolPriority, kPoolAlignment, kSmallHeap, kGranularity};

std::string pool_flags(const model::BucketPolicy& bucket) {
    std::string flags;
    const auto add = [&flags](std::string_view flag) { flags += (flags.empty() ? "" : " | ") + std::string(flag); };
    if (bucket.resource_classes.size() == 1) add("VMA_POOL_CREATE_IGNORE_BUFFER_IMAGE_GRANULARITY_BIT");
    if (bucket.suballocator.value == model::SuballocatorKind::kLinear ||
        bucket.suballocator.value == model::SuballocatorKind::kRing) {
        add("VMA_POOL_CREATE_LINEAR_ALGORITHM_BIT");
    }
    return flags.empty() ? "0" : flags;
}

bool suballocator_is_expressed(const model::BucketPolicy& bucket) {
    return bucket.suballocator.value != model::SuballocatorKind::kFixedBlocks &&
           bucket.suballocator.value != model::SuballocatorKind::kSlots;
}

std::string pool(Sheet& sheet, std::size_t index) {
    const model::BucketPolicy& bucket = sheet.device().buckets[index];
    const auto path = [index](std::string_view member) { return bucket_path(index, member); };
    const auto type = sheet.set(kPoolType, bucket.memory_type, path("memory_type"), bucket.id);
    const std::string flags = pool_flags(bucket);
    std::vector<std::string> flag_paths{path("resource_classes")};
    if (suballocator_is_expressed(bucket)) flag_paths.push_back(path("suballocator"));
    sheet.set_text(kPoolFlags, flags, flag_paths, bucket.id);
    const auto size = sheet.set(kPoolBlockSize, bucket.chunk_size_bytes.value, path("chunk_size_bytes"), bucket.id);
    const auto alignment = sheet.set(kPoolAlignment, bucket.granule_bytes.value, path("granule_bytes"), bucket.id);

    std::string text = fmt::format("    // {}\n", identifier(bucket.id));
    text += fmt::format("    pools[{}].memoryTypeIndex = {};\n", index, type);
    text += fmt::format("    pools[{}].flags = {};\n", index, flags);
    text += fmt::format("    pools[{}].blockSize = {}ull;\n", index, size);
    text += fmt::format("    pools[{}].minAllocationAlignment = {}ull;\n", index, alignment);
    if (bucket.priority) {
        const std::string priority = fmt::format("{:.3f}f", bucket.priority->value);
        sheet.set_text(kPoolPriority, priority, {path("priority")}, bucket.id);
        text += fmt::format("    pools[{}].priority = {};\n", index, priority);
    }
    return text;
}

void tell_of_small_heaps(Sheet& sheet) {
    for (const model::HeapPolicy& heap : sheet.device().heaps) {
        // VMA takes the limit for the heap's size.
        if (heap.usable_bytes.value == 0 || heap.usable_bytes.value > policy::kVmaSmallHeapBytes) continue;
        sheet.change(
            kBlockSize.key,
            fmt::format("ignored in heap {} of {} bytes, as in every heap up to 1 GiB, where VMA's blocks take "
                        "{} bytes: allocate there from the pools",
                        heap.heap, heap.usable_bytes.value, policy::vma_block_bytes(heap.usable_bytes.value)));
    }
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string limits;
    for (std::size_t i = 0; i < device.heaps.size(); ++i) {
        const auto limit = sheet.set(kHeapLimit, device.heaps[i].usable_bytes.value,
                                     fmt::format("/heaps/{}/usable_bytes", i), fmt::format("{}", device.heaps[i].heap));
        limits += fmt::format("{}{}ull", limits.empty() ? "" : ", ", limit);
    }
    std::string block_line;
    if (const auto main = fullest(device, device_buckets(device))) {
        const auto size =
            sheet.set(kBlockSize, device.buckets[*main].chunk_size_bytes.value, bucket_path(*main, "chunk_size_bytes"));
        block_line = fmt::format("    info.preferredLargeHeapBlockSize = {}ull;\n", size);
    } else {
        sheet.leave_out(kBlockSize, "the policy has no bucket for device-only memory");
    }
    tell_of_small_heaps(sheet);
    std::string pools;
    for (std::size_t i = 0; i < device.buckets.size(); ++i) pools += pool(sheet, i);

    for (const Setting* setting : {&kPoolMinimum, &kPoolMaximum, &kSmallHeap, &kGranularity}) {
        sheet.leave_out(*setting, "no policy value says it");
    }
    const bool has_priorities = std::ranges::any_of(
        device.buckets, [](const model::BucketPolicy& bucket) { return bucket.priority.has_value(); });
    if (has_priorities) {
        sheet.change(kPoolPriority.key,
                     "counts only with VMA_ALLOCATOR_CREATE_EXT_MEMORY_PRIORITY_BIT in the allocator");
    } else {
        sheet.leave_out(kPoolPriority, "the policy has no priorities for this device");
    }
    sheet.explain("/buckets/*/growth/first_chunk_bytes",
                  "the blocks of a pool with a blockSize all take that size; only pools without one start smaller");
    sheet.explain("/buckets/*/growth/divisor", "the blocks of a pool with a blockSize all take that size");
    sheet.explain(
        "/buckets/*/dedicated_threshold_bytes",
        "each allocation asks for it: above this size no pool, but VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT");
    sheet.explain("/memory_uses/*/memory_types",
                  "VMA ranks memory types itself; an allocation can name them in memoryTypeBits, or its pool");
    sheet.explain("/buckets/*/suballocator", "VMA's pools are TLSF or linear, they have no fixed blocks or slots");
    sheet.explain("/dedicated",
                  "VMA asks the driver itself, and VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT overrides it");

    std::string text = fmt::format("inline constexpr uint32_t kHeapCount = {};\n", device.heaps.size());
    text += fmt::format("inline constexpr uint32_t kPoolCount = {};\n", device.buckets.size());
    text += fmt::format("inline constexpr VkDeviceSize kHeapSizeLimits[kHeapCount] = {{{}}};\n\n", limits);
    text += "inline void configure(VmaAllocatorCreateInfo& info) {\n" + block_line +
            "    info.pHeapSizeLimit = kHeapSizeLimits;\n}\n\n";
    if (device.buckets.empty()) return cpp_file(target, sheet, "vk_mem_alloc.h", text);
    text +=
        "// Make each with vmaCreatePool and name it in VmaAllocationCreateInfo::pool. A pool with a blockSize takes "
        "neither\n";
    text += "// what is larger nor what asks for dedicated memory: leave pool empty for these.\n";
    text += "inline void describe_pools(VmaPoolCreateInfo (&pools)[kPoolCount]) {\n" + pools + "}\n";
    return cpp_file(target, sheet, "vk_mem_alloc.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "vma",
                                        .title = "Vulkan Memory Allocator",
                                        .form = "C++ header",
                                        .checked_against = "VMA 3.2.1 (vk_mem_alloc.h of Debian 13)",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::vma
