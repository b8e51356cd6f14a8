#include "policy/priorities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr model::FactName kFeature = "memoryPriority";

constexpr std::array kLevels{0.0, 0.5, 1.0};  // copied once, read by the device, written by it

std::size_t level_of(const Demand& demand) {
    if (demand.use == model::MemoryUse::kUpload || demand.use == model::MemoryUse::kReadback) return 0;
    return demand.device_writes ? 2 : 1;
}

std::optional<model::DecisionInput> find_support(const Context& context) {
    const model::Fact* fact = find_fact(context.device.features, kFeature);
    if (fact == nullptr || fact->value == 0) return std::nullopt;
    return context.cite_device(fmt::format("/features/{}/{}", fact->group, fact->name), model::count(fact->value));
}

bool may_hold(const model::BucketPolicy& bucket, const PlacedDemand& entry) {
    return bucket.memory_type == entry.memory_type &&
           std::ranges::find(bucket.resource_classes, entry.demand->resource_class) != bucket.resource_classes.end();
}

// The bucket of its class and type with the smallest alignment that is not below its own, else with the largest.
const Bucket* bucket_of(const std::vector<Bucket>& buckets, const PlacedDemand& entry) {
    const std::uint64_t alignment = entry.demand->requirements.alignment_bytes;
    const Bucket* best = nullptr;
    for (const Bucket& bucket : buckets) {
        if (!may_hold(bucket.policy, entry)) continue;
        const auto is_nearer = [&] {
            const std::uint64_t one = bucket.policy.alignment_bytes;
            const std::uint64_t other = best->policy.alignment_bytes;
            return one >= alignment ? other < alignment || one < other : other < alignment && one > other;
        };
        if (best == nullptr || is_nearer()) best = &bucket;
    }
    return best;
}

model::Decided<double> decide(const model::DecisionInput& support, const Demand& urgent) {
    const std::size_t level = level_of(urgent);
    model::Decided<double> decided;
    decided.value = kLevels[level];
    decided.why.reason = std::array{claim<ClaimId::kPriorityCopies>(), claim<ClaimId::kPriorityReads>(),
                                    claim<ClaimId::kPriorityWrites>()}[level];
    decided.why.reason += claim<ClaimId::kPriorityMostUrgent>(urgent.what);
    decided.why.inputs.push_back(support);
    const std::array too_low{claim<ClaimId::kPriorityNotOnlyCopies>(), claim<ClaimId::kPriorityNotOnlyReads>()};
    const std::array too_high{claim<ClaimId::kPriorityNoReads>(), claim<ClaimId::kPriorityNoWrites>()};
    for (std::size_t other = 0; other < kLevels.size(); ++other) {
        if (other == level) continue;
        decided.why.alternatives.push_back(
            {.value = model::number(kLevels[other]), .reason = other < level ? too_low[other] : too_high[other - 1]});
    }
    return decided;
}

}  // namespace

void decide_priorities(const Context& context, std::span<const PlacedDemand> placed, std::vector<Bucket>& buckets,
                       model::Statement& warnings) {
    const auto support = find_support(context);
    if (!support) {
        if (buckets.empty()) return;
        warnings += context.device.identity.api == model::Api::kD3d12 ? claim<ClaimId::kWarnNoResidencyPriority>()
                                                                      : claim<ClaimId::kWarnNoMemoryPriority>();
        return;
    }
    for (Bucket& bucket : buckets) {
        const Demand* urgent = bucket.largest;
        for (const PlacedDemand& entry : placed) {
            if (bucket_of(buckets, entry) != &bucket) continue;
            if (urgent == nullptr || level_of(*entry.demand) > level_of(*urgent)) urgent = entry.demand;
        }
        if (urgent != nullptr) bucket.policy.priority = decide(*support, *urgent);
    }
}

}  // namespace heapwright::policy
