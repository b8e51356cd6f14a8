// Source: D3D12MemAlloc.cpp of D3D12MA 2.0.0-development (2022-02-08) for the old shape, 2.0.1 and 3.2 for the new one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"

namespace heapwright::workload {
namespace {

using detail::DumpJson;
namespace property = model::memory_property;

constexpr std::uint64_t kMostMemory = std::numeric_limits<std::uint64_t>::max();
constexpr model::Flags kWritten = property::kHostVisible | property::kHostCoherent;

struct HeapTypeRow {
    std::string_view name;
    model::Flags properties;
};

constexpr std::array<HeapTypeRow, 5> kHeapTypes{{{"DEFAULT", property::kDeviceLocal},
                                                 {"UPLOAD", kWritten},
                                                 {"READBACK", kWritten | property::kHostCached},
                                                 {"CUSTOM", property::kDeviceLocal},
                                                 {"GPU_UPLOAD", property::kDeviceLocal | kWritten}}};
constexpr std::uint32_t kCustom = 3;

// "UPLOAD" of "UPLOAD - Textures", "UPLOAD + texture": resource heap tier 1 keeps three lists of each.
Result<std::uint32_t> heap_type_of(std::string_view key, const DumpJson& at) {
    const std::string_view name = key.substr(0, key.find(' '));
    const auto known =
        std::find_if(kHeapTypes.begin(), kHeapTypes.end(), [&](const HeapTypeRow& row) { return row.name == name; });
    if (known == kHeapTypes.end()) return at.error(fmt::format("\"{}\" is no heap type", key));
    return static_cast<std::uint32_t>(known - kHeapTypes.begin());
}

bool has_text(const DumpJson& list, std::string_view text) {
    bool found = false;
    (void)list.for_each([&](std::string_view, const DumpJson& item) -> Status {
        found = found || item.text() == text;
        return {};
    });
    return found;
}

class D3d12Reader {
public:
    D3d12Reader(Dump& dump, FindingList& findings) : dump_(&dump), findings_(&findings), map_(dump, findings) {
        for (const HeapTypeRow& row : kHeapTypes) {
            dump.memory_types.push_back(
                {.name = std::string(row.name), .heap = {}, .properties = row.properties, .is_told = true});
        }
    }

    // L0 alone: the device's memory is the host's. Otherwise L0 is the host's, L1 the device's.
    Status read_general(const DumpJson& general, bool has_l1) {
        dump_->device_name = general.text_of("GPU");
        HEAPWRIGHT_ASSIGN(const auto video, general.number_of("DedicatedVideoMemory", kMostMemory));
        HEAPWRIGHT_ASSIGN(const auto shared, general.number_of("SharedSystemMemory", kMostMemory));
        const std::uint64_t video_bytes = video.value_or(0);
        const std::uint64_t shared_bytes = shared.value_or(0);
        if (has_l1) {
            dump_->heaps = {{.size_bytes = shared_bytes, .flags = 0},
                            {.size_bytes = video_bytes, .flags = model::memory_heap::kDeviceLocal}};
        } else {
            dump_->heaps = {{.size_bytes = shared_bytes + std::min(video_bytes, kMostMemory - shared_bytes),
                             .flags = model::memory_heap::kDeviceLocal}};
        }
        for (DumpMemoryType& type : dump_->memory_types) type.heap = has_l1 && is_device_local(type) ? 1 : 0;
        return {};
    }

    // {"DEFAULT": {"Blocks": {...}, "DedicatedAllocations": [...]}}
    Status read_default_pools(const DumpJson& pools) {
        std::array<bool, kHeapTypes.size()> has_dedicated{};
        return pools.for_each([&](std::string_view key, const DumpJson& value) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint32_t type, heap_type_of(key, value));
            HEAPWRIGHT_ASSIGN(const DumpJson blocks, value.require("Blocks"));
            HEAPWRIGHT_TRY(map_.read_blocks(blocks, type, ""));
            const auto dedicated = value.find("DedicatedAllocations");
            // On resource heap tier 1 the one list of a heap type stands in each of its three parts.
            if (!dedicated || has_dedicated[type]) return {};
            has_dedicated[type] = true;
            return map_.read_dedicated(*dedicated, type, "");
        });
    }

