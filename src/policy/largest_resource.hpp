// Rule: M, the largest ordinary resource, which every chunk should hold.
// M is the largest resource of the workload that is no larger than a 4096x4096 RGBA8 image, as this driver sizes both.
// ("Vulkan Memory Allocation (Part 1 of N)" takes 64,000,000 bytes for that image; its texels alone are 67,108,864.)
// Pure.
#pragma once

#include <span>
#include <vector>

#include "heapwright/policy/placement.hpp"

namespace heapwright::policy {

struct LargestOrdinary {
    model::Decided<std::uint64_t> bytes;
    // The inputs that made the number, without those that merely bound it: what a decision that uses M cites.
    std::vector<model::DecisionInput> deciding_inputs;
    std::uint64_t bound_bytes = 0;  // of a 4096x4096 RGBA8 image
};

[[nodiscard]] LargestOrdinary decide_largest_ordinary(const Context& context, std::span<const PlacedDemand> placed,
                                                      model::DedicatedRule rule);

}  // namespace heapwright::policy
