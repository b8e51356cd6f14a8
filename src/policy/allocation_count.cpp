#include "heapwright/policy/allocation_count.hpp"

#include <algorithm>

#include "heapwright/model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

model::Decided<std::uint64_t> decide_max_chunks(const Context& context, model::Statement& warnings) {
    const auto limit = find_limit(context, "maxMemoryAllocationCount");
    const std::uint64_t count = limit ? limit->value : kGuaranteedAllocationCount;

    model::Decided<std::uint64_t> decided;
    decided.value = std::max<std::uint64_t>(1, count - count / 8);
    if (limit) {
        decided.why.inputs.push_back(limit->input);
        decided.why.reason = claim<ClaimId::kAllocationsOfLimit>(model::count(count));
    } else if (context.device.identity.api == model::Api::kD3d12) {
        decided.why.reason = claim<ClaimId::kAllocationsOfD3d12>(model::count(count));
    } else {
        decided.why.reason = claim<ClaimId::kAllocationCountMissing>(model::count(count));
        warnings += decided.why.reason;
    }
    if (limit || context.device.identity.api != model::Api::kD3d12)
        decided.why.reason += claim<ClaimId::kAllocationsForOthers>();
    decided.why.alternatives = {{.value = model::count(count), .reason = claim<ClaimId::kAllAllocationsLost>()},
                                {.value = model::count(80), .reason = claim<ClaimId::kGuidelineAllocationsLost>()}};
    return decided;
}

}  // namespace heapwright::policy