    // {"DEFAULT": [{"Name": ..., "Flags": [...], "Blocks": {...}, `dedicated`: [...]}]}
    Status read_custom_pools(const DumpJson& pools, std::string_view dedicated) {
        return pools.for_each([&](std::string_view key, const DumpJson& list) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint32_t heap_type, heap_type_of(key, list));
            return list.for_each([&](std::string_view, const DumpJson& pool) -> Status {
                const std::uint32_t type = heap_type == kCustom ? custom_type(pool) : heap_type;
                std::string name = pool.text_of("Name");
                if (name.empty()) name = "custom";
                HEAPWRIGHT_ASSIGN(const DumpJson blocks, pool.require("Blocks"));
                HEAPWRIGHT_TRY(map_.read_blocks(blocks, type, name));
                const auto own = pool.find(dedicated);
                return own ? map_.read_dedicated(*own, type, name) : Status{};
            });
        });
    }

    // {"DEFAULT": [...]}
    Status read_committed(const DumpJson& object) {
        return object.for_each([&](std::string_view key, const DumpJson& list) -> Status {
            HEAPWRIGHT_ASSIGN(const std::uint32_t type, heap_type_of(key, list));
            return map_.read_dedicated(list, type, "");
        });
    }

private:
    static bool is_device_local(const DumpMemoryType& type) { return (type.properties & property::kDeviceLocal) != 0; }

    // What a pool of D3D12_HEAP_TYPE_CUSTOM says of its memory, as a memory type.
    std::uint32_t custom_type(const DumpJson& pool) {
        const auto flags = pool.find("Flags");
        const bool is_told = flags && flags->is_array();
        model::Flags properties = 0;
        if (is_told && has_text(*flags, "CPU_PAGE_PROPERTY_WRITE_COMBINE")) {
            properties = kWritten;
        } else if (is_told && has_text(*flags, "CPU_PAGE_PROPERTY_WRITE_BACK")) {
            properties = kWritten | property::kHostCached;
        } else {
            properties = property::kDeviceLocal;
            if (!is_told || !has_text(*flags, "CPU_PAGE_PROPERTY_NOT_AVAILABLE")) {
                findings_->add("a custom pool does not say what its memory is; it counts as the device's",
                               pool.pointer());
            }
        }
        if (is_told && has_text(*flags, "MEMORY_POOL_L1")) properties |= property::kDeviceLocal;
        for (std::size_t i = kCustom; i < dump_->memory_types.size(); ++i) {
            if (i != kCustom + 1 && dump_->memory_types[i].properties == properties)
                return static_cast<std::uint32_t>(i);
        }
        DumpMemoryType type{.name = "CUSTOM", .heap = {}, .properties = properties, .is_told = true};
        if (!dump_->heaps.empty()) type.heap = dump_->heaps.size() > 1 && is_device_local(type) ? 1 : 0;
        dump_->memory_types.push_back(std::move(type));
        return static_cast<std::uint32_t>(dump_->memory_types.size() - 1);
    }

    Dump* dump_;
    FindingList* findings_;
    MapReader map_;
};

}  // namespace

Status read_d3d12ma_1(const DumpJson& root, Dump& dump, FindingList& findings) {
    D3d12Reader reader(dump, findings);
    HEAPWRIGHT_ASSIGN(const DumpJson map, root.require("DetailedMap"));
    if (const auto pools = map.find("DefaultPools")) HEAPWRIGHT_TRY(reader.read_default_pools(*pools));
    if (const auto list = map.find("CommittedAllocations")) HEAPWRIGHT_TRY(reader.read_committed(*list));
    if (const auto pools = map.find("Pools")) HEAPWRIGHT_TRY(reader.read_custom_pools(*pools, "CommittedAllocations"));
    return {};
}

Status read_d3d12ma_2(const DumpJson& root, Dump& dump, FindingList& findings) {
    D3d12Reader reader(dump, findings);
    const auto memory = root.find("MemoryInfo");
    HEAPWRIGHT_ASSIGN(const DumpJson general, root.require("General"));
    HEAPWRIGHT_TRY(reader.read_general(general, memory && memory->has("L1")));
    if (const auto pools = root.find("DefaultPools")) HEAPWRIGHT_TRY(reader.read_default_pools(*pools));
    if (const auto pools = root.find("CustomPools")) {
        HEAPWRIGHT_TRY(reader.read_custom_pools(*pools, "DedicatedAllocations"));
    }
    return {};
}

}  // namespace heapwright::workload
