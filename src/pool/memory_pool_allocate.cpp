// The ways into a memory pool: placements in chunks, dedicated and aliasing allocations, and the order in which other
// memory is tried.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"
#include "heapwright/pool/memory_pool.hpp"

namespace heapwright::pool {
namespace {

// The smallest chunk tried under pressure is this part of the usual one; then one of the request's own size.
constexpr std::uint64_t kLargestShrink = 16;

bool wants_other_memory(const Error& error) {
    switch (error.code) {
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kExhausted: return true;
        default: return false;
    }
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

}  // namespace

template <class Attempt>
auto MemoryPool::retry_relieved(std::uint32_t heap, Attempt attempt, decltype(attempt()) failed) {
    constexpr std::array kSteps{&MemoryPool::give_back_prepared_in, &MemoryPool::give_back_prepared_in_all,
                                &MemoryPool::trim_heap};
    for (const auto give_back : kSteps) {
        if (failed || !wants_other_memory(failed.error())) break;
        if ((this->*give_back)(heap) != 0) failed = attempt();
    }
    return failed;
}

Result<Placement> MemoryPool::allocate_in_type(std::span<const std::uint32_t> buckets,
                                               const model::MemoryRequirements& requirements) {
    Bucket& own = *buckets_[buckets.front()];
    const auto attempt = [&] { return own.allocate(requirements.size_bytes, requirements.alignment_bytes); };
    auto placement = retry_relieved(heaps_.heap_of(own.memory_type()), attempt, attempt());
    if (placement || !wants_other_memory(placement.error())) return placement;

    const std::uint64_t chunk_size = own.next_chunk_bytes();
    for (std::uint64_t shrink = 2; shrink <= kLargestShrink && chunk_size / shrink > requirements.size_bytes;
         shrink *= 2) {
        auto fitted = own.allocate(requirements.size_bytes, requirements.alignment_bytes, shrink);
        if (fitted || !wants_other_memory(fitted.error())) return fitted;
    }
    if (chunk_size > requirements.size_bytes) {
        auto fitted = own.allocate(requirements.size_bytes, requirements.alignment_bytes, chunk_size);
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
            return policy_.buckets[i].alignment_bytes >= requirements.alignment_bytes &&
                   ChunkSpace::can_hold(policy_.buckets[i], requirements.size_bytes, requirements.alignment_bytes);
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

bool MemoryPool::passes_dedicated_threshold(const model::MemoryRequirements& requirements,
                                            model::ResourceClass resource_class, model::MemoryUse use) const {
    for (const BucketIndex::TypeBuckets& type : index_.candidates(resource_class, use)) {
        if (!admits(requirements, type.memory_type)) continue;
        for (const std::uint32_t bucket : type.buckets) {
            if (policy_.buckets[bucket].alignment_bytes < requirements.alignment_bytes) continue;
            const auto& threshold = policy_.buckets[bucket].dedicated_threshold_bytes;
            return threshold && requirements.size_bytes > threshold->value;
        }
    }
    return false;
}

Result<Resource> MemoryPool::create(const model::ResourceDescription& description, model::MemoryUse use) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    const auto resource_class = model::resource_class(description, index_.separates_render_targets());
    const bool ordinary = requirements.size_bytes <= policy_.humongous_threshold_bytes.value;
    const bool required = requirements.dedicated == model::Dedicated::kRequired;
    const bool preferred = (requirements.dedicated == model::Dedicated::kPreferred &&
                            policy_.dedicated.value == model::DedicatedRule::kWhenPreferred) ||
                           passes_dedicated_threshold(requirements, resource_class, use);
    if (ordinary && (required || preferred)) {
        auto resource = create_dedicated(description, requirements, use, {});
        if (resource || required || !wants_other_memory(resource.error())) return resource;
    }
    HEAPWRIGHT_ASSIGN(const Placement placement, allocate(requirements, resource_class, use));
    return place(description, requirements, placement);
}

Result<Resource> MemoryPool::place(const model::ResourceDescription& description,
                                   const model::MemoryRequirements& requirements, const Placement& placement) {
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

Result<Resource> MemoryPool::create_at(const model::ResourceDescription& description,
                                       const model::MemoryRequirements& requirements, std::size_t bucket,
                                       std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Placement placement, buckets_[bucket]->allocate_at(chunk, offset_bytes, size_bytes));
    return place(description, requirements, placement);
}

Result<std::vector<Resource>> MemoryPool::allocate_aliasing(std::span<const model::ResourceDescription> descriptions,
                                                            model::MemoryUse use) {
    if (descriptions.size() < 2) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "aliasing takes at least two resources",
                          .value = descriptions.size(),
                          .limit = 2});
    }
    model::MemoryRequirements shared{.memory_type_bits = ~0u};
    const auto resource_class = model::resource_class(descriptions.front(), index_.separates_render_targets());
    std::vector<model::MemoryRequirements> each;
    for (const model::ResourceDescription& description : descriptions) {
        if (model::resource_class(description, index_.separates_render_targets()) != resource_class)
            return fail(ErrorCode::kInvalidArgument, "resources of different classes cannot share a placement");
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements one, device_.resources().requirements(description));
        if (one.dedicated == model::Dedicated::kRequired)
            return fail(ErrorCode::kNotSupported, "a resource that requires a dedicated allocation cannot share one");
        shared.size_bytes = std::max(shared.size_bytes, one.size_bytes);
        shared.alignment_bytes = std::max(shared.alignment_bytes, one.alignment_bytes);
        shared.memory_type_bits &= one.memory_type_bits;
        each.push_back(one);
    }
    HEAPWRIGHT_ASSIGN(const Placement placement, allocate(shared, resource_class, use));
    std::vector<device::ResourceId> ids;
    for (const model::ResourceDescription& description : descriptions) {
        auto id = device_.resources().create_placed(description, placement.heap, placement.offset_bytes);
        if (!id) {
            for (const device::ResourceId made : ids) device_.resources().destroy(made);
            HEAPWRIGHT_TRY(buckets_[placement.bucket]->free(placement));
            return fail(std::move(id.error()));
        }
        ids.push_back(*id);
    }
    const auto group = std::make_shared<AliasGroup>(ids.size());
    std::vector<Resource> resources(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        resources[i].pool_ = this;
        resources[i].id_ = ids[i];
        resources[i].requirements_ = each[i];
        resources[i].placement_ = placement;
        resources[i].alias_ = group;
    }
    return resources;
}

