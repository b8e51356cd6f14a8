// Source: vk_mem_alloc.h of VMA 2.3 and 3.3, vmaBuildStatsString.
#include <fmt/format.h>

#include <charconv>
#include <span>

#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"

namespace heapwright::workload {
namespace {

using detail::DumpJson;

constexpr std::uint32_t kMostHeaps = 16;  // VK_MAX_MEMORY_HEAPS
constexpr std::uint32_t kMostTypes = 32;  // VK_MAX_MEMORY_TYPES
constexpr std::uint64_t kMostNumber = ~std::uint64_t{0};

// 3 of "Type 3". Nothing for a key that is no such name.
Result<std::optional<std::uint32_t>> index_of(std::string_view key, std::string_view word, const DumpJson& at,
                                              std::uint32_t limit) {
    if (!key.starts_with(word) || key.size() <= word.size() + 1 || key[word.size()] != ' ') {
        return std::optional<std::uint32_t>();
    }
    const char* const end = key.data() + key.size();
    std::uint32_t index = 0;
    const auto read = std::from_chars(key.data() + word.size() + 1, end, index);
    if (read.ec != std::errc{} || read.ptr != end) return at.error(fmt::format("\"{}\" names no index", key));
    if (index >= limit) return at.error("a device has no more of these", ErrorCode::kOutOfRange, index, limit - 1);
    return std::optional(index);
}

Result<model::Flags> read_flags(const DumpJson& object, std::span<const model::FlagName> names, FindingList& findings) {
    model::Flags flags = 0;
    const auto list = object.find("Flags");
    if (!list) return flags;
    HEAPWRIGHT_TRY(list->for_each([&](std::string_view, const DumpJson& item) -> Status {
        if (const auto number = item.number()) {  // bits that the allocator does not name
            flags |= static_cast<model::Flags>(*number);
        } else if (const auto known = model::parse_flag_name(item.text().value_or(""), names)) {
            flags |= *known;
        } else {
            findings.add("a flag is none that is known", item.pointer());
        }
        return {};
    }));
    return flags;
}

class VmaReader {
public:
    VmaReader(Dump& dump, FindingList& findings) : dump_(&dump), findings_(&findings), map_(dump, findings) {}

    // {"Heap 0": {"Size", "Flags", "Type 0": {...}}}; VMA 3 has the types below "MemoryPools".
    Status read_heaps(const DumpJson& object, bool types_below) {
        return object.for_each([&](std::string_view key, const DumpJson& value) -> Status {
            HEAPWRIGHT_ASSIGN(const auto heap, index_of(key, "Heap", value, kMostHeaps));
            if (!heap) return {};
            if (dump_->heaps.size() <= *heap) dump_->heaps.resize(*heap + 1);
            HEAPWRIGHT_ASSIGN(dump_->heaps[*heap].size_bytes, value.require_number("Size", kMostNumber));
            HEAPWRIGHT_ASSIGN(dump_->heaps[*heap].flags, read_flags(value, model::memory_heap_names(), *findings_));
            if (!types_below) return read_types(value, *heap);
            HEAPWRIGHT_ASSIGN(const DumpJson pools, value.require("MemoryPools"));
            return read_types(pools, *heap);
        });
    }

    // {"Type 0": {"Blocks": {...}, "DedicatedAllocations": [...]}}
    Status read_default_pools(const DumpJson& pools) {
        return each_type(pools, [&](const DumpJson& value, std::uint32_t type) { return read_pool(value, type, ""); });
    }

    // {"Type 0": [{"Name": "0", "Blocks": {...}, "DedicatedAllocations": [...]}]}
    Status read_custom_pools(const DumpJson& pools) {
        return each_type(pools, [&](const DumpJson& list, std::uint32_t type) {
            return list.for_each([&](std::string_view, const DumpJson& pool) -> Status {
                return read_pool(pool, type, name_of(pool, "custom"));
            });
        });
    }

    // {"0": {"MemoryTypeIndex": 0, "Blocks": {...}}}
    Status read_old_pools(const DumpJson& pools) {
        return pools.for_each([&](std::string_view key, const DumpJson& pool) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint64_t type, pool.require_number("MemoryTypeIndex", kMostTypes - 1));
            const auto index = static_cast<std::uint32_t>(type);
            HEAPWRIGHT_TRY(check_told(pool, index));
            return read_pool(pool, index, name_of(pool, key));
        });
    }

