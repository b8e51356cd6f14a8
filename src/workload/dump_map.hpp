// The part that all allocators' dumps have in common: the detailed map of blocks with what lies in them, and
// statistics.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"
#include "workload/detail/dump_json.hpp"
#include "workload/dump.hpp"
#include "workload/finding_list.hpp"

namespace heapwright::workload {

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