float MemoryPool::priority_of(const model::BucketPolicy& bucket) const {
    if (options_.chunk_priority) return options_.chunk_priority(bucket);
    return bucket.priority ? static_cast<float>(bucket.priority->value) : 0.5f;
}

float MemoryPool::dedicated_priority(const model::ResourceDescription& description,
                                     const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type) const {
    const auto resource_class = model::resource_class(description, index_.separates_render_targets());
    const model::BucketPolicy* best = nullptr;
    for (const model::BucketPolicy& bucket : policy_.buckets) {
        if (bucket.memory_type != memory_type.value ||
            std::ranges::find(bucket.resource_classes, resource_class) == bucket.resource_classes.end()) {
            continue;
        }
        // The smallest alignment that is not below its own, else the largest.
        const std::uint64_t mine = bucket.alignment_bytes;
        const std::uint64_t wanted = requirements.alignment_bytes;
        if (best == nullptr || (mine >= wanted ? best->alignment_bytes < wanted || mine < best->alignment_bytes
                                               : mine > best->alignment_bytes && best->alignment_bytes < wanted)) {
            best = &bucket;
        }
    }
    return best == nullptr ? 0.5f : priority_of(*best);
}

Result<Resource> MemoryPool::allocate_dedicated(const model::ResourceDescription& description, model::MemoryUse use,
                                                std::optional<float> priority) {
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    return create_dedicated(description, requirements, use, priority);
}

Result<Resource> MemoryPool::create_dedicated(const model::ResourceDescription& description,
                                              const model::MemoryRequirements& requirements, model::MemoryUse use,
                                              std::optional<float> priority) {
    HEAPWRIGHT_TRY(check(requirements));
    if (requirements.size_bytes > largest_device_allocation_) {
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "the resource is larger than any device allocation may be",
                          .where = "maxMemoryAllocationSize",
                          .value = requirements.size_bytes,
                          .limit = largest_device_allocation_});
    }
    std::string tried;
    for (const std::uint32_t type : index_.memory_types(use)) {
        if (!admits(requirements, type)) continue;
        const MemoryTypeIndex memory_type{type};
        const auto attempt = [&] {
            return create_dedicated_in(
                description, requirements, memory_type,
                priority ? *priority : dedicated_priority(description, requirements, memory_type));
        };
        auto resource = retry_relieved(heaps_.heap_of(memory_type), attempt, attempt());
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

}  // namespace heapwright::pool
