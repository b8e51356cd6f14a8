#include "heapwright/policy/article_policy.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "heapwright/policy/advise.hpp"

namespace heapwright::policy {
namespace {

void cover(model::DevicePolicy& source, const model::DevicePolicy& policy) {
    const std::size_t own = source.buckets.size();
    for (const model::BucketPolicy& wanted : policy.buckets) {
        for (const model::ResourceClass kind : wanted.resource_classes) {
            std::uint64_t chunk_bytes = wanted.chunk_size_bytes.value;
            bool is_covered = false;
            for (std::size_t i = 0; i < source.buckets.size(); ++i) {
                const model::BucketPolicy& bucket = source.buckets[i];
                if (bucket.memory_type != wanted.memory_type) continue;
                if (i < own) chunk_bytes = std::max(chunk_bytes, bucket.chunk_size_bytes.value);
                is_covered |= bucket.alignment_bytes >= wanted.alignment_bytes &&
                              std::ranges::count(bucket.resource_classes, kind) != 0;
            }
            if (is_covered) continue;
            model::BucketPolicy added = wanted;
            added.id.push_back('/');
            added.id.append(std::to_string(source.buckets.size()));
            added.resource_classes = {kind};
            added.chunk_size_bytes.value = chunk_bytes;
            added.growth.reset();
            added.dedicated_threshold_bytes.reset();
            added.chunks_ahead.reset();
            added.chunk_choice.value = model::ChunkChoice::kFullest;
            source.buckets.push_back(std::move(added));
        }
    }
    source.memory_uses = policy.memory_uses;
}

}  // namespace

Result<model::DevicePolicy> policy_by_source_rule(const model::DeviceReport& facts, const model::Workload& workload,
                                                  const model::DevicePolicy& other) {
    HEAPWRIGHT_ASSIGN(model::DevicePolicy source,
                      advise(facts, workload, 0, {.rule = ChunkRuleName::kSource, .with_expectations = false}));
    cover(source, other);
    return source;
}

}  // namespace heapwright::policy
