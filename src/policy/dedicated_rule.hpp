// Rule: which resources get an allocation of their own: always those for which the driver requires it, and those for
// which it prefers it as long as the number of device allocations allows, and as long as what lives for one frame does
// not then take more of the frame budget for device memory than chunk_limits.hpp allows a bucket. Pure.
#pragma once

#include <span>

#include "heapwright/policy/placement.hpp"

namespace heapwright::policy {

[[nodiscard]] model::Decided<model::DedicatedRule> decide_dedicated(const Context& context,
                                                                    std::span<const PlacedDemand> placed,
                                                                    const model::Decided<std::uint64_t>& max_chunks);

}  // namespace heapwright::policy
