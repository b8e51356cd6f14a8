// What an allocator of another program holds at one moment, from the JSON that it writes of itself:
//
//   VMA 2      vmaBuildStatsString: "Heap 0" with its "Type 0" at the top, "Pools", "UsedBytes"
//   VMA 3      vmaBuildStatsString: "MemoryInfo", "CustomPools", "BlockBytes"
//   D3D12MA 1  BuildStatsString: "DEFAULT", "UPLOAD", "READBACK" at the top, "DetailedMap"
//   D3D12MA 2  BuildStatsString of versions 2 and 3: "General" with the API, "MemoryInfo"
//
// A text is taken in UTF-8 and UTF-16, told by its content. Sizes in bytes. A dump has no order and no times.
// Pure and thread-safe. Errors name the source and a JSON pointer, the value and the limit: kParseError for broken JSON
// and for a dump without its detailed map, kSchemaViolation for what an allocator cannot write, kOutOfRange for sizes
// beyond 2^48, allocations beyond their block and indices beyond what a device has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/flags.hpp"
#include "workload/detail/dump_json.hpp"
#include "workload/finding_list.hpp"

namespace heapwright::workload {

enum class DumpFormat : std::uint8_t { kVma2, kVma3, kD3d12ma1, kD3d12ma2 };

// "VMA 2", "VMA 3", "D3D12MA 1", "D3D12MA 2".
[[nodiscard]] std::string_view to_string(DumpFormat format);

struct DumpHeap {
    std::uint64_t size_bytes = 0;  // 0: not told
    model::Flags flags = 0;        // memory_heap bits
};

// Vulkan's by its index. Direct3D 12's heap types in this order: DEFAULT, UPLOAD, READBACK, CUSTOM, GPU_UPLOAD; what
// custom pools say of their memory stands behind them.
struct DumpMemoryType {
    std::string name;                   // "Type 0", "UPLOAD"
    std::optional<std::uint32_t> heap;  // empty: not told
    model::Flags properties = 0;        // memory_property bits
    bool is_told = false;
};

// Memory that the allocator took from the driver at once.
struct DumpBlock {
    std::uint32_t memory_type = 0;
    std::uint64_t size_bytes = 0;
    bool is_dedicated = false;
    std::string pool;  // empty: a default pool
};

enum class AllocationKind : std::uint8_t { kUnknown, kBuffer, kImageOptimal, kImageLinear, kImageOfUnknownTiling };

struct DumpAllocation {
    std::uint32_t block = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    AllocationKind kind = AllocationKind::kUnknown;
    std::uint64_t usage = 0;              // VkBufferUsageFlags, VkImageUsageFlags or D3D12_RESOURCE_FLAGS
    std::optional<std::uint32_t> layout;  // D3D12_TEXTURE_LAYOUT
    std::string name;
};

struct DumpTotals {
    std::uint64_t block_count = 0;
    std::uint64_t block_bytes = 0;
    std::uint64_t allocation_count = 0;
    std::uint64_t allocation_bytes = 0;

    friend bool operator==(const DumpTotals&, const DumpTotals&) = default;
};

struct Dump {
    DumpFormat format = DumpFormat::kVma3;
    std::string device_name;  // empty: not told
    std::vector<DumpHeap> heaps;
    std::vector<DumpMemoryType> memory_types;
    std::optional<std::uint64_t> max_memory_allocation_count;
    std::optional<std::uint64_t> buffer_image_granularity_bytes;
    std::optional<std::uint64_t> non_coherent_atom_size_bytes;
    std::vector<DumpBlock> blocks;
    std::vector<DumpAllocation> allocations;  // of one block together, in the dump's order
    std::optional<DumpTotals> stated;         // what the dump says of itself
    std::vector<std::string> findings;        // sentences about what was odd
};

// Of the blocks and allocations that are listed; of one memory type, or of all.
[[nodiscard]] DumpTotals listed_totals(const Dump& dump, std::optional<std::uint32_t> memory_type = {});

// Whether the text is such a dump, whole or broken, by its keys.
[[nodiscard]] bool is_dump(std::string_view text);

// `source` names the text in errors.
[[nodiscard]] Result<Dump> read_dump(std::string_view text, std::string_view source);

// The readers of each allocator's own shape, behind read_dump().

[[nodiscard]] Status read_vma_2(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_vma_3(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_d3d12ma_1(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_d3d12ma_2(const detail::DumpJson& root, Dump& dump, FindingList& findings);

}  // namespace heapwright::workload
