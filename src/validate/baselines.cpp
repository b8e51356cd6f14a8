#include "heapwright/validate/baselines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "heapwright/policy/advise.hpp"
#include "heapwright/validate/mixed_workload.hpp"
#include "heapwright/validate/streaming.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLargeChunkBytes = 256ull << 20;
constexpr std::uint64_t kLeastLargeChunkBytes = 1ull << 20;
constexpr std::uint64_t kLimitParts = 4;

Status add(std::vector<model::ScenarioResult>& results, std::string_view name, Result<model::ScenarioResult> result) {
    if (!result) return fail(std::move(result.error()));
    result->name.push_back('/');
    result->name.append(name);
    results.push_back(std::move(*result));
    return {};
}

// A device's facts hold no sweep, so the rule made from them cannot know every alignment that the driver asks for: what
// the policy serves and it does not gets buckets of its own, with its chunk size.
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

Status run_mixed_baselines(std::vector<model::ScenarioResult>& results, device::Device& device,
                           const model::DevicePolicy& policy, const model::Workload& workload,
                           const ValidateOptions& options) {
    ValidateOptions one = options;
    one.allocator = make_one_each;
    HEAPWRIGHT_TRY(add(results, "one-each", run_mixed_workload(device, policy, workload, one)));

    HEAPWRIGHT_ASSIGN(model::DevicePolicy source,
                      policy::advise(device.facts(), workload, 0, {.rule = policy::ChunkRuleName::kSource}));
    cover(source, policy);
    one.allocator = make_pool_under_test;
    HEAPWRIGHT_TRY(add(results, "source-rule", run_mixed_workload(device, source, workload, one)));

    one.allocator = make_vma_default;
    HEAPWRIGHT_TRY(add(results, "vma-default", run_mixed_workload(device, policy, workload, one)));
    return {};
}

model::DevicePolicy on_demand(model::DevicePolicy policy) {
    for (model::BucketPolicy& bucket : policy.buckets) bucket.chunks_ahead.reset();
    return policy;
}

// One chunk for every bucket takes at most a part of the memory limit: the rest is the workload's.
std::uint64_t large_chunk_bytes(const model::DevicePolicy& policy, std::uint64_t memory_limit_bytes) {
    std::uint64_t usable = 0;
    for (const model::HeapPolicy& heap : policy.heaps) usable += heap.usable_bytes.value;
    const std::uint64_t room = std::min(memory_limit_bytes, usable) / kLimitParts;
    std::uint64_t bytes = kLargeChunkBytes;
    while (bytes > kLeastLargeChunkBytes && bytes * policy.buckets.size() > room) bytes /= 2;
    return bytes;
}

Status run_streaming_baselines(std::vector<model::ScenarioResult>& results, device::Device& device,
                               const model::DevicePolicy& policy, const model::Workload& workload,
                               const ValidateOptions& options) {
    model::DevicePolicy chunks = on_demand(policy);
    ValidateOptions one = options;
    one.allocator = make_pool_under_test;
    HEAPWRIGHT_TRY(add(results, "on-demand", run_streaming(device, chunks, workload, one)));

    const std::uint64_t bytes = large_chunk_bytes(policy, options.memory_limit_bytes);
    for (model::BucketPolicy& bucket : chunks.buckets) {
        bucket.chunk_size_bytes.value = bytes;
        bucket.growth.reset();
        bucket.dedicated_threshold_bytes.reset();
    }
    HEAPWRIGHT_TRY(add(results, "on-demand-256-mib", run_streaming(device, chunks, workload, one)));
    results.back().reason += fmt::format("; chunks of {} bytes", bytes);
    if (bytes != kLargeChunkBytes) {
        results.back().reason += fmt::format(
            ", because a quarter of the memory that may be taken does not hold one of {} for each of {} buckets",
            kLargeChunkBytes, policy.buckets.size());
    }
    return {};
}

}  // namespace

Result<std::vector<model::ScenarioResult>> run_baselines(device::Device& device, const model::DevicePolicy& policy,
                                                         const model::Workload& workload,
                                                         const ValidateOptions& options) {
    std::vector<model::ScenarioResult> results;
    const auto is_wanted = [&](std::string_view name) {
        return options.scenarios.empty() || std::ranges::find(options.scenarios, name) != options.scenarios.end();
    };
    if (is_wanted("mixed-workload")) HEAPWRIGHT_TRY(run_mixed_baselines(results, device, policy, workload, options));
    if (is_wanted("streaming")) HEAPWRIGHT_TRY(run_streaming_baselines(results, device, policy, workload, options));
    return results;
}

}  // namespace heapwright::validate
