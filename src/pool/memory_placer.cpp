#include "pool/memory_placer.hpp"

#include <algorithm>
#include <utility>

#include "contract/ageing.hpp"
#include "contract/bucket_choice.hpp"
#include "contract/device_limits.hpp"

namespace heapwright::pool {
namespace {

std::uint64_t coherence_unit(const model::DeviceReport& facts, std::uint32_t memory_type) {
    const model::Flags flags = facts.memory_types[memory_type].property_flags;
    const bool needs_flush =
        (flags & model::memory_property::kHostVisible) != 0 && (flags & model::memory_property::kHostCoherent) == 0;
    return needs_flush ? contract::flush_unit_bytes(facts) : 1;
}

// The pages of a replayed report are this machine's, not the device's.
bool is_host_visible(const model::DeviceReport& facts, std::uint32_t memory_type) {
    return (facts.memory_types[memory_type].property_flags & model::memory_property::kHostVisible) != 0;
}

// Asking the device for its budgets is a call of the driver.
constexpr std::uint64_t kCollectionsPerBudgetCheck = 16;

// A bucket's lock is held for so many: other threads wait for it.
constexpr std::size_t kFreedAtOnce = 64;

}  // namespace

MemoryPlacer::MemoryPlacer(const Source& source, const model::DevicePolicy& policy, contract::BucketIndex index,
                           const PoolOptions& options)
    : policy_(policy),
      index_(std::move(index)),
      options_(options),
      largest_device_allocation_(contract::largest_allocation_bytes(source.facts)),
      heaps_(source.facts, source.heaps, policy_, options.memory_limit_bytes, options.budget_reserve_share),
      dedicated_bytes_(source.facts.heaps.size(), 0) {
    for (std::uint32_t i = 0; i < policy_.buckets.size(); ++i) {
        buckets_.push_back(std::make_unique<Bucket>(policy_.buckets[i], heaps_, bucket_options(source, i)));
        lanes_.push_back(std::make_unique<ReleaseLane>());
    }
    lanes_.push_back(std::make_unique<ReleaseLane>());
    for (const auto& bucket : buckets_) bucket->ask_background();
}

Bucket::Options MemoryPlacer::bucket_options(const Source& source, std::uint32_t index) const {
    const model::BucketPolicy& bucket = policy_.buckets[index];
    const BudgetedHeaps::State state = heaps_.state();
    const std::uint64_t usable =
        std::min(state.heaps[source.facts.memory_types[bucket.memory_type].heap_index].limit_bytes, state.limit_bytes);
    return {.chunks = {.index = index,
                       .smallest_alignment_bytes = coherence_unit(source.facts, bucket.memory_type),
                       .empty_chunk_age = options_.empty_chunk_age,
                       .beyond_share_age = options_.kept_empty_share > 0 ? contract::kBeyondShareAge : 0,
                       .largest_chunk_bytes = largest_device_allocation_},
            .device_address = source.facts.feature("bufferDeviceAddress") &&
                              contract::holds_class(bucket, model::ResourceClass::kLinear),
            .kept_empty_bytes = contract::most_kept_empty_bytes(usable, options_.kept_empty_share),
            .priority = priority_of(bucket),
            .background = options_.background,
            .touches = source.is_real && is_host_visible(source.facts, bucket.memory_type)};
}

float MemoryPlacer::priority_of(const model::BucketPolicy& bucket) const {
    if (options_.chunk_priority) return options_.chunk_priority(bucket);
    return bucket.priority ? static_cast<float>(bucket.priority->value) : 0.5f;
}

float MemoryPlacer::priority_alone(const model::MemoryRequirements& requirements, model::ResourceClass resource_class,
                                   MemoryTypeIndex memory_type) const {
    const model::BucketPolicy* beside = contract::bucket_beside(policy_.buckets, index_, resource_class,
                                                                memory_type.value, requirements.alignment_bytes);
    return beside == nullptr ? 0.5f : priority_of(*beside);
}

void MemoryPlacer::release(Release release) {
    release.last_use = std::max(release.last_use, TimelineValue{recording_.load(std::memory_order_relaxed)});
    ReleaseLane& lane = release.placement ? *lanes_[release.placement->bucket] : *lanes_.back();
    lane.add(std::move(release));
}

void MemoryPlacer::release(const Placement& placement, TimelineValue last_use) {
    lanes_[placement.bucket]->add({.placement = placement, .last_use = last_use});
}

void MemoryPlacer::end(const Release& release, const std::function<void(device::ResourceId)>& destroy,
                       std::vector<Placement>& freed, Status& first_error) {
    if (release.resource) destroy(*release.resource);
    if (release.alias && !release.alias->leave()) return;
    if (release.placement) {
        const bool is_of_another = !freed.empty() && freed.back().bucket != release.placement->bucket;
        if (is_of_another || freed.size() == kFreedAtOnce) free(freed, first_error);
        freed.push_back(*release.placement);
        return;
    }
    free_alone(release.dedicated);
}

void MemoryPlacer::free(std::vector<Placement>& freed, Status& first_error) {
    if (freed.empty()) return;
    Status done = buckets_[freed.front().bucket]->free(freed);
    if (!done && first_error) first_error = std::move(done);
    freed.clear();
}

void MemoryPlacer::free_alone(const DedicatedAllocation& dedicated) {
    heaps_.unreserve(dedicated.memory_type, dedicated.size_bytes);
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[heaps_.heap_of(dedicated.memory_type)] -= dedicated.size_bytes;
    --dedicated_count_;
}

Status MemoryPlacer::release_completed(TimelineValue completed,
                                       const std::function<void(device::ResourceId)>& destroy) {
    std::vector<Release> ended;
    for (const auto& lane : lanes_) lane->release_completed(completed, ended);
    Status first_error;
    std::vector<Placement> freed;  // of one bucket, whose lane gave them one after another
    for (const Release& release : ended) end(release, destroy, freed, first_error);
    free(freed, first_error);
    for (const auto& bucket : buckets_) bucket->age();
    if (collections_.fetch_add(1, std::memory_order_relaxed) % kCollectionsPerBudgetCheck == 0) {
        relieve_over_budget();
    }
    return first_error;
}

void MemoryPlacer::relieve_over_budget() {
    const std::vector<std::uint32_t> over = heaps_.over_budget();
    for (const std::uint32_t heap : over) trim_heap(heap);
    if (over.empty() || !options_.tell_budget_pressure) return;
    for (const std::uint32_t heap : heaps_.over_budget()) tell_budget_pressure(heap, 0);
}

std::uint64_t MemoryPlacer::give_back_prepared(std::optional<std::uint32_t> heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (!heap || heaps_.heap_of(bucket->memory_type()) == *heap) given_back += bucket->give_back_prepared();
    }
    return given_back;
}

std::uint64_t MemoryPlacer::trim_heap(std::uint32_t heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (heaps_.heap_of(bucket->memory_type()) == heap) given_back += bucket->trim();
    }
    return given_back;
}

std::uint64_t MemoryPlacer::trim() {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) given_back += bucket->trim();
    return given_back;
}

std::uint64_t MemoryPlacer::pending_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& lane : lanes_) bytes += lane->bytes();
    return bytes;
}

}  // namespace heapwright::pool
