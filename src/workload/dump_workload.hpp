// The hints behind a dump. Sizes and counts are the dump's. A dump has no order and no times, so all of it is
// persistent.
//  - Memory use from the memory type: use_of_properties().
//  - One buffer hint for each usage, memory use, own memory and doubling of the size. What is of unknown kind counts as
//    a buffer to copy from and to.
//  - Images of four bytes a texel whose packed size is the dump's but for less than a row, because a dump tells no
//    extent: D32_SFLOAT for depth, R8G8B8A8_UNORM for all else. Up to 64 distinct extents a hint.
//  - Direct3D 12 tells what a resource may be used as; it is expressed in Vulkan's bits.
// Pure and thread-safe.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"
#include "workload/detail/dump_json.hpp"
#include "workload/dump.hpp"
#include "workload/finding_list.hpp"

namespace heapwright::workload {

// Host visible and cached is readback; host visible and device local streaming; host visible alone upload; all else is
// the device's alone. `properties`: memory_property bits.
[[nodiscard]] model::MemoryUse use_of_properties(model::Flags properties);

// Written by D3D12MA.
[[nodiscard]] bool is_direct3d(const Dump& dump);

// What one allocation of a dump holds, as it would be created.
struct DumpResource {
    model::ResourceDescription resource;
    model::MemoryUse use = model::MemoryUse::kDeviceOnly;
};
[[nodiscard]] DumpResource resource_of(const Dump& dump, const DumpAllocation& allocation);

// Passes workload::read_checked_workload() when written.
[[nodiscard]] model::Workload workload_from_dump(const Dump& dump, std::string_view name);

// The part that all allocators' dumps have in common: the detailed map of blocks with what lies in them, and
// statistics.

// Fills a dump's blocks and allocations. What is impossible is an error; what is odd (overlaps, counts that disagree) a
// finding.
class MapReader {
public:
    MapReader(Dump& dump, FindingList& findings) : dump_(&dump), findings_(&findings) {}

    // "Blocks": {"0": {"TotalBytes": ..., "Suballocations": [...]}}
    [[nodiscard]] Status read_blocks(const detail::DumpJson& blocks, std::uint32_t memory_type, std::string_view pool);
    // "DedicatedAllocations": [{"Type": ..., "Size": ...}], each a block of its own.
    [[nodiscard]] Status read_dedicated(const detail::DumpJson& list, std::uint32_t memory_type, std::string_view pool);

private:
    Status read_block(const detail::DumpJson& block, std::uint32_t memory_type, std::string_view pool);
    Result<DumpAllocation> read_allocation(const detail::DumpJson& item);
    void look_for_overlaps(std::size_t first, const detail::DumpJson& block);

    Dump* dump_;
    FindingList* findings_;
};

// Of {"BlockCount", "BlockBytes", "AllocationCount", "AllocationBytes"}, or of the older {"Blocks", "Allocations",
// "UsedBytes", "UnusedBytes"}.
[[nodiscard]] Result<DumpTotals> read_statistics(const detail::DumpJson& statistics);

}  // namespace heapwright::workload
