#include "heapwright/pool/memory_pool.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::pool {
namespace {

std::uint64_t coherence_unit(const model::DeviceReport& facts, std::uint32_t memory_type) {
    const model::Flags flags = facts.memory_types[memory_type].property_flags;
    const bool needs_flush =
        (flags & model::memory_property::kHostVisible) != 0 && (flags & model::memory_property::kHostCoherent) == 0;
    return needs_flush ? facts.limit("nonCoherentAtomSize").value_or(1) : 1;
}

// The pages of a replayed report are this machine's, not the device's.
bool is_host_visible(const model::DeviceReport& facts, std::uint32_t memory_type) {
    return (facts.memory_types[memory_type].property_flags & model::memory_property::kHostVisible) != 0;
}

// Asking the device for its budgets is a call of the driver.
constexpr std::uint64_t kCollectionsPerBudgetCheck = 16;

bool has_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class) {
    return std::ranges::find(bucket.resource_classes, resource_class) != bucket.resource_classes.end();
}

}  // namespace

Result<std::unique_ptr<MemoryPool>> MemoryPool::create(device::Device& device, const model::DevicePolicy& policy,
                                                       const PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(BucketIndex index, BucketIndex::create(device.facts(), policy));
    return std::unique_ptr<MemoryPool>(new MemoryPool(device, policy, std::move(index), options));
}

MemoryPool::MemoryPool(device::Device& device, const model::DevicePolicy& policy, BucketIndex index,
                       const PoolOptions& options)
    : device_(device),
      policy_(policy),
      index_(std::move(index)),
      options_(options),
      heaps_(device, policy_, options.memory_limit_bytes, options.budget_reserve_share),
      largest_device_allocation_(device.facts().limit("maxMemoryAllocationSize").value_or(~0ull)),
      dedicated_bytes_(device.facts().heaps.size(), 0) {
    const model::DeviceReport& facts = device.facts();
    const BudgetedHeaps::State state = heaps_.state();
    for (std::uint32_t i = 0; i < policy_.buckets.size(); ++i) {
        const model::BucketPolicy& bucket = policy_.buckets[i];
        const std::uint64_t usable =
            std::min(state.heaps[facts.memory_types[bucket.memory_type].heap_index].limit_bytes, state.limit_bytes);
        const Bucket::Options bucket_options{
            .index = i,
            .smallest_alignment_bytes = coherence_unit(facts, bucket.memory_type),
            .device_address = facts.feature("bufferDeviceAddress") && has_class(bucket, model::ResourceClass::kLinear),
            .kept_empty_bytes = static_cast<std::uint64_t>(static_cast<double>(usable) * options.kept_empty_share),
            .empty_chunk_age = options.empty_chunk_age,
            .priority = priority_of(bucket),
            .largest_chunk_bytes = largest_device_allocation_,
            .background = options.background,
            .touches = device.is_real() && is_host_visible(facts, bucket.memory_type)};
        buckets_.push_back(std::make_unique<Bucket>(bucket, heaps_, bucket_options));
        lanes_.push_back(std::make_unique<ReleaseLane>());
    }
    lanes_.push_back(std::make_unique<ReleaseLane>());
    for (const auto& bucket : buckets_) bucket->ask_background();
}

MemoryPool::~MemoryPool() {
    // The device is idle, so that every timeline value has passed. Books that disagree cannot be reported from here;
    // validate_invariants() is the place for that.
    (void)collect(TimelineValue{~0ull});
}

void MemoryPool::release(Release release) {
    release.last_use = std::max(release.last_use, TimelineValue{recording_.load(std::memory_order_relaxed)});
    ReleaseLane& lane = release.placement ? *lanes_[release.placement->bucket] : *lanes_.back();
    lane.add(std::move(release));
}

void MemoryPool::release(const Placement& placement, TimelineValue last_use) {
    lanes_[placement.bucket]->add({.placement = placement, .last_use = last_use});
}

Status MemoryPool::end(const Release& release) {
    if (release.resource) device_.resources().destroy(*release.resource);
    if (release.alias && !release.alias->leave()) return {};
    if (release.placement) return buckets_[release.placement->bucket]->free(*release.placement);
    heaps_.unreserve(release.dedicated.memory_type, release.dedicated.size_bytes);
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[heaps_.heap_of(release.dedicated.memory_type)] -= release.dedicated.size_bytes;
    --dedicated_count_;
    return {};
}

Status MemoryPool::collect(TimelineValue completed) {
    std::vector<Release> ended;
    for (const auto& lane : lanes_) lane->take_completed(completed, ended);
    Status first_error;
    for (const Release& release : ended) {
        Status done = end(release);
        if (!done && first_error) first_error = std::move(done);
    }
    for (const auto& bucket : buckets_) bucket->age();
    if (collections_.fetch_add(1, std::memory_order_relaxed) % kCollectionsPerBudgetCheck == 0) relieve_device_budget();
    return first_error;
}

