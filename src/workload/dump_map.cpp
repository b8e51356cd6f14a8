#include "workload/dump_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heapwright::workload {
namespace {

using detail::DumpJson;
using detail::kMostBytes;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

struct KindName {
    std::string_view name;
    AllocationKind kind;
};

constexpr KindName kKindNames[] = {{"UNKNOWN", AllocationKind::kUnknown},
                                   {"BUFFER", AllocationKind::kBuffer},
                                   {"IMAGE_UNKNOWN", AllocationKind::kImageOfUnknownTiling},
                                   {"IMAGE_LINEAR", AllocationKind::kImageLinear},
                                   {"IMAGE_OPTIMAL", AllocationKind::kImageOptimal},
                                   {"TEXTURE1D", AllocationKind::kImageOptimal},
                                   {"TEXTURE2D", AllocationKind::kImageOptimal},
                                   {"TEXTURE3D", AllocationKind::kImageOptimal}};

constexpr std::uint32_t kRowMajor = 1;  // D3D12_TEXTURE_LAYOUT_ROW_MAJOR

Result<std::uint64_t> size_of(const DumpJson& object, std::string_view key) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t size, object.require_number(key, kMostBytes));
    if (size == 0) return object.error(fmt::format("\"{}\" is 0", key), ErrorCode::kOutOfRange, 0, kMostBytes);
    return size;
}

}  // namespace

Result<DumpAllocation> MapReader::read_allocation(const DumpJson& item) {
    DumpAllocation allocation;
    HEAPWRIGHT_ASSIGN(allocation.size_bytes, size_of(item, "Size"));
    HEAPWRIGHT_ASSIGN(const DumpJson type, item.require("Type"));
    const auto text = type.text();
    if (!text) return type.error("expected a text");
    const auto known = std::find_if(std::begin(kKindNames), std::end(kKindNames),
                                    [&](const KindName& entry) { return entry.name == *text; });
    if (known == std::end(kKindNames)) {
        findings_->add("an allocation's type is none that is known; it counts as a buffer", type.pointer());
    } else {
        allocation.kind = known->kind;
    }
    // D3D12MA 1 wrote "Flags".
    HEAPWRIGHT_ASSIGN(const auto usage, item.number_of("Usage", kMost));
    HEAPWRIGHT_ASSIGN(const auto flags, item.number_of("Flags", kMost));
    allocation.usage = usage.value_or(flags.value_or(0));
    HEAPWRIGHT_ASSIGN(const auto layout, item.number_of("Layout", std::numeric_limits<std::uint32_t>::max()));
    if (layout) {
        allocation.layout = static_cast<std::uint32_t>(*layout);
        if (*layout == kRowMajor && allocation.kind == AllocationKind::kImageOptimal) {
            allocation.kind = AllocationKind::kImageLinear;
        }
    }
    allocation.name = item.text_of("Name");
    if (allocation.name.empty()) allocation.name = item.text_of("UserData");
    allocation.block = static_cast<std::uint32_t>(dump_->blocks.size() - 1);
    return allocation;
}

void MapReader::look_for_overlaps(std::size_t first, const DumpJson& block) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (std::size_t i = first; i < dump_->allocations.size(); ++i) {
        const DumpAllocation& allocation = dump_->allocations[i];
        ranges.emplace_back(allocation.offset_bytes, allocation.offset_bytes + allocation.size_bytes);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].first >= ranges[i - 1].second) continue;
        findings_->add("two allocations of a block overlap", block.pointer());
        return;
    }
}

Status MapReader::read_block(const DumpJson& block, std::uint32_t memory_type, std::string_view pool) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t size, size_of(block, "TotalBytes"));
    HEAPWRIGHT_ASSIGN(const auto stated, block.number_of("Allocations", kMost));
    HEAPWRIGHT_ASSIGN(const auto unused, block.number_of("UnusedBytes", kMost));
    HEAPWRIGHT_ASSIGN(const DumpJson list, block.require("Suballocations"));
    if (!list.is_array()) return list.error("expected a list");
    dump_->blocks.push_back(
        {.memory_type = memory_type, .size_bytes = size, .is_dedicated = false, .pool = std::string(pool)});
    const std::size_t first = dump_->allocations.size();
    std::uint64_t used = 0;
    HEAPWRIGHT_TRY(list.for_each([&](std::string_view, const DumpJson& item) -> Status {
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, item.require_number("Offset", size));
        const bool is_free = item.text_of("Type") == "FREE";
        HEAPWRIGHT_ASSIGN(const std::uint64_t bytes,
                          is_free ? item.require_number("Size", kMostBytes) : size_of(item, "Size"));
        if (bytes > size - offset) {
            return item.error("offset and size lead beyond the block", ErrorCode::kOutOfRange, offset + bytes, size);
        }
        if (is_free) return {};
        HEAPWRIGHT_ASSIGN(DumpAllocation allocation, read_allocation(item));
        allocation.offset_bytes = offset;
        used += bytes;
        dump_->allocations.push_back(std::move(allocation));
        return {};
    }));
    const std::size_t count = dump_->allocations.size() - first;
    if (stated && *stated != count) {
        findings_->add(fmt::format("a block says that it holds {} allocations and lists {}", *stated, count),
                       block.pointer());
    }
    if (unused && (*unused > size || size - *unused < used)) {
        findings_->add(
            fmt::format("a block of {} bytes says that {} are unused and lists {} in use", size, *unused, used),
            block.pointer());
    }
    look_for_overlaps(first, block);
    return {};
}

Status MapReader::read_blocks(const DumpJson& blocks, std::uint32_t memory_type, std::string_view pool) {
    return blocks.for_each(
        [&](std::string_view, const DumpJson& block) { return read_block(block, memory_type, pool); });
}

Status MapReader::read_dedicated(const DumpJson& list, std::uint32_t memory_type, std::string_view pool) {
    return list.for_each([&](std::string_view, const DumpJson& item) -> Status {
        dump_->blocks.push_back(
            {.memory_type = memory_type, .size_bytes = 0, .is_dedicated = true, .pool = std::string(pool)});
        HEAPWRIGHT_ASSIGN(DumpAllocation allocation, read_allocation(item));
        dump_->blocks.back().size_bytes = allocation.size_bytes;
        dump_->allocations.push_back(std::move(allocation));
        return {};
    });
}

Result<DumpTotals> read_statistics(const DumpJson& statistics) {
    DumpTotals totals;
    if (statistics.has("BlockBytes")) {
        HEAPWRIGHT_ASSIGN(totals.block_count, statistics.require_number("BlockCount", kMost));
        HEAPWRIGHT_ASSIGN(totals.block_bytes, statistics.require_number("BlockBytes", kMost));
        HEAPWRIGHT_ASSIGN(totals.allocation_count, statistics.require_number("AllocationCount", kMost));
        HEAPWRIGHT_ASSIGN(totals.allocation_bytes, statistics.require_number("AllocationBytes", kMost));
        return totals;
    }
    constexpr std::uint64_t kMostSum = kMost / 2;
    HEAPWRIGHT_ASSIGN(totals.block_count, statistics.require_number("Blocks", kMost));
    HEAPWRIGHT_ASSIGN(totals.allocation_count, statistics.require_number("Allocations", kMost));
    HEAPWRIGHT_ASSIGN(totals.allocation_bytes, statistics.require_number("UsedBytes", kMostSum));
    HEAPWRIGHT_ASSIGN(const std::uint64_t unused, statistics.require_number("UnusedBytes", kMostSum));
    totals.block_bytes = totals.allocation_bytes + unused;
    return totals;
}

}  // namespace heapwright::workload
