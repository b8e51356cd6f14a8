#include "validate/baselines.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/text.hpp"
#include "policy/article_rule.hpp"
#include "policy/vma.hpp"
#include "validate/baseline_memory.hpp"
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

// One device allocation for every resource: the least bytes and the most calls that there can be.

namespace {

class OneEach final : public AllocatorUnderTest {
public:
    OneEach(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes) {}

    ~OneEach() override { (void)release_completed(TimelineValue{~0ull}); }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory /*own_memory*/) override {
        HEAPWRIGHT_ASSIGN(const auto requirements, memory_.device().resources().requirements(description));
        Error last{.code = ErrorCode::kNotSupported, .message = "no memory type serves this use"};
        for (const std::uint32_t type : memory_.types(requirements, use, description)) {
            auto made = memory_.create_dedicated(description, type, requirements.size_bytes);
            if (made) {
                sizes_.push_back({.resource = *made, .size_bytes = requirements.size_bytes});
                return Created{.resource = *made, .token = sizes_.size() - 1};
            }
            last = std::move(made.error());
        }
        return fail(std::move(last));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return create(description, use, model::OwnMemory::kAlways);
    }
    void release(const Created& created, TimelineValue last_use) override { releases_.add(last_use, created.token); }
    Status release_completed(TimelineValue completed) override {
        releases_.release_completed(completed, [this](std::uint64_t token) {
            memory_.destroy_dedicated(sizes_[token].resource, sizes_[token].size_bytes);
        });
        return {};
    }
    Status validate_invariants() const override { return {}; }

private:
    struct Made {
        device::ResourceId resource;
        std::uint64_t size_bytes = 0;
    };

    BaselineMemory memory_;
    std::vector<Made> sizes_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_one_each(device::Device& device, const model::DevicePolicy& policy,
                                                          std::uint64_t memory_limit_bytes) {
    return std::make_unique<OneEach>(device, policy, memory_limit_bytes);
}

// The Vulkan Memory Allocator's default pools, as vk_mem_alloc.h 3.2.1 runs them: policy/vma.hpp decides,
// this takes and gives back the memory and makes the resources. Memory types in the order of the policy's ranking.

namespace {

class VmaBlocks final : public policy::VmaAllocator::Blocks {
public:
    explicit VmaBlocks(BaselineMemory& memory) : memory_(memory) {}

    Status take(std::uint64_t block, std::uint32_t memory_type, std::uint64_t size_bytes) override {
        HEAPWRIGHT_ASSIGN(const device::AllocationId memory, memory_.take_block(memory_type, size_bytes));
        allocations_.emplace(block, memory);
        return {};
    }
    void give_back(std::uint64_t block, std::uint32_t, std::uint64_t size_bytes) override {
        memory_.give_back_block(allocations_.at(block), size_bytes);
        allocations_.erase(block);
    }
    std::uint64_t allocations() const override { return memory_.allocations(); }
    [[nodiscard]] device::AllocationId allocation_of(std::uint64_t block) const { return allocations_.at(block); }

private:
    BaselineMemory& memory_;
    std::unordered_map<std::uint64_t, device::AllocationId> allocations_;
};

class VmaDefault final : public AllocatorUnderTest {
public:
    VmaDefault(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
        : memory_(device, policy, limit_bytes), blocks_(memory_), allocator_(device.facts(), blocks_) {}

    ~VmaDefault() override {
        (void)release_completed(TimelineValue{~0ull});
        allocator_.give_back_blocks();
    }

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory own_memory) override {
        HEAPWRIGHT_ASSIGN(auto requirements, memory_.device().resources().requirements(description));
        // VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT
        if (own_memory == model::OwnMemory::kAlways) requirements.dedicated = model::Dedicated::kRequired;
        Made made;
        HEAPWRIGHT_ASSIGN(
            made.place, allocator_.allocate(
                            memory_.types(requirements, use, description),
                            {.requirements = requirements,
                             .is_optimal = model::resource_class(description, false) != model::ResourceClass::kLinear},
                            [&](std::uint32_t type) -> Status {
                                HEAPWRIGHT_ASSIGN(made.resource,
                                                  memory_.create_dedicated(description, type, requirements.size_bytes));
                                return {};
                            }));
        if (const auto& in_block = made.place.in_block) {
            auto resource = memory_.device().resources().create_placed(
                description, blocks_.allocation_of(in_block->block), in_block->offset_bytes);
            if (!resource) {
                allocator_.free(made.place);
                return fail(std::move(resource.error()));
            }
            made.resource = *resource;
        }
        made_.push_back(made);
        return Created{.resource = made.resource, .token = made_.size() - 1};
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return create(description, use, model::OwnMemory::kAlways);
    }
    void release(const Created& created, TimelineValue last_use) override { releases_.add(last_use, created.token); }
    Status release_completed(TimelineValue completed) override {
        releases_.release_completed(completed, [this](std::uint64_t token) { end(made_[token]); });
        return {};
    }
    Status validate_invariants() const override { return {}; }

private:
    struct Made {
        device::ResourceId resource;
        policy::VmaAllocator::Place place;
    };

    void end(const Made& made) {
        if (made.place.in_block)
            memory_.device().resources().destroy(made.resource);
        else
            memory_.destroy_dedicated(made.resource, made.place.size_bytes);
        allocator_.free(made.place);
    }

    BaselineMemory memory_;
    VmaBlocks blocks_;
    policy::VmaAllocator allocator_;
    std::vector<Made> made_;
    DelayedReleases releases_;
};

}  // namespace

Result<std::unique_ptr<AllocatorUnderTest>> make_vma_default(device::Device& device, const model::DevicePolicy& policy,
                                                             std::uint64_t memory_limit_bytes) {
    return std::make_unique<VmaDefault>(device, policy, memory_limit_bytes);
}

}  // namespace heapwright::validate
