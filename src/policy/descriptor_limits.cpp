#include "heapwright/policy/descriptor_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace heapwright::policy {
namespace {

constexpr std::string_view kHeapGroup = "ID3D12Device::CreateDescriptorHeap";

DescriptorLimit d3d12_limit(const Context& context, std::string_view name) {
    DescriptorLimit limit;
    const auto found = find_limit_in(context, kHeapGroup, name);
    if (!found) {
        limit.reason = fmt::format("the report does not say how large a {} heap may be", name);
        return limit;
    }
    limit.count = found->value;
    limit.inputs.push_back(found->input);
    limit.reason = fmt::format("the largest {} heap that could be created holds {}", name, found->value);
    return limit;
}

// The smallest of those that the device states and that are not zero: zero says that the type is left out.
DescriptorLimit least_of(const Context& context, std::initializer_list<std::string_view> names) {
    DescriptorLimit limit;
    std::string_view decides;
    for (const std::string_view name : names) {
        const auto found = find_limit(context, name);
        if (!found || found->value == 0) continue;
        if (limit.count && *limit.count <= found->value) continue;
        limit.count = found->value;
        limit.inputs = {found->input};
        decides = name;
    }
    limit.reason = limit.count ? fmt::format("{} is {}", decides, *limit.count)
                               : std::string("the report states no limit of update-after-bind descriptors");
    return limit;
}

}  // namespace

std::optional<CitedLimit> find_limit_in(const Context& context, std::string_view group, std::string_view name) {
    const auto& limits = context.device.limits;
    const auto fact = std::ranges::find_if(
        limits, [&](const model::Fact& entry) { return entry.name == name && entry.group == group; });
    if (fact == limits.end()) return std::nullopt;
    return CitedLimit{.value = fact->value,
                      .input = context.cite_device(fmt::format("/limits/{}/{}", fact->group, fact->name),
                                                   std::to_string(fact->value))};
}

DescriptorLimit resource_descriptor_limit(const Context& context) {
    if (context.device.identity.api == model::Api::kD3d12)
        return d3d12_limit(context, "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV");
    DescriptorLimit limit = least_of(
        context, {"maxDescriptorSetUpdateAfterBindSampledImages", "maxDescriptorSetUpdateAfterBindStorageBuffers",
                  "maxDescriptorSetUpdateAfterBindStorageImages"});
    if (limit.count) return limit;
    return least_of(
        context, {"maxDescriptorSetSampledImages", "maxDescriptorSetStorageBuffers", "maxDescriptorSetStorageImages"});
}

DescriptorLimit sampler_descriptor_limit(const Context& context) {
    if (context.device.identity.api == model::Api::kD3d12)
        return d3d12_limit(context, "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER");
    return least_of(context, {"maxDescriptorSetUpdateAfterBindSamplers", "maxDescriptorSetSamplers"});
}

}  // namespace heapwright::policy
