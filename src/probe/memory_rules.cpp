#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

namespace property = model::memory_property;
using model::FindingSeverity;
using model::Flags;

constexpr Flags kVisible = property::kHostVisible;
constexpr Flags kCoherent = property::kHostCoherent;
constexpr Flags kCached = property::kHostCached;
constexpr Flags kLocal = property::kDeviceLocal;
constexpr Flags kAmdCoherent = property::kDeviceCoherentAmd;
constexpr Flags kAmdUncached = property::kDeviceUncachedAmd;
constexpr Flags kAmd = kAmdCoherent | kAmdUncached;
constexpr Flags kKnown = 0x1ff;

// Whether the set is in the specification's list of property flags. The AMD bits come with every combination of the
// host's but {host visible, host cached} without coherence.
bool is_listed(Flags flags) {
    if ((flags & property::kRdmaCapableNv) != 0) return flags == (kLocal | property::kRdmaCapableNv);
    if ((flags & property::kProtected) != 0) return (flags & ~kLocal) == property::kProtected;
    if ((flags & property::kLazilyAllocated) != 0) return flags == (kLocal | property::kLazilyAllocated);
    const Flags amd = flags & kAmd;
    if (amd != 0 && (amd & kAmdCoherent) == 0) return false;
    const Flags host = flags & (kVisible | kCoherent | kCached);
    constexpr std::array kWithAmd{Flags{0}, kVisible | kCoherent, kVisible | kCached | kCoherent};
    if (host == (kVisible | kCached)) return amd == 0;
    if (std::find(kWithAmd.begin(), kWithAmd.end(), host) == kWithAmd.end()) return false;
    return amd == 0 || (flags & ~kAmd) != 0;
}

std::string heap_evidence(const model::DeviceReport& device, std::size_t heap) {
    return fmt::format("/heaps/{}: size_bytes {}, flags {:#x}", heap, device.heaps[heap].size_bytes,
                       device.heaps[heap].flags);
}

std::string type_evidence(const model::DeviceReport& device, std::size_t type) {
    return fmt::format("/memory_types/{}: heap_index {}, property_flags {:#x}", type,
                       device.memory_types[type].heap_index, device.memory_types[type].property_flags);
}

DetailedFinding memory_finding(std::string id, std::string statement, std::string clause,
                               std::vector<std::string> evidence, std::string violated,
                               FindingSeverity severity = FindingSeverity::kViolation) {
    return {.finding = {.id = std::move(id),
                        .severity = severity,
                        .statement = std::move(statement),
                        .clause = std::move(clause),
                        .evidence = std::move(evidence)},
            .reproduction = {.queries = {}, .structure = {}, .allocations = {}, .violated = std::move(violated)}};
}

void check_heaps(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    const auto empty = std::find_if(device.heaps.begin(), device.heaps.end(),
                                    [](const model::MemoryHeap& heap) { return heap.size_bytes == 0; });
    if (empty != device.heaps.end()) {
        const auto heap = empty - device.heaps.begin();
        findings.push_back(memory_finding(
            std::string(model::kZeroSizeHeapFinding), fmt::format("memory heap {} has a size of 0 bytes", heap),
            "VkMemoryHeap", {fmt::format("/heaps/{}", heap)},
            fmt::format("memory.memoryHeapCount > {0} && memory.memoryHeaps[{0}].size == 0", heap),
            FindingSeverity::kWarning));
    }
    if (device.heaps.empty() || std::any_of(device.heaps.begin(), device.heaps.end(), [](const auto& heap) {
            return (heap.flags & model::memory_heap::kDeviceLocal) != 0;
        })) {
        return;
    }
    std::vector<std::string> shown;
    for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) shown.push_back(heap_evidence(device, heap));
    findings.push_back(memory_finding(
        "no-device-local-heap", "no memory heap is device local",
        "VkPhysicalDeviceMemoryProperties: at least one heap must include VK_MEMORY_HEAP_DEVICE_LOCAL_BIT", shown,
        "[&] { for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) if ((memory.memoryHeaps[i].flags & "
        "VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) return false; return true; }()"));
}

void check_type_presence(const model::DeviceReport& device, Flags flags, std::string_view id,
                         std::string_view statement, std::string_view names, std::vector<DetailedFinding>& findings) {
    for (const model::MemoryType& type : device.memory_types) {
        if ((type.property_flags & flags) == flags) return;
    }
    std::vector<std::string> shown;
    for (std::size_t type = 0; type < device.memory_types.size(); ++type) shown.push_back(type_evidence(device, type));
    findings.push_back(memory_finding(
        std::string(id), std::string(statement),
        fmt::format("VkPhysicalDeviceMemoryProperties: there must be at least one memory type with {}", names), shown,
        fmt::format("!any_type(memory, ~0u, {})", names)));
}

