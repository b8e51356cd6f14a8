#include "workload/dump.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.hpp"
#include "workload/dump_workload.hpp"

namespace heapwright::workload {
namespace {

using detail::DumpJson;

// The allocators hand out text that ends with a zero, and some programs write it along.
std::string_view plain_text_of(std::string_view bytes, std::string& storage) {
    std::string_view text = as_utf8(bytes, storage);
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    return text;
}

// A key, not a value of that name.
bool has_key(std::string_view text, std::string_view key) {
    const std::string quoted = fmt::format("\"{}\"", key);
    for (std::size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + quoted.size());
        if (next != std::string_view::npos && text[next] == ':') return true;
    }
    return false;
}

std::optional<DumpFormat> format_of(const DumpJson& root) {
    if (!root.has("Total")) return std::nullopt;
    const auto general = root.find("General");
    if (general && general->text_of("API") == "Direct3D 12") return DumpFormat::kD3d12ma2;
    if (root.has("MemoryInfo")) return DumpFormat::kVma3;
    if (root.has("Heap 0")) return DumpFormat::kVma2;
    if (root.has("UPLOAD") && root.has("READBACK")) return DumpFormat::kD3d12ma1;
    return std::nullopt;
}

// A dump without its map lists nothing. An allocator that holds nothing writes no map in VMA 2 either.
Status check_map(const DumpJson& root, DumpFormat format) {
    const bool is_direct3d = format == DumpFormat::kD3d12ma1 || format == DumpFormat::kD3d12ma2;
    for (const char* key : {"DefaultPools", "CustomPools", "Pools", "DedicatedAllocations", "DetailedMap"}) {
        if (root.has(key)) return {};
    }
    return root.error(
        fmt::format("this dump has statistics alone, no allocation: pass detailedMap = {} to {}",
                    is_direct3d ? "TRUE" : "VK_TRUE", is_direct3d ? "BuildStatsString" : "vmaBuildStatsString"),
        ErrorCode::kParseError);
}

Status read_format(const DumpJson& root, Dump& dump, FindingList& findings) {
    switch (dump.format) {
        case DumpFormat::kVma2: return read_vma_2(root, dump, findings);
        case DumpFormat::kVma3: return read_vma_3(root, dump, findings);
        case DumpFormat::kD3d12ma1: return read_d3d12ma_1(root, dump, findings);
        case DumpFormat::kD3d12ma2: return read_d3d12ma_2(root, dump, findings);
    }
    return {};
}

void compare_totals(const Dump& dump, FindingList& findings) {
    const DumpTotals listed = listed_totals(dump);
    if (!dump.stated || *dump.stated == listed) return;
    const DumpTotals& stated = *dump.stated;
    findings.add(
        fmt::format(
            "the total says {} blocks of {} bytes with {} allocations of {} bytes; listed are {} of {} with {} of "
            "{}, and those count",
            stated.block_count, stated.block_bytes, stated.allocation_count, stated.allocation_bytes,
            listed.block_count, listed.block_bytes, listed.allocation_count, listed.allocation_bytes),
        "/Total");
}

}  // namespace

std::string_view to_string(DumpFormat format) {
    switch (format) {
        case DumpFormat::kVma2: return "VMA 2";
        case DumpFormat::kVma3: return "VMA 3";
        case DumpFormat::kD3d12ma1: return "D3D12MA 1";
        case DumpFormat::kD3d12ma2: return "D3D12MA 2";
    }
    return {};
}

// No sum wraps: a value takes two bytes of the text and is at most 2^48, so 2^16 values of that size would be needed.
// The sums saturate for such texts.
DumpTotals listed_totals(const Dump& dump, std::optional<std::uint32_t> memory_type) {
    const auto add = [](std::uint64_t& sum, std::uint64_t bytes) { sum += std::min(bytes, ~std::uint64_t{0} - sum); };
    DumpTotals totals;
    for (const DumpBlock& block : dump.blocks) {
        if (memory_type && block.memory_type != *memory_type) continue;
        ++totals.block_count;
        add(totals.block_bytes, block.size_bytes);
    }
    for (const DumpAllocation& allocation : dump.allocations) {
        if (memory_type && dump.blocks[allocation.block].memory_type != *memory_type) continue;
        ++totals.allocation_count;
        add(totals.allocation_bytes, allocation.size_bytes);
    }
    return totals;
}

bool is_dump(std::string_view text) {
    std::string storage;
    text = plain_text_of(text, storage);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || !has_key(text, "Total")) return false;
    return has_key(text, "Heap 0") || has_key(text, "MemoryInfo") ||
           (has_key(text, "General") && text.find("\"Direct3D 12\"") != std::string_view::npos) ||
           (has_key(text, "UPLOAD") && has_key(text, "READBACK"));
}

Result<Dump> read_dump(std::string_view text, std::string_view source) {
    std::string storage;
    HEAPWRIGHT_ASSIGN(const auto tape, model::detail::JsonTape::parse(plain_text_of(text, storage), source));
    const DumpJson root(tape, source);
    const auto format = format_of(root);
    if (!format) return root.error("this is no dump of VMA or D3D12MA", ErrorCode::kParseError);
    HEAPWRIGHT_TRY(check_map(root, *format));
    Dump dump;
    dump.format = *format;
    FindingList findings;
    HEAPWRIGHT_ASSIGN(const DumpJson total, root.require("Total"));
    HEAPWRIGHT_ASSIGN(dump.stated, read_statistics(total));
    HEAPWRIGHT_TRY(read_format(root, dump, findings));
    compare_totals(dump, findings);
    dump.findings = findings.take();
    return dump;
}

}  // namespace heapwright::workload
