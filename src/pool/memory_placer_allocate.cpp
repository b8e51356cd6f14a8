// The ways into memory: placements in chunks, memory of one's own, and the order in which other memory is tried.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/pool/memory_placer.hpp"

namespace heapwright::pool {
namespace {

Status check(const model::MemoryRequirements& requirements) {
    if (requirements.size_bytes == 0) return fail(ErrorCode::kInvalidArgument, "memory of zero bytes was asked for");
    if (!is_power_of_two(requirements.alignment_bytes)) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "alignment_bytes is no power of two",
                          .value = requirements.alignment_bytes});
    }
    return {};
}

}  // namespace

std::uint64_t MemoryPlacer::give_back(contract::Relief relief, std::uint32_t heap) {
    switch (relief) {
        case contract::Relief::kPreparedOfHeap: return give_back_prepared(heap);
        case contract::Relief::kPreparedOfAll: return give_back_prepared({});
        case contract::Relief::kEmptyOfHeap: return trim_heap(heap);
    }
    return 0;
}

Result<Placement> MemoryPlacer::allocate_in_type(std::span<const std::uint32_t> buckets,
                                                 const model::MemoryRequirements& requirements) {
    struct Memory {
        MemoryPlacer& placer;
        std::span<const std::uint32_t> buckets;
        const model::MemoryRequirements& wanted;
        Bucket& own = *placer.buckets_[buckets.front()];

        std::uint64_t give_back(contract::Relief relief) {
            return placer.give_back(relief, placer.heaps_.heap_of(own.memory_type()));
        }
        Result<Placement> allocate(std::uint64_t shrink) {
            return own.allocate(wanted.size_bytes, wanted.alignment_bytes, shrink);
        }
        std::uint64_t usual_chunk_bytes() const { return own.next_chunk_bytes(); }
        std::optional<Placement> allocate_beside() {
            for (const std::uint32_t larger : buckets.subspan(1)) {
                if (auto found = placer.buckets_[larger]->allocate_in_place(wanted.size_bytes, wanted.alignment_bytes))
                    return found;
            }
            return std::nullopt;
        }
    };
    return contract::try_memory_type(Memory{.placer = *this, .buckets = buckets, .wanted = requirements},
                                     requirements.size_bytes);
}

Result<Placement> MemoryPlacer::allocate(const model::MemoryRequirements& requirements,
                                         model::ResourceClass resource_class, model::MemoryUse use) {
    HEAPWRIGHT_TRY(check(requirements));
    if (contract::is_humongous(policy_, requirements.size_bytes)) {
        return fail(Error{.code = ErrorCode::kRefused,
                          .message = "the request is humongous under this policy: use allocate_dedicated",
                          .where = "size_bytes",
                          .value = requirements.size_bytes,
                          .limit = policy_.humongous_threshold_bytes.value});
    }
    std::string tried;
    for (const contract::BucketIndex::TypeBuckets& type : index_.candidates(resource_class, use)) {
        if (!contract::admits(requirements.memory_type_bits, type.memory_type)) continue;
        const auto buckets = contract::buckets_from(policy_.buckets, type.buckets, requirements.size_bytes,
                                                    requirements.alignment_bytes);
        if (buckets.empty()) continue;
        auto placement = allocate_in_type(buckets, requirements);
        if (contract::is_final(placement)) return placement;
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

std::string MemoryPlacer::describe_type(std::uint32_t memory_type, const Error& error) const {
    const std::uint32_t heap = heaps_.heap_of(MemoryTypeIndex{memory_type});
    const BudgetedHeaps::HeapState state = heaps_.state().heaps[heap];
    return fmt::format("[type {} in heap {}, {} of {} bytes reserved: {}]", memory_type, heap, state.reserved_bytes,
                       state.limit_bytes, to_string(error));
}

Result<DedicatedAllocation> MemoryPlacer::allocate_alone(const model::MemoryRequirements& requirements,
                                                         model::MemoryUse use,
                                                         const std::function<Status(MemoryTypeIndex)>& make) {
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
        if (!contract::admits(requirements.memory_type_bits, type)) continue;
        const MemoryTypeIndex memory_type{type};
        const std::uint32_t heap = heaps_.heap_of(memory_type);
        const Status taken = contract::try_with_relief([&](contract::Relief relief) { return give_back(relief, heap); },
                                                       [&] { return take_alone(requirements, memory_type, make); });
        if (taken) return DedicatedAllocation{.memory_type = memory_type, .size_bytes = requirements.size_bytes};
        if (contract::is_final(taken)) return fail(taken.error());
        tried += describe_type(type, taken.error());
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

Status MemoryPlacer::take_alone(const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type,
                                const std::function<Status(MemoryTypeIndex)>& make) {
    HEAPWRIGHT_TRY(heaps_.reserve(memory_type, requirements.size_bytes));
    if (Status made = make(memory_type); !made) {
        heaps_.unreserve(memory_type, requirements.size_bytes);
        return made;
    }
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[heaps_.heap_of(memory_type)] += requirements.size_bytes;
    ++dedicated_count_;
    return {};
}

}  // namespace heapwright::pool
