// Vulkan Memory Allocator: a custom pool for every bucket, because one preferredLargeHeapBlockSize stands for all
// memory types and VMA ignores it in heaps of up to 1 GiB (it uses an eighth of the heap there).
// Source: vk_mem_alloc.h 3.2.1, VmaAllocatorCreateInfo, VmaPoolCreateInfo, CalcPreferredBlockSize.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/checked.hpp"
#include "export/setting.hpp"
#include "export/target.hpp"
#include "model/names.hpp"
#include "policy/vma.hpp"

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
constexpr Setting kPoolFor{.key = "pool_for()",
                           .unit = "",
                           .source = "memory types of each use, alignment and thresholds",
                           .by_default = "VMA's own choice"};
constexpr std::array kSettings{kPoolFor,     kBlockSize,   kHeapLimit,    kPoolType,      kPoolFlags, kPoolBlockSize,
                               kPoolMinimum, kPoolMaximum, kPoolPriority, kPoolAlignment, kSmallHeap, kGranularity};

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

    std::string priority = "0.0f";
    if (bucket.priority) {
        priority = fmt::format("{:.3f}f", bucket.priority->value);
        sheet.set_text(kPoolPriority, priority, {path("priority")}, bucket.id);
    }
    const auto holds = [&](model::ResourceClass wanted) {
        return std::ranges::find(bucket.resource_classes, wanted) != bucket.resource_classes.end();
    };
    const std::uint64_t threshold = bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value
                                                                     : sheet.device().humongous_threshold_bytes.value;
    std::vector<std::string> choice_paths{path("alignment_bytes")};
    if (bucket.dedicated_threshold_bytes) choice_paths.push_back(path("dedicated_threshold_bytes"));
    sheet.set_text(kPoolFor, fmt::format("alignment {}, own memory above {}", bucket.alignment_bytes, threshold),
                   choice_paths, bucket.id);
    return fmt::format("    {{{}, {}, {}ull, {}ull, {}, {}ull, {}ull, {}, {}}},  // {}\n", type, flags, size, alignment,
                       priority, bucket.alignment_bytes, threshold, holds(model::ResourceClass::kLinear),
                       holds(model::ResourceClass::kOptimal), identifier(bucket.id));
}

// The memory types of each use, best first, each list with an end.
std::string memory_types(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::size_t longest = 0;
    for (const model::MemoryUsePolicy& use : device.memory_uses)
        longest = std::max(longest, use.memory_types.value.size());
    std::string names;
    std::string lists;
    for (std::size_t index = 0; index < device.memory_uses.size(); ++index) {
        const model::MemoryUsePolicy& use = device.memory_uses[index];
        const std::string ranked = fmt::format("{}", fmt::join(use.memory_types.value, ", "));
        sheet.set_text(kPoolFor, ranked, {fmt::format("/memory_uses/{}/memory_types", index)}, model::name_of(use.use));
        names += fmt::format("{}{}", names.empty() ? "" : ", ", model::name_of(use.use));
        lists += fmt::format("{}{{{}{}-1}}", lists.empty() ? "" : ", ", ranked, ranked.empty() ? "" : ", ");
    }
    return fmt::format(
        "enum Use {{ {} }};\n"
        "inline constexpr int kMemoryTypes[][{}] = {{{}}};  // best first\n\n",
        names, longest + 1, lists);
}

