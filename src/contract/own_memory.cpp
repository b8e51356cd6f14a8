#include "heapwright/contract/own_memory.hpp"

#include <algorithm>

#include "heapwright/contract/bucket_choice.hpp"

namespace heapwright::contract {

Treatment treatment_of(const model::DevicePolicy& policy, const model::MemoryRequirements& requirements) {
    if (requirements.dedicated == model::Dedicated::kRequired) return Treatment::kOwn;
    if (!is_humongous(policy, requirements.size_bytes)) return Treatment::kByType;
    return model::humongous_rule_of(policy) == model::HumongousRule::kRefuse ? Treatment::kRefused : Treatment::kOwn;
}

TypePlan plan_in_type(const model::DevicePolicy& policy, std::span<const std::uint32_t> ascending,
                      const model::MemoryRequirements& requirements) {
    TypePlan plan{
        .buckets = buckets_in_type(policy.buckets, ascending, requirements.size_bytes, requirements.alignment_bytes)};
    plan.own_first =
        follows_driver(requirements.dedicated, policy.dedicated.value) ||
        (!plan.buckets.empty() && passes_threshold(policy.buckets[plan.buckets.front()], requirements.size_bytes));
    return plan;
}

const model::BucketPolicy* bucket_beside(std::span<const model::BucketPolicy> policies, const BucketIndex& index,
                                         model::ResourceClass resource_class, std::uint32_t memory_type,
                                         std::uint64_t alignment_bytes) {
    const auto ascending = index.buckets(resource_class, memory_type);
    if (ascending.empty()) return nullptr;
    const auto found = std::ranges::find_if(
        ascending, [&](std::uint32_t i) { return policies[i].alignment_bytes >= alignment_bytes; });
    if (found != ascending.end()) return &policies[*found];
    // Of the largest S the first in the policy's order.
    const std::uint64_t largest = policies[ascending.back()].alignment_bytes;
    return &policies[*std::ranges::find_if(ascending,
                                           [&](std::uint32_t i) { return policies[i].alignment_bytes == largest; })];
}

}  // namespace heapwright::contract
