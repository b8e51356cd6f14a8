#include "policy/memory_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "contract/bucket_choice.hpp"
#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/bucket_settings.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

class TypeChooser {
public:
    TypeChooser(const Context& context, const Demand& demand, const model::MemoryUsePolicy& own,
                std::span<const model::HeapPolicy> heaps)
        : context_(context), demand_(demand), own_(own), heaps_(heaps) {
        if (const auto limit = find_limit(context, "maxMemoryAllocationSize")) largest_allocation_ = limit->value;
    }

    void add(std::uint32_t type) {
        if (!contract::admits(demand_.requirements.memory_type_bits, type)) return;
        const std::uint32_t heap = context_.device.memory_types[type].heap_index;
        const bool lazy =
            (context_.device.memory_types[type].property_flags & model::memory_property::kLazilyAllocated) != 0;
        if (choices_.types.empty() && !choices_.too_large)
            choices_.staged =
                !lazy && std::ranges::find(own_.memory_types.value, type) == own_.memory_types.value.end();
        if (std::ranges::find(choices_.types, heap, &TypeChoice::heap) != choices_.types.end()) return;
        const std::uint64_t usable = heaps_[heap].usable_bytes.value;
        const std::uint64_t granule = granule_of(context_, demand_.requirements.alignment_bytes, type);
        const auto rounded = checked_align_up(demand_.requirements.size_bytes, granule);
        if (rounded && *rounded <= usable && *rounded <= largest_allocation_) {
            choices_.types.push_back({.memory_type = type, .heap = heap, .lazily_allocated = lazy});
            return;
        }
        if (choices_.too_large) return;
        const std::uint64_t bytes = rounded.value_or(~std::uint64_t{0});
        choices_.too_large = {
            .limit = bytes > largest_allocation_ ? "maxMemoryAllocationSize" : fmt::format("heap {}", heap),
            .limit_bytes = bytes > largest_allocation_ ? largest_allocation_ : usable,
            .size_bytes = bytes};
    }

    [[nodiscard]] TypeChoices take() { return std::move(choices_); }

private:
    const Context& context_;
    const Demand& demand_;
    const model::MemoryUsePolicy& own_;
    std::span<const model::HeapPolicy> heaps_;
    std::uint64_t largest_allocation_ = std::numeric_limits<std::uint64_t>::max();
    TypeChoices choices_;
};

}  // namespace

model::Claim exceeds(const model::ExceededLimit& exceeded) {
    const auto size = model::bytes(exceeded.size_bytes);
    const auto limit = model::bytes(exceeded.limit_bytes);
    if (exceeded.limit.starts_with("heap")) return claim<ClaimId::kExceedsHeap>(size, exceeded.limit, limit);
    if (is_soft(exceeded)) return claim<ClaimId::kExceedsSoftLimit>(size, exceeded.limit, limit);
    return claim<ClaimId::kExceedsLimit>(size, exceeded.limit, limit);
}

TypeChoices choose_types(const Context& context, const Demand& demand, std::span<const model::MemoryUsePolicy> uses,
                         std::span<const model::HeapPolicy> heaps) {
    if (!demand.beyond_limit.empty()) {
        return {.types = {}, .staged = false, .too_large = demand.too_large};
    }
    const contract::RankedMemory memory{
        .types = context.device.memory_types, .heaps = context.device.heaps, .heap_policies = heaps, .uses = uses};
    TypeChooser chooser(context, demand, uses[static_cast<std::size_t>(demand.use)], heaps);
    for (const std::uint32_t type :
         contract::types_in_order(memory, demand.resource_class, demand.use, demand.transient_attachment))
        chooser.add(type);
    return chooser.take();
}

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
model::Statement barred_for_all(const Context& context, const model::MemoryType& type,
                                std::span<const model::HeapPolicy> heaps) {
    const auto heap_index = model::count(type.heap_index);
    if (type.heap_index >= heaps.size()) return claim<ClaimId::kBarredHeapUnknown>(heap_index);
    const model::HeapPolicy& heap = heaps[type.heap_index];
    if (heap.size_bytes == 0) return claim<ClaimId::kBarredHeapEmpty>(heap_index);
    if (heap.usable_bytes.value == 0) return claim<ClaimId::kBarredNoBudget>(heap_index);
    if (has(type, property::kDeviceCoherentAmd | property::kDeviceUncachedAmd))
        return claim<ClaimId::kBarredUncachedAmd>();
    if (has(type, property::kProtected)) return claim<ClaimId::kBarredProtected>();
    if (has(type, property::kRdmaCapableNv)) return claim<ClaimId::kBarredRdma>();
    if ((context.device.heaps[type.heap_index].flags & model::memory_heap::kTileMemoryQcom) != 0)
        return claim<ClaimId::kBarredTile>();
    if (const model::Flags unknown = type.property_flags & ~kKnownProperties; unknown != 0)
        return claim<ClaimId::kBarredUnknown>(property_flags_text(unknown));
    return {};
}

