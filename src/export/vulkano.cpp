// vulkano: one block size for each memory type, and the memory types that may be used at all.
// Source: vulkano, src/memory/allocator/mod.rs: GenericMemoryAllocatorCreateInfo, StandardMemoryAllocator::new_default.
#include <fmt/format.h>

#include <array>

#include "export/setting.hpp"
#include "export/target.hpp"

namespace heapwright::exporting::vulkano {
namespace {

// new_default(): a heap of at least 1 GiB gets the larger blocks.
constexpr std::uint64_t kLargeHeapBytes = 1ull << 30;
constexpr std::uint64_t kLargeHeapBlockBytes = 256ull << 20;
constexpr std::uint64_t kSmallHeapBlockBytes = 64ull << 20;

constexpr std::uint32_t kMostMemoryTypes = 32;  // VK_MAX_MEMORY_TYPES

constexpr Setting kBlockSizes{.key = "GenericMemoryAllocatorCreateInfo.block_sizes",
                              .unit = "bytes",
                              .source = "chunk size of the memory type's fullest bucket",
                              .by_default = "new_default(): 256 MiB, 64 MiB in heaps below 1 GiB",
                              .least = 1};
constexpr Setting kTypeBits{
    .key = "GenericMemoryAllocatorCreateInfo.memory_type_bits",
    .unit = "",
    .source = "the memory types that a use of memory ranks",
    .by_default = "new_default(): all but lazily allocated, protected, device-coherent and RDMA types"};
constexpr Setting kDedicated{.key = "GenericMemoryAllocatorCreateInfo.dedicated_allocation",
                             .unit = "",
                             .source = "no policy value",
                             .by_default = "true"};
constexpr std::array kSettings{kBlockSizes, kTypeBits, kDedicated};

std::uint64_t block_bytes(Sheet& sheet, std::uint32_t memory_type) {
    const model::DevicePolicy& device = sheet.device();
    std::vector<std::size_t> buckets;
    for (std::size_t i = 0; i < device.buckets.size(); ++i) {
        if (device.buckets[i].memory_type == memory_type) buckets.push_back(i);
    }
    if (const auto main = fullest(device, buckets)) {
        return sheet.set(kBlockSizes, device.buckets[*main].chunk_size_bytes.value,
                         bucket_path(*main, "chunk_size_bytes"), std::to_string(memory_type));
    }
    const std::uint32_t heap = device.memory_types[memory_type].heap_index;
    const bool is_large = heap < device.heaps.size() && device.heaps[heap].size_bytes >= kLargeHeapBytes;
    const std::uint64_t bytes = is_large ? kLargeHeapBlockBytes : kSmallHeapBlockBytes;
    sheet.change(fmt::format("block_sizes[{}]", memory_type),
                 fmt::format("no bucket lies in this memory type, so it has vulkano's own default, {} bytes", bytes));
    return bytes;
}

std::uint32_t ranked_types(Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::uint32_t bits = 0;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < device.memory_uses.size(); ++i) {
        for (const std::uint32_t type : device.memory_uses[i].memory_types.value) {
            if (type < kMostMemoryTypes) bits |= 1u << type;
        }
        paths.push_back(fmt::format("/memory_uses/{}/memory_types", i));
    }
    sheet.set_text(kTypeBits, fmt::format("{:#x}", bits), paths);
    sheet.change("memory_type_bits", "it says which memory types may be used; vulkano ranks them itself, by flags");
    return bits;
}

std::string write(const Target& target, Sheet& sheet) {
    std::string sizes;
    const std::size_t types = sheet.device().memory_types.size();
    for (std::uint32_t type = 0; type < types; ++type) sizes += fmt::format("    {},\n", block_bytes(sheet, type));
    const std::uint32_t bits = ranked_types(sheet);
    sheet.leave_out(kDedicated, "no policy value says whether the driver is told which resource has memory of its own");
    sheet.explain("/buckets/*/chunk_size_bytes",
                  "it has one block size for a memory type; that of the type's fullest bucket is set");
    sheet.explain("/buckets/*/growth/first_chunk_bytes", "it begins with blocks of full size");
    sheet.explain("/buckets/*/growth/divisor", "it begins with blocks of full size");
    sheet.explain("/buckets/*/dedicated_threshold_bytes",
                  "a resource larger than half a block gets memory of its own, and that share cannot be set");
    std::string text = comment(head_of(target, sheet), "//");
    text += fmt::format(
        "\n// By memory type index, for a device that has {} of them as the policy's device has. For another one:\n"
        "// `heapwright run` there, then `heapwright export vulkano` of its policy.",
        types);
    text += fmt::format("\npub const BLOCK_SIZES: [u64; {}] = [\n{}];\n", types, sizes);
    text += fmt::format("pub const MEMORY_TYPE_BITS: u32 = {:#x};\n", bits);
    text += "\n// For vulkano::memory::allocator::StandardMemoryAllocator::new.\n";
    text += "pub fn create_info() -> vulkano::memory::allocator::GenericMemoryAllocatorCreateInfo<'static> {\n";
    text += "    vulkano::memory::allocator::GenericMemoryAllocatorCreateInfo {\n";
    return text +
           "        block_sizes: &BLOCK_SIZES,\n        memory_type_bits: MEMORY_TYPE_BITS,\n"
           "        ..Default::default()\n    }\n}\n";
}

}  // namespace

extern const Target kTarget{
    .summary = {.name = "vulkano",
                .title = "vulkano",
                .form = "Rust",
                .ending = ".rs",
                .checked_against = "vulkano 0.34.1; its documentation of 2026-11 has the same members",
                .api = model::Api::kVulkan},
    .settings = kSettings,
    .write = write};

}  // namespace heapwright::exporting::vulkano
