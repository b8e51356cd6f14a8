#include "heapwright/policy/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heapwright/model/untold_limit.hpp"

namespace heapwright::policy {

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

}  // namespace heapwright::policy
