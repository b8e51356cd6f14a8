// The ways into memory: placements in chunks, memory of one's own, and the order in which other memory is tried.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "core/checked.hpp"
#include "pool/memory_placer.hpp"

namespace heapwright::pool {

bool MemoryPlacer::may_try(const model::MemoryRequirements& requirements, contract::Treatment treatment) const {
    return treatment != contract::Treatment::kRefused && requirements.size_bytes != 0 &&
           is_power_of_two(requirements.alignment_bytes) && requirements.size_bytes <= largest_device_allocation_;
}

Error MemoryPlacer::objection(const model::MemoryRequirements& requirements, contract::Treatment treatment) const {
    if (treatment == contract::Treatment::kRefused) {
        return {.code = ErrorCode::kRefused,
                .message =
                    "the request is humongous, and the policy's rule for those is to refuse: use "
                    "allocate_dedicated",
                .where = "size_bytes",
                .value = requirements.size_bytes,
                .limit = policy_.humongous_threshold_bytes.value};
    }
    if (requirements.size_bytes == 0)
        return {.code = ErrorCode::kInvalidArgument, .message = "memory of zero bytes was asked for"};
    if (!is_power_of_two(requirements.alignment_bytes)) {
        return {.code = ErrorCode::kInvalidArgument,
                .message = "alignment_bytes is no power of two",
                .value = requirements.alignment_bytes};
    }
    return {.code = ErrorCode::kOutOfRange,
            .message = "the resource is larger than any device allocation may be",
            .where = "maxMemoryAllocationSize",
            .value = requirements.size_bytes,
            .limit = largest_device_allocation_};
}

std::uint64_t MemoryPlacer::tell_budget_pressure(std::uint32_t heap, std::uint64_t wanted_bytes) {
    if (!options_.tell_budget_pressure) return 0;
    const std::uint64_t before = heaps_.state().heaps[heap].reserved_bytes;
    options_.tell_budget_pressure(heaps_.pressure(heap, wanted_bytes));
    const std::uint64_t after = heaps_.state().heaps[heap].reserved_bytes;
    return before > after ? before - after : 0;
}

std::uint64_t MemoryPlacer::give_back(contract::Relief relief, ErrorCode met, std::uint32_t heap,
                                      std::uint64_t wanted_bytes) {
    using contract::Relief;
    const bool over_budget = met == ErrorCode::kOverBudget;
    const bool keeps = over_budget && options_.on_budget_pressure == OnBudgetPressure::kSpill;
    if (keeps && relief != Relief::kOfApplication) return 0;
    switch (relief) {
        case Relief::kPreparedOfHeap: return give_back_prepared(heap);
        case Relief::kPreparedOfAll: return give_back_prepared({});
        case Relief::kEmptyOfHeap: return trim_heap(heap);
        case Relief::kEmptyOfAll:
            return met == ErrorCode::kTooManyObjects || heaps_.passes_limit_of_all(wanted_bytes) ? trim() : 0;
        case Relief::kOfApplication: return over_budget ? tell_budget_pressure(heap, wanted_bytes) : 0;
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

        std::uint64_t give_back(contract::Relief relief, ErrorCode met) {
            return placer.give_back(relief, met, placer.heaps_.heap_of(own.memory_type()),
                                    std::max(usual_chunk_bytes(), wanted.size_bytes));
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

Result<DedicatedAllocation> MemoryPlacer::alone_in_type(const model::MemoryRequirements& requirements,
                                                        MemoryTypeIndex memory_type, const MakeAlone& make) {
    const std::uint64_t size_bytes = requirements.size_bytes;
    const std::uint32_t heap = heaps_.heap_of(memory_type);
    HEAPWRIGHT_TRY(contract::try_with_relief(
        [&](contract::Relief relief, ErrorCode met) { return give_back(relief, met, heap, size_bytes); },
        [&] { return heaps_.charge(memory_type, size_bytes, [&] { return make(memory_type); }); }));
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[heap] += size_bytes;
    ++dedicated_count_;
    return DedicatedAllocation{.memory_type = memory_type, .size_bytes = size_bytes};
}

template <class Made, class InType>
Result<Made> MemoryPlacer::in_first_type(const Request& request, contract::Treatment treatment, InType&& in_type) {
    if (!may_try(request.requirements, treatment)) return fail(objection(request.requirements, treatment));
    std::vector<Attempt> tried;
    contract::TypeWalk walk(policy_, index_, request, treatment);
    while (const auto step = walk.next()) {
        Result<Made> made = in_type(*step);
        if (contract::is_final(made)) return made;
        if (made.error().code == ErrorCode::kOverBudget && options_.on_budget_pressure == OnBudgetPressure::kFail)
            return made;
        tried.push_back({.memory_type = step->memory_type, .error = std::move(made.error())});
    }
    return fail(no_room(request, tried));
}

Error MemoryPlacer::no_room(const Request& request, const std::vector<Attempt>& tried) const {
    const model::MemoryRequirements& requirements = request.requirements;
    if (tried.empty()) {
        return {.code = ErrorCode::kNotSupported,
                .message = fmt::format("the policy ranks none of the memory types {:#x} for this class and use at "
                                       "alignment {}",
                                       requirements.memory_type_bits, requirements.alignment_bytes),
                .where = {},
                .value = requirements.size_bytes};
    }
    std::string all;
    const BudgetedHeaps::State state = heaps_.state();
    for (const Attempt& attempt : tried) {
        const std::uint32_t heap = heaps_.heap_of(MemoryTypeIndex{attempt.memory_type});
        all += fmt::format("[type {} in heap {}, {} of {} bytes reserved: {}]", attempt.memory_type, heap,
                           state.heaps[heap].reserved_bytes, state.heaps[heap].limit_bytes, to_string(attempt.error));
    }
    return {.code = ErrorCode::kOutOfDeviceMemory,
            .message = fmt::format("no memory type has room: {}; {} bytes wait for their timeline value", all,
                                   pending_bytes()),
            .where = {},
            .value = requirements.size_bytes};
}

Result<MemoryPlacer::Placed> MemoryPlacer::place(const Request& request, const MakeAlone& make) {
    const model::MemoryRequirements& requirements = request.requirements;
    return in_first_type<Placed>(
        request, contract::treatment_of(policy_, requirements, request.own_memory),
        [&](const contract::TypeWalk::Step& step) -> Result<Placed> {
            if (step.plan.own_first) {
                auto alone = alone_in_type(requirements, MemoryTypeIndex{step.memory_type}, make);
                if (step.plan.buckets.empty() || contract::is_final(alone))
                    return std::move(alone).map([](DedicatedAllocation made) { return Placed(made); });
            }
            return allocate_in_type(step.plan.buckets, requirements).map([](const Placement& made) {
                return Placed(made);
            });
        });
}

Result<Placement> MemoryPlacer::allocate(const Request& request) {
    const bool refused = contract::refuses(policy_, request.requirements.size_bytes);
    return in_first_type<Placement>(request, refused ? contract::Treatment::kRefused : contract::Treatment::kInChunk,
                                    [&](const contract::TypeWalk::Step& step) {
                                        return allocate_in_type(step.plan.buckets, request.requirements);
                                    });
}

Result<DedicatedAllocation> MemoryPlacer::allocate_alone(const Request& request, const MakeAlone& make) {
    return in_first_type<DedicatedAllocation>(
        request, contract::Treatment::kOwn, [&](const contract::TypeWalk::Step& step) {
            return alone_in_type(request.requirements, MemoryTypeIndex{step.memory_type}, make);
        });
}

}  // namespace heapwright::pool
