#include "heapwright/policy/memory_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace heapwright::policy {
namespace {

namespace property = model::memory_property;

constexpr model::Flags kKnownProperties = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent |
                                          property::kHostCached | property::kLazilyAllocated | property::kProtected |
                                          property::kDeviceCoherentAmd | property::kDeviceUncachedAmd |
                                          property::kRdmaCapableNv;

// The host may write a BAR at this part of system memory's rate before staging is better.
constexpr std::uint64_t kSlowWriteParts = 4;

bool has(const model::MemoryType& type, model::Flags flag) {
    return (type.property_flags & flag) != 0;
}

bool needs_host(model::MemoryUse use) {
    return use != model::MemoryUse::kDeviceOnly;
}

// Reasons that hold for every use; empty when there is none.
std::string barred_for_all(const Context& context, const model::MemoryType& type,
                           std::span<const model::HeapPolicy> heaps) {
    if (type.heap_index >= heaps.size()) return fmt::format("its heap {} is not in the report", type.heap_index);
    const model::HeapPolicy& heap = heaps[type.heap_index];
    if (heap.size_bytes == 0) return fmt::format("heap {} has no bytes", type.heap_index);
    if (heap.usable_bytes.value == 0) return fmt::format("heap {}'s budget leaves no usable bytes", type.heap_index);
    if (has(type, property::kDeviceCoherentAmd | property::kDeviceUncachedAmd)) {
        return "AMD device-coherent or uncached memory needs the feature deviceCoherentMemory enabled, and every "
               "access to it bypasses the device's caches";
    }
    if (has(type, property::kProtected)) return "protected memory needs the feature protectedMemory enabled";
    if (has(type, property::kRdmaCapableNv)) {
        return "RDMA-capable memory is meant for access by other devices and needs externalMemoryRDMA enabled";
    }
    if ((context.device.heaps[type.heap_index].flags & model::memory_heap::kTileMemoryQcom) != 0) {
        return "tile memory needs the feature tileMemoryHeap enabled and does not keep its contents";
    }
    if ((type.property_flags & ~kKnownProperties) != 0) {
        return fmt::format("it has a property unknown to this version ({}), which may need a feature enabled",
                           property_flags_text(type.property_flags & ~kKnownProperties));
    }
    return {};
}

std::string barred_for_use(const model::MemoryType& type, model::MemoryUse use) {
    if (has(type, property::kLazilyAllocated)) return "lazily allocated memory serves transient attachments only";
    if (needs_host(use) && !has(type, property::kHostVisible)) return "the host cannot map it";
    using HeapType = model::D3d12HeapType;
    if (type.d3d12_heap_type == HeapType::kReadback && use != model::MemoryUse::kReadback) {
        return "a READBACK heap can only be copied to";
    }
    if (type.d3d12_heap_type == HeapType::kUpload &&
        (use == model::MemoryUse::kReadback || use == model::MemoryUse::kDeviceOnly)) {
        return "the device cannot write to an UPLOAD heap";
    }
    return {};
}

// Smaller is better, compared from left to right.
struct Rank {
    std::array<bool, 5> faults{};
    std::uint64_t missing_bytes = 0;  // heap size, inverted: the larger heap first
    std::uint32_t index = 0;
    std::string note;

