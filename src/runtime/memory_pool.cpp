#include "heapwright/runtime/memory_pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::runtime {
namespace {

bool wants_other_memory(const Error& error) {
    switch (error.code) {
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kExhausted: return true;
        default: return false;
    }
}

std::uint64_t coherence_unit(const model::DeviceReport& facts, std::uint32_t memory_type) {
    const model::Flags flags = facts.memory_types[memory_type].property_flags;
    const bool needs_flush =
        (flags & model::memory_property::kHostVisible) != 0 && (flags & model::memory_property::kHostCoherent) == 0;
    return needs_flush ? facts.limit("nonCoherentAtomSize").value_or(1) : 1;
}

Status check(const model::MemoryRequirements& requirements) {
    if (requirements.size_bytes == 0) return fail(ErrorCode::kInvalidArgument, "memory of zero bytes was asked for");
    if (!is_power_of_two(requirements.alignment_bytes)) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "alignment_bytes is no power of two",
                          .value = requirements.alignment_bytes});
    }
    return {};
}

bool admits(const model::MemoryRequirements& requirements, std::uint32_t memory_type) {
    return memory_type < 32 && (requirements.memory_type_bits >> memory_type & 1u) != 0;
}

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
      heaps_(device, policy_, options.memory_limit_bytes),
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
            .empty_chunk_age = options.empty_chunk_age};
        buckets_.push_back(std::make_unique<Bucket>(bucket, heaps_, bucket_options));
        lanes_.push_back(std::make_unique<ReleaseLane>());
    }
    lanes_.push_back(std::make_unique<ReleaseLane>());
}

MemoryPool::~MemoryPool() {
    // The device is idle, so that every timeline value has passed. Books that disagree cannot be reported from here;
    // validate_invariants() is the place for that.
    (void)collect(TimelineValue{~0ull});
}

Result<Placement> MemoryPool::allocate_in_type(std::span<const std::uint32_t> buckets,
                                               const model::MemoryRequirements& requirements) {
    Bucket& own = *buckets_[buckets.front()];
    const std::uint64_t chunk_size = std::min(own.policy().chunk_size_bytes.value, largest_device_allocation());
    auto placement = own.allocate(requirements.size_bytes, requirements.alignment_bytes, chunk_size);
    if (placement || !wants_other_memory(placement.error())) return placement;

    if (trim_heap(heaps_.heap_of(own.memory_type())) != 0) {
        auto again = own.allocate(requirements.size_bytes, requirements.alignment_bytes, chunk_size);
        if (again || !wants_other_memory(again.error())) return again;
    }
    const std::uint64_t smallest = std::max(requirements.size_bytes, chunk_size / 16);
    for (std::uint64_t smaller = chunk_size / 2; smaller >= smallest; smaller /= 2) {
        auto fitted = own.allocate(requirements.size_bytes, requirements.alignment_bytes, smaller);
        if (fitted || !wants_other_memory(fitted.error())) return fitted;
    }
    for (const std::uint32_t larger_alignment : buckets.subspan(1)) {
        if (auto found =
                buckets_[larger_alignment]->allocate_in_place(requirements.size_bytes, requirements.alignment_bytes))
            return *found;
    }
    return placement;
}

Result<Placement> MemoryPool::allocate(const model::MemoryRequirements& requirements,
                                       model::ResourceClass resource_class, model::MemoryUse use) {
    HEAPWRIGHT_TRY(check(requirements));
    if (requirements.size_bytes > policy_.humongous_threshold_bytes.value) {
        return fail(Error{.code = ErrorCode::kRefused,
                          .message = "the request is humongous under this policy: use allocate_dedicated",
                          .where = "size_bytes",
                          .value = requirements.size_bytes,
                          .limit = policy_.humongous_threshold_bytes.value});
    }
    std::string tried;
    for (const BucketIndex::TypeBuckets& type : index_.candidates(resource_class, use)) {
        if (!admits(requirements, type.memory_type)) continue;
        const auto first = std::ranges::find_if(type.buckets, [&](std::uint32_t i) {
            return policy_.buckets[i].alignment_bytes >= requirements.alignment_bytes;
        });
        if (first == type.buckets.end()) continue;
        auto placement = allocate_in_type(std::span(first, type.buckets.end()), requirements);
        if (placement || !wants_other_memory(placement.error())) return placement;
        tried += describe_type(type.memory_type, placement.error());
    }
    if (tried.empty()) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = fmt::format("no bucket of the policy holds this class and use at alignment {} in "
                                                 "one of the memory types {:#x}",
                                                 requirements.alignment_bytes, requirements.memory_type_bits),
                          .value = requirements.size_bytes});
    }
    return fail(Error{.code = ErrorCode::kOutOfDeviceMemory,
                      .message = fmt::format("no memory type has room: {}; {} bytes wait for their timeline value",
                                             tried, pending_bytes()),
                      .value = requirements.size_bytes});
}

