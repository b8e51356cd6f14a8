// Rules: M, the largest ordinary resource, which every chunk should hold; and the humongous threshold, above which a
// request is refused by the ordinary interface and belongs to the dedicated one.
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
};

[[nodiscard]] LargestOrdinary decide_largest_ordinary(const Context& context, std::span<const PlacedDemand> placed,
                                                      model::DedicatedRule rule);

[[nodiscard]] model::Decided<std::uint64_t> decide_humongous(const model::Decided<std::uint64_t>& largest_ordinary);

}  // namespace heapwright::policy