model::Statement barred_for_use(const model::MemoryType& type, model::MemoryUse use) {
    if (has(type, property::kLazilyAllocated)) return claim<ClaimId::kBarredLazy>();
    if (needs_host(use) && !has(type, property::kHostVisible)) return claim<ClaimId::kBarredUnmappable>();
    using HeapType = model::D3d12HeapType;
    if (type.d3d12_heap_type == HeapType::kReadback && use != model::MemoryUse::kReadback)
        return claim<ClaimId::kBarredReadbackHeap>();
    if (type.d3d12_heap_type == HeapType::kUpload &&
        (use == model::MemoryUse::kReadback || use == model::MemoryUse::kDeviceOnly))
        return claim<ClaimId::kBarredUploadHeap>();
    return {};
}

// Smaller is better, compared from left to right.
struct Rank {
    std::array<bool, 5> faults{};
    std::uint64_t missing_bytes = 0;  // heap size, inverted: the larger heap first
    std::uint32_t index = 0;
    model::Statement note;

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
    const auto type_figure = model::count(index);
    const auto heap = model::count(type.heap_index);
    const auto flags = property_flags_text(type.property_flags);
    const auto heap_bytes = model::bytes(context.device.heaps[type.heap_index].size_bytes);
    result.note = small_bar ? claim<ClaimId::kTypeOnSmallBar>(type_figure, flags, heap, heap_bytes)
                            : claim<ClaimId::kTypeOnHeap>(type_figure, flags, heap, heap_bytes);
    const auto written = write_rate(context, index);
    if (use == model::MemoryUse::kStreaming && written) {
        const auto rate = model::bytes_per_second(static_cast<double>(*written));
        result.note += is_slow_to_write(context, index) ? claim<ClaimId::kTypeSlowToWrite>(type_figure, rate)
                                                        : claim<ClaimId::kTypeWriteRate>(type_figure, rate);
    }
    return result;
}

model::Statement preference(model::MemoryUse use, bool unified) {
    switch (use) {
        case model::MemoryUse::kDeviceOnly:
            return unified ? claim<ClaimId::kDeviceOnlyUnified>() : claim<ClaimId::kDeviceOnlyFirst>();
        case model::MemoryUse::kUpload:
            if (unified) return claim<ClaimId::kUploadUnified>();
            return std::vector{claim<ClaimId::kUploadFirst>(), claim<ClaimId::kUploadNotLocal>()};
        case model::MemoryUse::kReadback: return claim<ClaimId::kReadbackFirst>();
        case model::MemoryUse::kStreaming:
            if (unified) return claim<ClaimId::kStreamingUnified>();
            return std::vector{claim<ClaimId::kStreamingFirst>(), claim<ClaimId::kReadsStayLocal>()};
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
        model::Statement barred = barred_for_all(context, types[index], heaps);
        if (barred.empty()) barred = barred_for_use(types[index], use);
        if (barred.empty()) {
            ranks.push_back(rank(context, index, use));
        } else {
            barred += claim<ClaimId::kTypeHas>(property_flags_text(types[index].property_flags));
            policy.excluded.push_back({.memory_type = index, .reason = std::move(barred)});
        }
    }
    std::sort(ranks.begin(), ranks.end());

    model::Decision& why = policy.memory_types.why;
    why.reason = preference(use, is_unified_memory(context.device));
    for (const Rank& entry : ranks) {
        const model::MemoryType& type = types[entry.index];
        why.reason += entry.note;
        policy.memory_types.value.push_back(entry.index);
        why.inputs.push_back(context.cite_device(fmt::format("/memory_types/{}/property_flags", entry.index),
                                                 property_flags_text(type.property_flags)));
        why.inputs.push_back(context.cite_device(fmt::format("/memory_types/{}/heap_index", entry.index),
                                                 model::count(type.heap_index)));
        if (use == model::MemoryUse::kUpload && on_small_bar(context, type)) {
            why.alternatives.push_back(
                {.value = model::count(entry.index),
                 .reason = std::vector{claim<ClaimId::kSmallBarForStaging>(model::count(entry.index)),
                                       claim<ClaimId::kSmallBarInPlace>()}});
        }
    }
    if (ranks.empty()) why.reason = claim<ClaimId::kNoTypeForUse>(to_string(use));
    if (why.alternatives.empty() && ranks.size() > 1) {
        model::Statement lost = claim<ClaimId::kTypeRanksLower>(model::count(ranks[1].index));
        lost += ranks[1].note;
        why.alternatives.push_back({.value = model::count(ranks[1].index), .reason = std::move(lost)});
    }
    return policy;
}

}  // namespace heapwright::policy