    // {"Type 0": [...]}
    Status read_old_dedicated(const DumpJson& object) {
        return each_type(object,
                         [&](const DumpJson& list, std::uint32_t type) { return map_.read_dedicated(list, type, ""); });
    }

private:
    template <class Visit>
    Status each_type(const DumpJson& object, Visit&& visit) {
        return object.for_each([&](std::string_view key, const DumpJson& value) -> Status {
            HEAPWRIGHT_ASSIGN(const auto type, index_of(key, "Type", value, kMostTypes));
            if (!type) return value.error("expected \"Type N\"");
            HEAPWRIGHT_TRY(check_told(value, *type));
            return visit(value, *type);
        });
    }

    Status read_types(const DumpJson& object, std::uint32_t heap) {
        return object.for_each([&](std::string_view key, const DumpJson& value) -> Status {
            HEAPWRIGHT_ASSIGN(const auto type, index_of(key, "Type", value, kMostTypes));
            if (!type) return {};
            if (dump_->memory_types.size() <= *type) dump_->memory_types.resize(*type + 1);
            DumpMemoryType& entry = dump_->memory_types[*type];
            if (entry.is_told) return value.error("a memory type stands in two heaps");
            entry = {.name = std::string(key), .heap = heap, .properties = 0, .is_told = true};
            HEAPWRIGHT_ASSIGN(entry.properties, read_flags(value, model::memory_property_names(), *findings_));
            return {};
        });
    }

    Status check_told(const DumpJson& at, std::uint32_t type) const {
        if (type < dump_->memory_types.size() && dump_->memory_types[type].is_told) return {};
        return at.error("no heap lists this memory type", ErrorCode::kSchemaViolation, type);
    }

    Status read_pool(const DumpJson& pool, std::uint32_t type, std::string_view name) {
        HEAPWRIGHT_ASSIGN(const DumpJson blocks, pool.require("Blocks"));
        HEAPWRIGHT_TRY(map_.read_blocks(blocks, type, name));
        const auto dedicated = pool.find("DedicatedAllocations");
        return dedicated ? map_.read_dedicated(*dedicated, type, name) : Status{};
    }

    static std::string name_of(const DumpJson& pool, std::string_view otherwise) {
        std::string name = pool.text_of("Name");
        return name.empty() ? std::string(otherwise) : name;
    }

    Dump* dump_;
    FindingList* findings_;
    MapReader map_;
};

}  // namespace

Status read_vma_2(const DumpJson& root, Dump& dump, FindingList& findings) {
    VmaReader reader(dump, findings);
    HEAPWRIGHT_TRY(reader.read_heaps(root, false));
    if (const auto pools = root.find("DefaultPools")) HEAPWRIGHT_TRY(reader.read_default_pools(*pools));
    if (const auto pools = root.find("Pools")) HEAPWRIGHT_TRY(reader.read_old_pools(*pools));
    if (const auto list = root.find("DedicatedAllocations")) HEAPWRIGHT_TRY(reader.read_old_dedicated(*list));
    return {};
}

Status read_vma_3(const DumpJson& root, Dump& dump, FindingList& findings) {
    if (const auto general = root.find("General")) {
        dump.device_name = general->text_of("GPU");
        HEAPWRIGHT_ASSIGN(dump.max_memory_allocation_count,
                          general->number_of("maxMemoryAllocationCount", kMostNumber));
        HEAPWRIGHT_ASSIGN(dump.buffer_image_granularity_bytes,
                          general->number_of("bufferImageGranularity", kMostNumber));
        HEAPWRIGHT_ASSIGN(dump.non_coherent_atom_size_bytes, general->number_of("nonCoherentAtomSize", kMostNumber));
    }
    VmaReader reader(dump, findings);
    HEAPWRIGHT_ASSIGN(const DumpJson heaps, root.require("MemoryInfo"));
    HEAPWRIGHT_TRY(reader.read_heaps(heaps, true));
    if (const auto pools = root.find("DefaultPools")) HEAPWRIGHT_TRY(reader.read_default_pools(*pools));
    if (const auto pools = root.find("CustomPools")) HEAPWRIGHT_TRY(reader.read_custom_pools(*pools));
    return {};
}

}  // namespace heapwright::workload