    friend bool operator<(const Rank& a, const Rank& b) {
        if (a.faults != b.faults) return a.faults < b.faults;
        if (a.missing_bytes != b.missing_bytes) return a.missing_bytes < b.missing_bytes;
        return a.index < b.index;
    }
};

// The measured rate at which the host writes a type, in bytes a second.
std::optional<std::uint64_t> write_rate(const Context& context, std::uint32_t memory_type) {
    const auto& curves = context.device.run.memory_cost;
    const auto found = std::ranges::find(curves, memory_type, &model::MemoryCostCurve::memory_type);
    if (found == curves.end() || !found->host_bandwidth || found->host_bandwidth->write_bytes_per_s == 0)
        return std::nullopt;
    return found->host_bandwidth->write_bytes_per_s;
}

// Whether the host writes this device-local type so slowly that system memory is better: a copy from there costs the
// device less than the host loses here.
bool is_slow_to_write(const Context& context, std::uint32_t index) {
    const auto here = write_rate(context, index);
    if (!here || !has(context.device.memory_types[index], property::kDeviceLocal)) return false;
    for (std::uint32_t other = 0; other < context.device.memory_types.size(); ++other) {
        const model::MemoryType& type = context.device.memory_types[other];
        if (has(type, property::kDeviceLocal) || !has(type, property::kHostVisible)) continue;
        const auto there = write_rate(context, other);
        if (there && *there / kSlowWriteParts > *here) return true;
    }
    return false;
}

bool on_small_bar(const Context& context, const model::MemoryType& type) {
    return has(type, property::kDeviceLocal) && has(type, property::kHostVisible) &&
           context.device.heaps[type.heap_index].size_bytes <= kSmallBarBytes && !is_unified_memory(context.device);
}

Rank rank(const Context& context, std::uint32_t index, model::MemoryUse use) {
    const model::MemoryType& type = context.device.memory_types[index];
    const bool local = has(type, property::kDeviceLocal);
    const bool cached = has(type, property::kHostCached);
    const bool coherent = has(type, property::kHostCoherent);
    const bool host = has(type, property::kHostVisible);
    const bool unified = is_unified_memory(context.device);
    const bool small_bar = on_small_bar(context, type);

    Rank result{.missing_bytes = ~context.device.heaps[type.heap_index].size_bytes, .index = index};
    switch (use) {
        case model::MemoryUse::kDeviceOnly: result.faults = {!local, small_bar, host, cached}; break;
        case model::MemoryUse::kUpload: result.faults = {!coherent, local && !unified, small_bar, cached}; break;
        case model::MemoryUse::kReadback: result.faults = {!cached, local && !unified, !coherent, small_bar}; break;
        case model::MemoryUse::kStreaming:
            result.faults = {!coherent, is_slow_to_write(context, index), !local, cached, small_bar};
            break;
    }
    result.note = fmt::format("{} ({} on heap {} of {} bytes{})", index, property_flags_text(type.property_flags),
                              type.heap_index, context.device.heaps[type.heap_index].size_bytes,
                              small_bar ? ", a small BAR" : "");
    if (use == model::MemoryUse::kStreaming) {
        if (const auto rate = write_rate(context, index)) {
            result.note.insert(
                result.note.size() - 1,
                fmt::format(
                    ", which the host writes at {:.1f} GB/s{}", static_cast<double>(*rate) / 1e9,
                    is_slow_to_write(context, index) ? ": less than a quarter of system memory's, so stage" : ""));
        }
    }
    return result;
}

std::string_view preference(model::MemoryUse use, bool unified) {
    switch (use) {
        case model::MemoryUse::kDeviceOnly:
            return unified ? "the device alone touches it; all memory is the device's own, so types without host "
                             "access come first"
                           : "the device alone touches it: device-local memory first, without host access where the "
                             "device offers it, a small BAR only after that";
        case model::MemoryUse::kUpload:
            return unified ? "the host writes it once in order: coherent, uncached (write-combined) first; all memory "
                             "is the device's own"
                           : "the host writes it once in order and the device copies from it: coherent, uncached "
                             "(write-combined) system memory first, device-local memory is kept for what stays there";
        case model::MemoryUse::kReadback:
            return "the host reads it: host-cached first, because reads of uncached memory cross the bus one by one";
        case model::MemoryUse::kStreaming:
            return unified ? "the host writes it every frame and the device reads in place: coherent, uncached first"
                           : "the host writes it every frame and the device reads in place: coherent device-local "
                             "memory that the host can map first (BAR), so that the device's reads stay local";
    }
    return {};
}

}  // namespace

model::MemoryUsePolicy rank_memory_types(const Context& context, model::MemoryUse use,
                                         std::span<const model::HeapPolicy> heaps) {
    model::MemoryUsePolicy policy{.use = use};
    std::vector<Rank> ranks;
    const auto& types = context.device.memory_types;
    for (std::uint32_t index = 0; index < types.size(); ++index) {
        std::string bar = barred_for_all(context, types[index], heaps);
        if (bar.empty()) bar = barred_for_use(types[index], use);
        if (bar.empty()) {
            ranks.push_back(rank(context, index, use));
        } else {
            policy.excluded.push_back(
                {.memory_type = index,
                 .reason = fmt::format("{}: {}", property_flags_text(types[index].property_flags), bar)});
        }
    }
    std::sort(ranks.begin(), ranks.end());

    model::Decision& why = policy.memory_types.why;
    why.reason = preference(use, is_unified_memory(context.device));
    for (const Rank& entry : ranks) {
        const model::MemoryType& type = types[entry.index];
        why.reason += (policy.memory_types.value.empty() ? ": " : ", then ") + entry.note;
        policy.memory_types.value.push_back(entry.index);
        why.inputs.push_back(context.cite_device(fmt::format("/memory_types/{}/property_flags", entry.index),
                                                 property_flags_text(type.property_flags)));
        why.inputs.push_back(context.cite_device(fmt::format("/memory_types/{}/heap_index", entry.index),
                                                 std::to_string(type.heap_index)));
        if (use == model::MemoryUse::kUpload && on_small_bar(context, type)) {
            why.alternatives.push_back({.value = fmt::format("type {} first", entry.index),
                                        .reason =
                                            "the memory article keeps the small BAR for staging: the device reads "
                                            "staged bytes once either way, "
                                            "and what it reads every frame in place gains more from this memory"});
        }
    }
    if (ranks.empty()) why.reason = fmt::format("no memory type of this device serves {} memory", to_string(use));
    if (why.alternatives.empty() && ranks.size() > 1) {
        why.alternatives.push_back({.value = fmt::format("type {} first", ranks[1].index),
                                    .reason = fmt::format("ranks lower: {}", ranks[1].note)});
    }
    return policy;
}

}  // namespace heapwright::policy