// What the header's heap and memory type indices mean, and whether a device is of that kind.
std::string made_for(const model::DevicePolicy& device) {
    std::string types;
    for (const model::MemoryType& type : device.memory_types)
        types += fmt::format("{}{{{:#x}, {}}}", types.empty() ? "" : ", ", type.property_flags, type.heap_index);
    return fmt::format(
        "inline constexpr uint32_t kMemoryTypeCount = {};\n"
        "inline constexpr VkMemoryType kMemoryTypesOfDevice[kMemoryTypeCount] = {{{}}};\n\n"
        "// Whether a device has the heaps and memory types that this file names by index; ask it before the others.\n"
        "// For a device that has others: `heapwright run` there, then `heapwright export vma` of its policy.\n"
        "inline bool is_made_for(const VkPhysicalDeviceMemoryProperties& memory) {{\n"
        "    bool same = memory.memoryHeapCount == kHeapCount && memory.memoryTypeCount == kMemoryTypeCount;\n"
        "    for (uint32_t i = 0; same && i < kMemoryTypeCount; ++i)\n"
        "        same = memory.memoryTypes[i].propertyFlags == kMemoryTypesOfDevice[i].propertyFlags &&\n"
        "               memory.memoryTypes[i].heapIndex == kMemoryTypesOfDevice[i].heapIndex;\n"
        "    return same;\n"
        "}}\n\n",
        device.memory_types.size(), types);
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
    sheet.explain("/buckets/*/suballocator", "VMA's pools are TLSF or linear, they have no fixed blocks or slots");
    std::string text = fmt::format("inline constexpr uint32_t kHeapCount = {};\n", device.heaps.size());
    text += fmt::format("inline constexpr uint32_t kPoolCount = {};\n", device.buckets.size());
    text += fmt::format("inline constexpr VkDeviceSize kHeapSizeLimits[kHeapCount] = {{{}}};\n\n", limits);
    text += "inline void configure(VmaAllocatorCreateInfo& info) {\n" + block_line +
            "    info.pHeapSizeLimit = kHeapSizeLimits;\n}\n\n";
    // Heap limits alone are by index, too: VMA reads as many of them as a device has heaps.
    if (!device.memory_types.empty()) text += made_for(device);
    if (device.buckets.empty() || device.memory_uses.empty()) return cpp_file(target, sheet, "vk_mem_alloc.h", text);
    const auto humongous =
        sheet.set(kPoolFor, device.humongous_threshold_bytes.value, "/humongous_threshold_bytes", "own memory above");
    const bool preferred = device.dedicated.value == model::DedicatedRule::kWhenPreferred;
    sheet.set_text(kPoolFor, preferred ? "where the driver prefers it" : "where the driver requires it", {"/dedicated"},
                   "own memory");
    text += memory_types(sheet);
    text += fmt::format("inline constexpr VkDeviceSize kOwnMemoryAbove = {}ull;\n", humongous);
    text += fmt::format("inline constexpr bool kOwnMemoryWherePreferred = {};\n", preferred);
    text +=
        "struct Pool {\n"
        "    uint32_t memory_type; VmaPoolCreateFlags flags; VkDeviceSize block_size, granule; float priority;\n"
        "    VkDeviceSize alignment, own_memory_above; bool buffers, optimal_images;\n"
        "};\n"
        "inline constexpr Pool kPools[kPoolCount] = {\n" +
        pools + "};\n\n";
    text +=
        "// Make each with vmaCreatePool and name it in VmaAllocationCreateInfo::pool.\n"
        "inline void describe_pools(VmaPoolCreateInfo (&pools)[kPoolCount]) {\n"
        "    for (uint32_t i = 0; i < kPoolCount; ++i) {\n"
        "        pools[i].memoryTypeIndex = kPools[i].memory_type;\n"
        "        pools[i].flags = kPools[i].flags;\n"
        "        pools[i].blockSize = kPools[i].block_size;\n"
        "        pools[i].minAllocationAlignment = kPools[i].granule;\n"
        "        pools[i].priority = kPools[i].priority;\n"
        "    }\n"
        "}\n\n"
        "// Which pool takes a resource, by what vkGetImageMemoryRequirements2 or vkGetBufferMemoryRequirements2 say "
        "of\n"
        "// it. -1: none; leave VmaAllocationCreateInfo::pool empty and ask for\n"
        "// VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT. Linear images count as buffers.\n"
        "inline int pool_for(Use use, bool optimal_image, const VkMemoryRequirements& needs,\n"
        "                    const VkMemoryDedicatedRequirements& own) {\n"
        "    if (own.requiresDedicatedAllocation || (kOwnMemoryWherePreferred && own.prefersDedicatedAllocation)) "
        "return -1;\n"
        "    if (needs.size > kOwnMemoryAbove) return -1;\n"
        "    for (const int* type = kMemoryTypes[use]; *type >= 0; ++type) {\n"
        "        if ((needs.memoryTypeBits >> *type & 1u) == 0) continue;\n"
        "        int best = -1;  // the smallest alignment that is enough, else the largest\n"
        "        for (int i = 0; i < int(kPoolCount); ++i) {\n"
        "            const Pool& pool = kPools[i];\n"
        "            if (int(pool.memory_type) != *type || !(optimal_image ? pool.optimal_images : pool.buffers)) "
        "continue;\n"
        "            const bool enough = pool.alignment >= needs.alignment;\n"
        "            const bool best_enough = best >= 0 && kPools[best].alignment >= needs.alignment;\n"
        "            if (best < 0 || (enough && !best_enough) ||\n"
        "                (enough == best_enough && enough == (pool.alignment < kPools[best].alignment)))\n"
        "                best = i;\n"
        "        }\n"
        "        return best >= 0 && needs.size <= kPools[best].own_memory_above ? best : -1;\n"
        "    }\n"
        "    return -1;\n"
        "}\n";
    return cpp_file(target, sheet, "vk_mem_alloc.h", text);
}

}  // namespace

extern const Target kTarget{.summary = {.name = "vma",
                                        .title = "Vulkan Memory Allocator",
                                        .form = "C++ header",
                                        .ending = ".hpp",
                                        .checked_against = "VMA 3.2.1 (vk_mem_alloc.h of Debian 13)",
                                        .api = model::Api::kVulkan},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::vma
