// Which resources get a device allocation of their own: by the driver's wish, and by their size.
//
// Rule: which resources get an allocation of their own: always those for which the driver requires it, and those for
// which it prefers it as long as the number of device allocations allows, and as long as what lives for one frame does
// not then take more of the frame budget for device memory than bucket_search.hpp allows a bucket. Pure.
#pragma once

#include <span>

#include "policy/article_rule.hpp"
#include "policy/memory_types.hpp"

namespace heapwright::policy {

[[nodiscard]] model::Decided<model::DedicatedRule> decide_dedicated(const Context& context,
                                                                    std::span<const PlacedDemand> placed,
                                                                    const model::Decided<std::uint64_t>& max_chunks);

// Rules: above which size a request is humongous, and what the ordinary interface does with it.
// The threshold is what a chunk of the device's own memory can reasonably hold, whatever the workload's largest hint:
// the least of
//   a 4096x4096 RGBA8 image, as this driver sizes it (the memory article's bound)
//   an eighth of the usable bytes of the heap that device-only memory comes from first, the largest chunk there
//   maxMemoryAllocationSize
//   the largest power of two whose allocation stays within an eighth of the frame budget
// but no less than M, the largest ordinary resource of the workload. Sizes in bytes. Pure.

// `policy.heaps`, `policy.memory_uses` and `policy.largest_ordinary_bytes` are decided.
[[nodiscard]] model::Decided<std::uint64_t> decide_humongous(const Context& context, const model::DevicePolicy& policy,
                                                             const LargestOrdinary& largest);

[[nodiscard]] model::Decided<model::HumongousRule> decide_humongous_rule(model::HumongousRule asked);

}  // namespace heapwright::policy