std::string MemoryPool::describe_type(std::uint32_t memory_type, const Error& error) const {
    const std::uint32_t heap = heaps_.heap_of(MemoryTypeIndex{memory_type});
    const BudgetedHeaps::HeapState state = heaps_.state().heaps[heap];
    return fmt::format("[type {} in heap {}, {} of {} bytes reserved: {}]", memory_type, heap, state.reserved_bytes,
                       state.limit_bytes, to_string(error));
}

Result<Resource> MemoryPool::create(const model::ResourceDescription& description, model::MemoryUse use) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    const bool ordinary = requirements.size_bytes <= policy_.humongous_threshold_bytes.value;
    const bool own_memory = requirements.dedicated == model::Dedicated::kRequired ||
                            (requirements.dedicated == model::Dedicated::kPreferred &&
                             policy_.dedicated.value == model::DedicatedRule::kWhenPreferred);
    if (ordinary && own_memory) return create_dedicated(description, requirements, use, 0.5f);

    const auto resource_class = model::resource_class(description, index_.separates_render_targets());
    HEAPWRIGHT_ASSIGN(const Placement placement, allocate(requirements, resource_class, use));
    auto id = device_.resources().create_placed(description, placement.heap, placement.offset_bytes);
    if (!id) {
        // The device never saw the range in use, so it is free at once.
        HEAPWRIGHT_TRY(buckets_[placement.bucket]->free(placement));
        return fail(std::move(id.error()));
    }
    Resource resource;
    resource.pool_ = this;
    resource.id_ = *id;
    resource.requirements_ = requirements;
    resource.placement_ = placement;
    return resource;
}

Result<Resource> MemoryPool::allocate_dedicated(const model::ResourceDescription& description, model::MemoryUse use,
                                                float priority) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    return create_dedicated(description, requirements, use, priority);
}

Result<Resource> MemoryPool::create_dedicated(const model::ResourceDescription& description,
                                              const model::MemoryRequirements& requirements, model::MemoryUse use,
                                              float priority) {
    HEAPWRIGHT_TRY(check(requirements));
    if (requirements.size_bytes > largest_device_allocation()) {
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "the resource is larger than any device allocation may be",
                          .where = "maxMemoryAllocationSize",
                          .value = requirements.size_bytes,
                          .limit = largest_device_allocation()});
    }
    std::string tried;
    for (const std::uint32_t type : index_.memory_types(use)) {
        if (!admits(requirements, type)) continue;
        const MemoryTypeIndex memory_type{type};
        auto resource = create_dedicated_in(description, requirements, memory_type, priority);
        if (!resource && wants_other_memory(resource.error()) && trim_heap(heaps_.heap_of(memory_type)) != 0)
            resource = create_dedicated_in(description, requirements, memory_type, priority);
        if (resource || !wants_other_memory(resource.error())) return resource;
        tried += describe_type(type, resource.error());
    }
    if (tried.empty()) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = fmt::format("none of the memory types {:#x} is ranked for this use",
                                                 requirements.memory_type_bits),
                          .value = requirements.size_bytes});
    }
    return fail(
        Error{.code = ErrorCode::kOutOfDeviceMemory,
              .message = fmt::format("no memory type has room for a dedicated allocation: {}; {} bytes wait for their "
                                     "timeline value",
                                     tried, pending_bytes()),
              .value = requirements.size_bytes});
}

Result<Resource> MemoryPool::create_dedicated_in(const model::ResourceDescription& description,
                                                 const model::MemoryRequirements& requirements,
                                                 MemoryTypeIndex memory_type, float priority) {
    HEAPWRIGHT_TRY(heaps_.reserve(memory_type, requirements.size_bytes));
    auto id = device_.resources().create_dedicated(description, memory_type, priority);
    if (!id) {
        heaps_.unreserve(memory_type, requirements.size_bytes);
        return fail(std::move(id.error()));
    }
    {
        const std::lock_guard lock(dedicated_mutex_);
        dedicated_bytes_[heaps_.heap_of(memory_type)] += requirements.size_bytes;
        ++dedicated_count_;
    }
    Resource resource;
    resource.pool_ = this;
    resource.id_ = *id;
    resource.requirements_ = requirements;
    resource.dedicated_ = {.memory_type = memory_type, .size_bytes = requirements.size_bytes};
    return resource;
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
    if (release.placement) return buckets_[release.placement->bucket]->free(*release.placement);
    heaps_.unreserve(release.dedicated.memory_type, release.dedicated.size_bytes);
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[heaps_.heap_of(release.dedicated.memory_type)] -= release.dedicated.size_bytes;
    --dedicated_count_;
    return {};
}

Status MemoryPool::collect(TimelineValue completed) {
    Status first_error;
    for (const auto& lane : lanes_) {
        while (const auto release = lane->take_completed(completed)) {
            Status ended = end(*release);
            if (!ended && first_error) first_error = std::move(ended);
        }
    }
    for (const auto& bucket : buckets_) bucket->age();
    return first_error;
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

std::uint64_t MemoryPool::largest_device_allocation() const {
    return device_.facts().limit("maxMemoryAllocationSize").value_or(~0ull);
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
        figures.heaps[heaps_.heap_of(bucket->memory_type())].used_bytes += figures.buckets.back().suballocations.used;
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

}  // namespace heapwright::runtime
