// How many descriptors one shader-visible heap may hold: on Direct3D 12 what D3D12_OPTIONS19 states, else the
// documented hardware tiers, less where no heap of that size could be created; on Vulkan the smallest limit of the
// descriptor types that share a heap, for samplers also of the objects that may live (less a share for static
// samplers). Never what a driver takes beyond. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/context.hpp"

namespace heapwright::policy {

struct DescriptorLimit {
    std::optional<std::uint64_t> count;  // empty: the report states none
    model::Statement reason;             // which limit decides
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] DescriptorLimit resource_descriptor_limit(const Context& context);
[[nodiscard]] DescriptorLimit sampler_descriptor_limit(const Context& context);

}  // namespace heapwright::policy