void MemoryPool::relieve_device_budget() {
    for (const std::uint32_t heap : heaps_.over_budget()) trim_heap(heap);
}

std::uint64_t MemoryPool::give_back_prepared_in(std::uint32_t heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (heaps_.heap_of(bucket->memory_type()) == heap) given_back += bucket->give_back_prepared();
    }
    return given_back;
}

std::uint64_t MemoryPool::give_back_prepared_in_all(std::uint32_t) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) given_back += bucket->give_back_prepared();
    return given_back;
}

std::uint64_t MemoryPool::trim_heap(std::uint32_t heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (heaps_.heap_of(bucket->memory_type()) == heap) given_back += bucket->trim();
    }
    return given_back;
}

std::uint64_t MemoryPool::trim() {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) given_back += bucket->trim();
    return given_back;
}

std::uint64_t MemoryPool::pending_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& lane : lanes_) bytes += lane->bytes();
    return bytes;
}

Result<std::span<std::byte>> MemoryPool::map(const Resource& resource) {
    if (!resource) return fail(ErrorCode::kInvalidArgument, "an empty resource was to be mapped");
    if (resource.is_dedicated()) return device_.resources().map_dedicated(resource.id());
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> heap, device_.heaps().map(resource.placement()->heap));
    return heap.subspan(resource.placement()->offset_bytes, resource.requirements().size_bytes);
}

PoolFigures MemoryPool::figures() const {
    PoolFigures figures;
    const BudgetedHeaps::State state = heaps_.state();
    for (std::uint32_t heap = 0; heap < state.heaps.size(); ++heap) {
        figures.heaps.push_back({.heap = heap,
                                 .limit_bytes = std::min(state.heaps[heap].limit_bytes, state.limit_bytes),
                                 .reserved_bytes = state.heaps[heap].reserved_bytes});
    }
    for (const auto& bucket : buckets_) {
        figures.buckets.push_back(bucket->figures());
        const suballoc::Figures& ranges = figures.buckets.back().suballocations;
        HeapFigures& heap = figures.heaps[heaps_.heap_of(bucket->memory_type())];
        heap.used_bytes += ranges.used;
        heap.suballocations += ranges;
        figures.suballocations += ranges;
        figures.preparation += figures.buckets.back().preparation;
    }
    {
        const std::lock_guard lock(dedicated_mutex_);
        for (std::size_t heap = 0; heap < dedicated_bytes_.size(); ++heap) {
            figures.heaps[heap].dedicated_bytes = dedicated_bytes_[heap];
            figures.heaps[heap].used_bytes += dedicated_bytes_[heap];
        }
        figures.dedicated_allocations = dedicated_count_;
    }
    figures.device_allocations = state.allocations;
    figures.device_allocation_calls = state.calls;
    for (const auto& lane : lanes_) {
        figures.pending_releases += lane->count();
        figures.pending_bytes += lane->bytes();
    }
    return figures;
}

Status MemoryPool::validate_invariants() const {
    std::vector<std::unique_lock<std::mutex>> paused;
    for (const auto& bucket : buckets_) paused.push_back(bucket->pause_background());
    for (const auto& bucket : buckets_) HEAPWRIGHT_TRY(bucket->validate_invariants());
    const PoolFigures sums = figures();
    std::vector<std::uint64_t> reserved(sums.heaps.size(), 0);
    std::uint64_t allocations = sums.dedicated_allocations;
    for (const BucketFigures& bucket : sums.buckets) {
        reserved[heaps_.heap_of(MemoryTypeIndex{bucket.memory_type})] += bucket.reserved_bytes;
        allocations += bucket.chunks;
    }
    for (const HeapFigures& heap : sums.heaps) {
        const std::uint64_t expected = reserved[heap.heap] + heap.dedicated_bytes;
        if (heap.reserved_bytes != expected) {
            return fail(Error{.code = ErrorCode::kInvariantBroken,
                              .message = fmt::format("heap {} is charged with other bytes than its chunks and "
                                                     "dedicated allocations hold",
                                                     heap.heap),
                              .value = heap.reserved_bytes,
                              .limit = expected});
        }
    }
    if (sums.device_allocations != allocations) {
        return fail(Error{.code = ErrorCode::kInvariantBroken,
                          .message = "the count of device allocations is not that of chunks and dedicated allocations",
                          .value = sums.device_allocations,
                          .limit = allocations});
    }
    return {};
}

}  // namespace heapwright::pool
