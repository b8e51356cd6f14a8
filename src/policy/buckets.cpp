#include "heapwright/policy/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/dedicated_rule.hpp"
#include "heapwright/policy/granularity.hpp"

namespace heapwright::policy {
namespace {

// Memory type, class (0 where classes share), alignment.
using BucketKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

model::Decided<model::SuballocatorKind> decide_suballocator() {
    model::Decided<model::SuballocatorKind> decided;
    decided.value = model::SuballocatorKind::kTlsf;
    decided.why.reason =
        "resources of many sizes come and go: two-level bins find room in constant time and merge neighbours at once";
    decided.why.alternatives.push_back(
        {.value = "fixed_blocks",
         .reason = "the source's best fit in blocks of S: its search grows with the number of free ranges"});
    decided.why.alternatives.push_back(
        {.value = "linear", .reason = "cannot give back a single resource, only all of them"});
    return decided;
}

std::string bucket_id(const std::vector<model::ResourceClass>& classes, std::uint64_t alignment,
                      std::uint32_t memory_type) {
    return fmt::format("{}/{}/{}", classes.size() > 1 ? "any" : to_string(classes.front()), alignment, memory_type);
}

Bucket make_bucket(const Context& context, const BucketKey& key, bool separate) {
    const auto [memory_type, class_index, alignment] = key;
    Bucket bucket;
    bucket.policy.memory_type = memory_type;
    bucket.policy.alignment_bytes = alignment;
    if (separate) {
        bucket.policy.resource_classes = {static_cast<model::ResourceClass>(class_index)};
    } else {
        const auto& allowed = context.device.memory_types[memory_type].resource_classes;
        bucket.policy.resource_classes = allowed;
        if (allowed.empty()) {
            bucket.policy.resource_classes = {model::ResourceClass::kLinear, model::ResourceClass::kOptimal};
            if (separates_render_targets(context.device)) {
                bucket.policy.resource_classes.push_back(model::ResourceClass::kOptimalRenderTarget);
            }
        }
    }
    bucket.policy.id = bucket_id(bucket.policy.resource_classes, alignment, memory_type);
    bucket.policy.granule_bytes = decide_granule(context, alignment, memory_type);
    bucket.policy.suballocator = decide_suballocator();
    bucket.heap = context.device.memory_types[memory_type].heap_index;
    return bucket;
}

}  // namespace

std::vector<Bucket> make_buckets(const Context& context, const BucketInputs& inputs,
                                 std::vector<std::string>& warnings) {
    std::map<BucketKey, Bucket> buckets;
    double humongous_bytes = 0;
    double humongous_count = 0;
    for (const PlacedDemand& entry : inputs.placed) {
        const Demand& demand = *entry.demand;
        if (is_dedicated(demand.requirements, inputs.dedicated)) continue;
        if (demand.requirements.size_bytes > inputs.humongous_threshold_bytes) {
            humongous_bytes += demand.count * demand.mean_bytes;
            humongous_count += demand.count;
            continue;
        }
        const BucketKey key{entry.memory_type,
                            inputs.separate_linear_and_optimal ? static_cast<std::uint32_t>(demand.resource_class) : 0,
                            demand.requirements.alignment_bytes};
        auto found = buckets.find(key);
        if (found == buckets.end()) {
            found = buckets.emplace(key, make_bucket(context, key, inputs.separate_linear_and_optimal)).first;
        }
        Bucket& bucket = found->second;
        bucket.expected_bytes += demand.count * demand.mean_bytes;
        const std::uint64_t granule = bucket.policy.granule_bytes.value;
        const std::uint64_t rounded = checked_align_up(demand.requirements.size_bytes, granule)
                                          .value_or(align_down(std::numeric_limits<std::uint64_t>::max(), granule));
        if (bucket.largest == nullptr || rounded > bucket.largest_bytes) {
            bucket.largest = &demand;
            bucket.largest_bytes = rounded;
        }
    }
    if (humongous_count > 0) {
        warnings.push_back(
            fmt::format("about {:.0f} resources of the workload ({} bytes) are above the humongous threshold of {} "
                        "bytes: they belong "
                        "to the dedicated interface",
                        humongous_count, saturating_bytes(humongous_bytes), inputs.humongous_threshold_bytes));
    }
    std::vector<Bucket> sorted;
    for (auto& [key, bucket] : buckets) {
        bucket.policy.expected_bytes = saturating_bytes(bucket.expected_bytes);
        sorted.push_back(std::move(bucket));
    }
    return sorted;
}

}  // namespace heapwright::policy