void check_type(const model::DeviceReport& device, std::size_t index, std::vector<DetailedFinding>& findings) {
    const model::MemoryType& type = device.memory_types[index];
    const std::string member = fmt::format("memory.memoryTypes[{}]", index);
    const std::string exists = fmt::format("memory.memoryTypeCount > {} && ", index);
    if (type.heap_index >= device.heaps.size()) {
        findings.push_back(memory_finding(
            "memory-type-without-heap",
            fmt::format("memory type {} names heap {}; there are {}", index, type.heap_index, device.heaps.size()),
            "VkMemoryType: heapIndex must be less than memoryHeapCount", {type_evidence(device, index)},
            exists + member + ".heapIndex >= memory.memoryHeapCount"));
        return;
    }
    const bool type_is_local = (type.property_flags & kLocal) != 0;
    const bool heap_is_local = (device.heaps[type.heap_index].flags & model::memory_heap::kDeviceLocal) != 0;
    if (type_is_local != heap_is_local) {
        findings.push_back(memory_finding(
            fmt::format("memory-type-and-heap-disagree:{}", index),
            fmt::format("memory type {} is {}device local, its heap {} is {}", index, type_is_local ? "" : "not ",
                        type.heap_index, heap_is_local ? "" : "not"),
            "VkMemoryPropertyFlagBits: VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT will be set if and only if the memory type "
            "belongs to a heap with VK_MEMORY_HEAP_DEVICE_LOCAL_BIT set",
            {type_evidence(device, index), heap_evidence(device, type.heap_index)},
            fmt::format("{0}(({1}.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0) != "
                        "((memory.memoryHeaps[{1}.heapIndex].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)",
                        exists, member)));
    }
    // Bits that later extensions add are not judged.
    if ((type.property_flags & ~kKnown) == 0 && !is_listed(type.property_flags)) {
        findings.push_back(memory_finding(
            fmt::format("memory-type-flags-not-listed:{}", index),
            fmt::format("memory type {} has the property flags {:#x}, which the specification does not list", index,
                        type.property_flags),
            "VkPhysicalDeviceMemoryProperties: each memory type must have its propertyFlags set to one of the listed "
            "values",
            {type_evidence(device, index)},
            fmt::format("{}{}.propertyFlags == {:#x}u", exists, member, type.property_flags)));
    }
}

// Whether X must stand before Y.
bool must_precede(Flags x, Flags y) {
    if (x != y && (x & y) == x) return true;
    return (y & kAmd) != 0 && (x & kAmd) == 0;
}

void check_order(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    for (std::size_t later = 0; later < device.memory_types.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            const Flags x = device.memory_types[later].property_flags;
            const Flags y = device.memory_types[earlier].property_flags;
            if (!must_precede(x, y)) continue;
            findings.push_back(memory_finding(
                "memory-type-order",
                fmt::format("memory type {} ({:#x}) stands after memory type {} ({:#x})", later, x, earlier, y),
                "VkPhysicalDeviceMemoryProperties: X must be placed at a lower index position than Y if the property "
                "flags of X are a strict subset of those of Y, or if Y has a device-coherent or device-uncached bit "
                "(AMD) and X has not",
                {type_evidence(device, later), type_evidence(device, earlier)},
                fmt::format("memory.memoryTypeCount > {0} && memory.memoryTypes[{0}].propertyFlags == {1:#x}u && "
                            "memory.memoryTypes[{2}].propertyFlags == {3:#x}u",
                            later, x, earlier, y)));
            return;
        }
    }
}

// The conformance tests ask this of protected memory, which has the lowest limits of all.
void check_allocation_counts(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    constexpr std::uint64_t kFloor = 80;
    for (std::size_t i = 0; i < device.run.memory_cost.size(); ++i) {
        const model::MemoryCostCurve& curve = device.run.memory_cost[i];
        if (!curve.allocation_count || !curve.allocation_count->limit_hit) continue;
        const model::AllocationCount& count = *curve.allocation_count;
        if (count.reached >= kFloor) continue;
        DetailedFinding detailed = memory_finding(
            fmt::format("few-allocations:{}", curve.memory_type),
            fmt::format("only {} allocations of {} bytes lived at once in memory type {} ({})", count.reached,
                        count.bytes_each, curve.memory_type, count.stopped_by),
            "vkAllocateMemory: as a guideline, the Vulkan conformance test suite requires that at least 80 "
            "minimum-size allocations can exist concurrently",
            {fmt::format("/volatile/memory_cost/{}/allocation_count: reached {}", i, count.reached)},
            fmt::format("allocated < {}", kFloor), FindingSeverity::kWarning);
        detailed.reproduction.allocations =
            CountedAllocations{.memory_type = curve.memory_type, .bytes_each = count.bytes_each, .at_most = kFloor};
        findings.push_back(std::move(detailed));
    }
}

}  // namespace

void check_memory(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    check_heaps(device, findings);
    if (!device.memory_types.empty()) {
        check_type_presence(device, kVisible | kCoherent, "no-host-coherent-memory-type",
                            "no memory type is host visible and host coherent",
                            "VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT", findings);
        check_type_presence(device, kLocal, "no-device-local-memory-type", "no memory type is device local",
                            "VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT", findings);
    }
    for (std::size_t type = 0; type < device.memory_types.size(); ++type) check_type(device, type, findings);
    check_order(device, findings);
    check_allocation_counts(device, findings);
}

}  // namespace heapwright::probe
