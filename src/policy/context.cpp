#include "policy/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "model/claims.hpp"
#include "model/untold_limit.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

model::DecisionInput Context::cite_device(std::string_view suffix, model::Figure value) const {
    return {.document = model::DocumentKind::kReport,
            .path = fmt::format("/devices/{}{}", device_index, suffix),
            .value = std::move(value)};
}

model::DecisionInput Context::cite_workload(std::string path, model::Figure value) const {
    return {.document = model::DocumentKind::kWorkload, .path = std::move(path), .value = std::move(value)};
}

std::optional<CitedLimit> find_limit(const Context& context, model::FactName name, std::string_view group,
                                     model::Unit unit) {
    const model::Fact* fact = find_fact(context.device.limits, name, group);
    if (fact == nullptr || model::is_untold(*fact)) return std::nullopt;
    return CitedLimit{.value = fact->value,
                      .input = context.cite_device(fmt::format("/limits/{}/{}", fact->group, fact->name),
                                                   model::Figure(unit, fact->value))};
}

std::string property_flags_text(model::Flags flags) {
    return model::flags_text(flags, model::memory_property_names(), "no flags");
}

std::string_view to_string(model::MemoryUse use) {
    switch (use) {
        case model::MemoryUse::kDeviceOnly: return "device-only";
        case model::MemoryUse::kUpload: return "upload";
        case model::MemoryUse::kReadback: return "readback";
        case model::MemoryUse::kStreaming: return "streaming";
    }
    return "unknown";
}

std::string_view to_string(model::ResourceClass resource_class) {
    switch (resource_class) {
        case model::ResourceClass::kLinear: return "linear";
        case model::ResourceClass::kOptimal: return "optimal";
        case model::ResourceClass::kOptimalRenderTarget: return "render-target";
    }
    return "unknown";
}

bool is_unified_memory(const model::DeviceReport& device) {
    if (device.identity.type == model::DeviceType::kIntegratedGpu) return true;
    return !device.heaps.empty() &&
           std::all_of(device.heaps.begin(), device.heaps.end(), [](const model::MemoryHeap& heap) {
               return heap.size_bytes == 0 || (heap.flags & model::memory_heap::kDeviceLocal) != 0;
           });
}

namespace {

void warn_of_one_ram(const Context& context, const model::CapacityPlan& capacity, model::Statement& warnings) {
    if (!shares_one_ram(context.device)) return;
    std::string heaps;
    std::uint64_t planned_heaps = 0;
    std::uint64_t planned = 0;
    for (const model::HeapCapacity& heap : capacity.heaps) {
        if (heap.expected_bytes == 0) continue;
        heaps += (heaps.empty() ? "" : ", ") + std::to_string(heap.heap);
        planned += heap.expected_bytes;
        ++planned_heaps;
    }
    if (planned_heaps < 2) return;
    warnings += context.workload.reserve_share > 0 ? claim<ClaimId::kOneRamReserved>(heaps, model::bytes(planned))
                                                   : claim<ClaimId::kOneRam>(heaps, model::bytes(planned));
}

bool is_read_by_host(const model::Workload& workload) {
    const auto reads = [](const auto& hint) {
        return hint.count != 0 && model::planned_use(hint) == model::MemoryUse::kReadback;
    };
    return std::ranges::any_of(workload.images, reads) || std::ranges::any_of(workload.buffers, reads);
}

void warn_of_uncached(const Context& context, const model::DevicePolicy& policy, model::Statement& warnings) {
    const auto readback =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kReadback, &model::MemoryUsePolicy::use);
    if (readback == policy.memory_uses.end() || readback->memory_types.value.empty()) return;
    const std::uint32_t type = readback->memory_types.value.front();
    const bool is_cached =
        (context.device.memory_types[type].property_flags & model::memory_property::kHostCached) != 0;
    if (is_cached || !is_read_by_host(context.workload)) return;
    warnings += claim<ClaimId::kUncachedReadback>(model::count(type));
}

}  // namespace

bool shares_one_ram(const model::DeviceReport& device) {
    const model::DeviceType type = device.identity.type;
    if (type != model::DeviceType::kIntegratedGpu && type != model::DeviceType::kCpu) return false;
    std::set<std::uint32_t> heaps;
    for (const model::MemoryType& memory : device.memory_types) {
        const bool is_protected = (memory.property_flags & model::memory_property::kProtected) != 0;
        if (!is_protected && device.heaps[memory.heap_index].size_bytes != 0) heaps.insert(memory.heap_index);
    }
    return heaps.size() > 1;
}

void warn_of_device_class(const Context& context, const model::DevicePolicy& policy, model::Statement& warnings) {
    if (policy.capacity) warn_of_one_ram(context, *policy.capacity, warnings);
    warn_of_uncached(context, policy, warnings);
}

}  // namespace heapwright::policy
