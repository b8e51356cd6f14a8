#include "pool/memory_placer.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "contract/chunks.hpp"
#include "contract/feasibility.hpp"
#include "core/checked.hpp"

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
      memory_(source.facts, source.memory, policy_, options.memory_limit_bytes, options.budget_reserve_share),
      dedicated_bytes_(source.facts.heaps.size(), 0) {
    for (std::uint32_t i = 0; i < policy_.buckets.size(); ++i) {
        buckets_.push_back(std::make_unique<Bucket>(policy_.buckets[i], memory_, bucket_options(source, i)));
    }
    for (std::size_t i = 0; i < timeline_count() * (buckets_.size() + 1); ++i)
        lanes_.push_back(std::make_unique<ReleaseLane>());
    for (const auto& bucket : buckets_) bucket->ask_background();
}

Bucket::Options MemoryPlacer::bucket_options(const Source& source, std::uint32_t index) const {
    const model::BucketPolicy& bucket = policy_.buckets[index];
    const BudgetedMemory::State state = memory_.state();
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
    if (release.timeline == 0)
        release.last_use = std::max(release.last_use, TimelineValue{recording_.load(std::memory_order_relaxed)});
    const auto lanes = lanes_of(release.timeline);
    ReleaseLane& lane = release.placement ? *lanes[release.placement->bucket] : *lanes.back();
    lane.add(std::move(release));
}

void MemoryPlacer::release(const Placement& placement, TimelineValue last_use) {
    lanes_of(0)[placement.bucket]->add({.placement = placement, .last_use = last_use});
}

std::optional<Placement> MemoryPlacer::end(const Release& release,
                                           const std::function<void(device::ResourceId)>& destroy) {
    if (release.resource) destroy(*release.resource);
    if (release.alias && !release.alias->leave()) return std::nullopt;
    if (!release.placement) free_alone(release.dedicated);
    return release.placement;
}

void MemoryPlacer::free_alone(const DedicatedAllocation& dedicated) {
    memory_.unreserve(dedicated.memory_type, dedicated.size_bytes);
    const std::lock_guard lock(dedicated_mutex_);
    dedicated_bytes_[memory_.heap_of(dedicated.memory_type)] -= dedicated.size_bytes;
    --dedicated_count_;
}

void MemoryPlacer::release_completed(ReleaseLane& lane, TimelineValue completed,
                                     const std::function<void(device::ResourceId)>& destroy, Status& first_error) {
    std::array<Release, kFreedAtOnce> ended;
    while (const std::size_t count = lane.take_completed(completed, ended)) {
        std::array<Placement, kFreedAtOnce> freed;  // all of the lane's bucket
        std::size_t freed_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (const auto placement = end(ended[i], destroy)) freed[freed_count++] = *placement;
        }
        if (freed_count == 0) continue;
        Status done = buckets_[freed.front().bucket]->free(std::span(freed).first(freed_count));
        if (!done && first_error) first_error = std::move(done);
    }
}

Status MemoryPlacer::release_completed(std::span<const TimelineValue> completed,
                                       const std::function<void(device::ResourceId)>& destroy) {
    Status first_error;
    for (std::uint32_t timeline = 0; timeline < completed.size() && timeline < timeline_count(); ++timeline) {
        for (const auto& lane : lanes_of(timeline)) release_completed(*lane, completed[timeline], destroy, first_error);
    }
    for (const auto& bucket : buckets_) bucket->age();
    if (collections_.fetch_add(1, std::memory_order_relaxed) % kCollectionsPerBudgetCheck == 0) {
        relieve_over_budget();
    }
    return first_error;
}

void MemoryPlacer::relieve_over_budget() try {
    const std::vector<std::uint32_t> over = memory_.over_budget();
    for (const std::uint32_t heap : over) trim_heap(heap);
    if (over.empty() || !options_.tell_budget_pressure) return;
    for (const std::uint32_t heap : memory_.over_budget()) tell_budget_pressure(heap, 0);
} catch (const std::bad_alloc&) {
    // The next check asks again.
}

std::uint64_t MemoryPlacer::give_back_prepared(std::optional<std::uint32_t> heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (!heap || memory_.heap_of(bucket->memory_type()) == *heap) given_back += bucket->give_back_prepared();
    }
    return given_back;
}

