#include "validate/baselines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/byte_text.hpp"
#include "core/clock.hpp"
#include "core/count_text.hpp"
#include "policy/article_rule.hpp"
#include "validate/memory_scenario.hpp"
#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {
namespace {

using model::Baseline;

constexpr std::uint64_t kLargeChunkBytes = 256ull << 20;
constexpr std::uint64_t kLeastLargeChunkBytes = 1ull << 20;
constexpr std::uint64_t kLimitParts = 4;

// One after another, each within the time that is left; one that lacks memory is inconclusive by itself.
class Baselines {
public:
    Baselines(device::Device& device, const model::Workload& workload, const ValidateOptions& options)
        : device_(device), workload_(workload), options_(options), started_ns_(clock_.now_ns()) {}

    Status add(std::string_view scenario_name, Baseline baseline, MemoryBody body, const model::DevicePolicy& policy,
               decltype(ValidateOptions::allocator) allocator) {
        const std::string name = name_of_baseline(scenario_name, baseline);
        ValidateOptions one = options_;
        one.allocator = std::move(allocator);
        one.time_limit_ns -= std::min(one.time_limit_ns, clock_.now_ns() - started_ns_);
        auto result = body(device_, policy, workload_, one);
        if (!result && is_lack_of_memory(result.error())) result = without_memory(name, result.error(), one.run_seed());
        if (!result) return fail(std::move(result.error()));
        result->name = name;
        results_.push_back(std::move(*result));
        return {};
    }

    [[nodiscard]] std::vector<model::ScenarioResult>& results() { return results_; }

private:
    device::Device& device_;
    const model::Workload& workload_;
    const ValidateOptions& options_;
    SteadyClock clock_;
    std::uint64_t started_ns_;
    std::vector<model::ScenarioResult> results_;
};

Status run_mixed_baselines(Baselines& baselines, const model::DeviceReport& facts, const model::DevicePolicy& policy,
                           const model::Workload& workload) {
    HEAPWRIGHT_TRY(baselines.add(model::kMixedWorkload, Baseline::kOneEach, run_mixed_workload, policy, make_one_each));
    HEAPWRIGHT_ASSIGN(const model::DevicePolicy source, policy::policy_by_source_rule(facts, workload, policy));
    HEAPWRIGHT_TRY(
        baselines.add(model::kMixedWorkload, Baseline::kSourceRule, run_mixed_workload, source, make_pool_under_test));
    return baselines.add(model::kMixedWorkload, Baseline::kVmaDefault, run_mixed_workload, policy, make_vma_default);
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

Status run_streaming_baselines(Baselines& baselines, const model::DevicePolicy& policy,
                               std::uint64_t memory_limit_bytes) {
    model::DevicePolicy chunks = on_demand(policy);
    HEAPWRIGHT_TRY(baselines.add(kStreaming, Baseline::kOnDemand, run_streaming, chunks, make_pool_under_test));

    const std::uint64_t bytes = large_chunk_bytes(policy, memory_limit_bytes);
    for (model::BucketPolicy& bucket : chunks.buckets) {
        bucket.chunk_size_bytes.value = bytes;
        bucket.growth.reset();
        bucket.dedicated_threshold_bytes.reset();
    }
    HEAPWRIGHT_TRY(baselines.add(kStreaming, Baseline::kOnDemand256MiB, run_streaming, chunks, make_pool_under_test));
    std::string& reason = baselines.results().back().reason;
    reason += fmt::format("; chunks of {}", byte_text(bytes));
    if (bytes != kLargeChunkBytes) {
        reason += fmt::format(", because a quarter of the memory that may be taken does not hold one of {} for {}",
                              byte_text(kLargeChunkBytes), each_counted(policy.buckets.size(), "the", "bucket"));
    }
    return {};
}

}  // namespace

Result<std::vector<model::ScenarioResult>> run_baselines(device::Device& device, const model::DevicePolicy& policy,
                                                         const model::Workload& workload,
                                                         const ValidateOptions& options) {
    Baselines baselines(device, workload, options);
    const auto is_wanted = [&](std::string_view name) {
        return options.scenarios.empty() || std::ranges::find(options.scenarios, name) != options.scenarios.end();
    };
    if (is_wanted(model::kMixedWorkload))
        HEAPWRIGHT_TRY(run_mixed_baselines(baselines, device.facts(), policy, workload));
    if (is_wanted(kStreaming)) HEAPWRIGHT_TRY(run_streaming_baselines(baselines, policy, options.memory_limit_bytes));
    if (is_wanted(kDefragmentation))
        HEAPWRIGHT_TRY(baselines.add(kDefragmentation, Baseline::kBySize, run_defragmentation_by_size, policy, {}));
    return std::move(baselines.results());
}

}  // namespace heapwright::validate