std::uint64_t MemoryPlacer::trim_heap(std::uint32_t heap) {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) {
        if (memory_.heap_of(bucket->memory_type()) == heap) given_back += bucket->trim();
    }
    return given_back;
}

std::uint64_t MemoryPlacer::trim() {
    std::uint64_t given_back = 0;
    for (const auto& bucket : buckets_) given_back += bucket->trim();
    return given_back;
}

std::uint64_t MemoryPlacer::pending_count() const {
    std::uint64_t count = 0;
    for (const auto& lane : lanes_) count += lane->count();
    return count;
}

std::uint64_t MemoryPlacer::pending_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& lane : lanes_) bytes += lane->bytes();
    return bytes;
}

// The ways into memory: placements in chunks, memory of one's own, and the order in which other memory is tried.

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
    const std::uint64_t before = memory_.state().heaps[heap].reserved_bytes;
    options_.tell_budget_pressure(memory_.pressure(heap, wanted_bytes));
    const std::uint64_t after = memory_.state().heaps[heap].reserved_bytes;
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
            return met == ErrorCode::kTooManyObjects || memory_.passes_limit_of_all(wanted_bytes) ? trim() : 0;
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
            return placer.give_back(relief, met, placer.memory_.heap_of(own.memory_type()),
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
    const std::uint32_t heap = memory_.heap_of(memory_type);
    HEAPWRIGHT_TRY(contract::try_with_relief(
        [&](contract::Relief relief, ErrorCode met) { return give_back(relief, met, heap, size_bytes); },
        [&] { return memory_.charge(memory_type, size_bytes, [&] { return make(memory_type); }); }));
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
    const BudgetedMemory::State state = memory_.state();
    for (const Attempt& attempt : tried) {
        const std::uint32_t heap = memory_.heap_of(MemoryTypeIndex{attempt.memory_type});
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

Result<DedicatedAllocation> MemoryPlacer::allocate_alone(const Request& request, MemoryTypeIndex memory_type,
                                                         const MakeAlone& make) {
    constexpr auto kOwn = contract::Treatment::kOwn;
    if (!may_try(request.requirements, kOwn)) return fail(objection(request.requirements, kOwn));
    return alone_in_type(request.requirements, memory_type, make);
}

// What a placer holds, and whether its books agree.

PoolFigures MemoryPlacer::figures() const {
    PoolFigures figures;
    const BudgetedMemory::State state = memory_.state();
    for (std::uint32_t heap = 0; heap < state.heaps.size(); ++heap) {
        figures.heaps.push_back({.heap = heap,
                                 .limit_bytes = std::min(state.heaps[heap].limit_bytes, state.limit_bytes),
                                 .reserved_bytes = state.heaps[heap].reserved_bytes,
                                 .used_bytes = state.heaps[heap].beside_bytes,
                                 .beside_bytes = state.heaps[heap].beside_bytes});
    }
    for (const auto& bucket : buckets_) {
        figures.buckets.push_back(bucket->figures());
        const suballoc::Figures& ranges = figures.buckets.back().suballocations;
        HeapFigures& heap = figures.heaps[memory_.heap_of(bucket->memory_type())];
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
    figures.beside_allocations = state.beside_allocations;
    figures.device_allocations = state.allocations;
    figures.device_allocation_calls = state.calls;
    for (const auto& lane : lanes_) {
        figures.pending_releases += lane->count();
        figures.pending_bytes += lane->bytes();
    }
    return figures;
}

Status MemoryPlacer::validate_invariants() const {
    std::vector<std::unique_lock<std::mutex>> paused;
    for (const auto& bucket : buckets_) paused.push_back(bucket->pause_background());
    for (const auto& bucket : buckets_) HEAPWRIGHT_TRY(bucket->validate_invariants());
    const PoolFigures sums = figures();
    std::vector<std::uint64_t> reserved(sums.heaps.size(), 0);
    std::uint64_t allocations = sums.dedicated_allocations + sums.beside_allocations;
    for (const BucketFigures& bucket : sums.buckets) {
        reserved[memory_.heap_of(MemoryTypeIndex{bucket.memory_type})] += bucket.reserved_bytes;
        allocations += bucket.chunks;
    }
    for (const HeapFigures& heap : sums.heaps) {
        const std::uint64_t expected = reserved[heap.heap] + heap.dedicated_bytes + heap.beside_bytes;
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
