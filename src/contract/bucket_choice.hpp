// Which bucket of a policy takes a request: of the memory types ranked for its use, in that order, the first that the
// request admits and that has a bucket for it; of that type's buckets the one with the smallest alignment S that is not
// below the request's own and whose chunks can hold it. Buckets of larger S come behind it. Where the request's
// alignment is above every S, the bucket of the largest S whose suballocator chooses offsets by alignment: all kinds
// but slots.
// And what gets a device allocation of its own instead of a place in a chunk, and what the ordinary interface refuses:
//   0  the caller wants memory of its own: as 1; or none: as 3 b, whatever the driver prefers, unless it requires one
//   or
//      the policy refuses what is humongous; a type without a bucket is passed over
//   1  the driver requires one: its own, in the first memory type with room
//   2  humongous (larger than the policy's threshold): its own, too; refused where the policy's rule says so, then
//      asked for by name it gets its own
//   3  all others: the memory types ranked for the use, each finished before the next. In one type
//      a  the driver prefers one and the policy follows, or the bucket that takes it has a
//         dedicated threshold below its size: its own in this type; where there is no room for that, b
//      b  the bucket, as said above
//      c  the type has no bucket for it: its own in this type
// Sizes in bytes. Pure and thread-safe; no errors.
// Source: "Vulkan Memory Allocation (Part 1 of N)": sub-allocate from an allocation made for alignment S and memory
// type T.
// Beside it: the index by which buckets are found, and the order in which memory is tried.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heapwright/core/error.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::contract {

// Which buckets of a policy may serve a request, best first: the memory types that the policy ranks for the use, in
// that order, and for each the buckets of the class, smallest alignment S first. Transient attachments have the lazily
// allocated types before them, in the device's order; those that need a feature enabled first, or whose heap the policy
// leaves nothing, are left out. Optimal images that the host fills or reads have the types of device-only memory behind
// them: the host does not know the order of their texels, so that it reaches them by copies whatever memory they have.
// Immutable, so thread-safe. Errors: create() gives kInvalidArgument when the policy does not fit the device (unknown
// memory type or heap, sizes that are zero or no power of two, classes mixed against bufferImageGranularity).

// What a device and a policy say of memory types. Without heaps their flags are not known, without types nothing of
// them.
struct RankedMemory {
    std::span<const model::MemoryType> types;
    std::span<const model::MemoryHeap> heaps;
    std::span<const model::HeapPolicy> heap_policies;
    std::span<const model::MemoryUsePolicy> uses;
};
// Those that transient attachments may use, and nothing else.
[[nodiscard]] std::vector<std::uint32_t> lazily_allocated_types(const RankedMemory& memory);
// All that may hold the class, in the order of trying.
[[nodiscard]] std::vector<std::uint32_t> types_in_order(const RankedMemory& memory, model::ResourceClass resource_class,
                                                        model::MemoryUse use, bool transient_attachment = false);

class BucketIndex {
public:
    // The buckets of a class in one memory type, ascending in S. It may have none.
    struct TypeBuckets {
        std::uint32_t memory_type = 0;
        std::vector<std::uint32_t> buckets;
    };

    [[nodiscard]] static Result<BucketIndex> create(const model::DeviceReport& facts,
                                                    const model::DevicePolicy& policy);
    // What the policy says, whatever the device; for policies that are read and not carried out.
    [[nodiscard]] static BucketIndex of(const model::DevicePolicy& policy);

    // Every memory type that may be tried, in the order of trying.
    [[nodiscard]] std::span<const TypeBuckets> candidates(model::ResourceClass resource_class, model::MemoryUse use,
                                                          bool transient_attachment = false) const {
        const auto& tables = transient_attachment ? transient_table_ : table_;
        return tables[static_cast<std::size_t>(resource_class)][static_cast<std::size_t>(use)];
    }

    // The buckets of a class in one memory type, ascending in S, whatever uses rank the type.
    [[nodiscard]] std::span<const std::uint32_t> buckets(model::ResourceClass resource_class,
                                                         std::uint32_t memory_type) const;

    // Whether the policy keeps render targets apart (Direct3D 12 resource heap tier 1).
    [[nodiscard]] bool separates_render_targets() const { return separates_render_targets_; }

private:
    [[nodiscard]] static BucketIndex over(const model::DevicePolicy& policy,
                                          std::span<const model::MemoryType> memory_types,
                                          std::span<const model::MemoryHeap> heaps);

    [[nodiscard]] std::vector<TypeBuckets> in_order(std::size_t kind,
                                                    std::span<const std::uint32_t> memory_types) const;

    static constexpr std::size_t kClasses = 3;
    static constexpr std::size_t kUses = 4;

    using Table = std::array<std::array<std::vector<TypeBuckets>, kUses>, kClasses>;

    std::array<std::vector<TypeBuckets>, kClasses> types_;
    Table table_;
    Table transient_table_;
    bool separates_render_targets_ = false;
};

// The order in which memory is tried for a request when its bucket, the heap or the device is full. In each memory
// type:
//   1  the bucket: its chunks, then a new one as it grows
//   2  the same again after each kind of memory that can be given back, the least missed first: prepared chunks of the
//      heap, prepared chunks of all heaps, empty chunks of the heap; where a limit over all heaps is met (device
//      allocations, bytes) the empty chunks of all; where the device's budget is met what the application gives back
//      when it is told
//   3  a new chunk of 1/2, 1/4, 1/8, 1/16 of the usual size, while that is larger than the request
//   4  a new chunk of the request's own size
//   5  the chunks that buckets of larger S have
// then the next memory type. Where a resource gets memory of its own, 1 is that, and 2 is all. Any
// error that other memory would not mend ends it all. Templates over what carries the steps out; sizes in bytes. No
// state.

enum class Relief : std::uint8_t { kPreparedOfHeap, kPreparedOfAll, kEmptyOfHeap, kEmptyOfAll, kOfApplication };
inline constexpr std::array kReliefs{Relief::kPreparedOfHeap, Relief::kPreparedOfAll, Relief::kEmptyOfHeap,
                                     Relief::kEmptyOfAll, Relief::kOfApplication};

// The smallest chunk tried under pressure is this part of the usual one; then one of the request's own size.
inline constexpr std::uint64_t kLargestShrink = 16;

[[nodiscard]] constexpr bool wants_other_memory(ErrorCode code) {
    return code == ErrorCode::kOutOfDeviceMemory || code == ErrorCode::kOutOfHostMemory ||
           code == ErrorCode::kTooManyObjects || code == ErrorCode::kExhausted || code == ErrorCode::kOverBudget;
}

// Whether a result ends the search: it succeeded, or failed for another reason than memory.
template <class Outcome>
[[nodiscard]] bool is_final(const Outcome& outcome) {
    return outcome || !wants_other_memory(outcome.error().code);
}

// Step 1 and 2. give_back(Relief, ErrorCode of the attempt): the bytes that went back; attempt(): a Result.
template <class GiveBack, class Attempt>
[[nodiscard]] auto try_with_relief(GiveBack&& give_back, Attempt&& attempt) -> decltype(attempt()) {
    auto outcome = attempt();
    for (const Relief relief : kReliefs) {
        if (is_final(outcome)) break;
        if (give_back(relief, outcome.error().code) != 0) outcome = attempt();
    }
    return outcome;
}

// All steps in one memory type. `memory` has
//   give_back(Relief, ErrorCode) -> bytes that went back
//   allocate(shrink)         -> a Result: from the bucket's chunks, else from a new one of the usual size / shrink
//   usual_chunk_bytes()      -> of a new chunk of the bucket
//   allocate_beside()        -> from the chunks of buckets of larger S; converts to false
// The error is that of step 2, whose figures are those of the usual chunk.
template <class Memory>
[[nodiscard]] auto try_memory_type(Memory&& memory, std::uint64_t size_bytes) -> decltype(memory.allocate(1)) {
    auto usual = try_with_relief([&](Relief relief, ErrorCode met) { return memory.give_back(relief, met); },
                                 [&] { return memory.allocate(1); });
    if (is_final(usual)) return usual;
    const std::uint64_t chunk_bytes = memory.usual_chunk_bytes();
    for (std::uint64_t shrink = 2; shrink <= kLargestShrink && chunk_bytes / shrink > size_bytes; shrink *= 2) {
        auto smaller = memory.allocate(shrink);
        if (is_final(smaller)) return smaller;
    }
    if (chunk_bytes > size_bytes) {
        auto smallest = memory.allocate(chunk_bytes);
        if (is_final(smallest)) return smallest;
    }
    if (auto beside = memory.allocate_beside()) return *beside;
    return usual;
}

[[nodiscard]] bool holds_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class);
// A memory type that names no class holds all.
[[nodiscard]] bool holds_class(const model::MemoryType& type, model::ResourceClass resource_class);

[[nodiscard]] constexpr bool admits(std::uint32_t memory_type_bits, std::uint32_t memory_type) {
    return memory_type < 32 && (memory_type_bits >> memory_type & 1u) != 0;
}

// Whether an empty chunk that is large enough can hold the request; false only for slots that are too small.
[[nodiscard]] inline bool chunk_can_hold(const model::BucketPolicy& bucket, std::uint64_t size_bytes,
                                         std::uint64_t alignment_bytes) {
    if (bucket.suballocator.value != model::SuballocatorKind::kSlots) return true;
    const std::uint64_t slot = bucket.granule_bytes.value;
    return size_bytes <= slot && slot % alignment_bytes == 0;
}

[[nodiscard]] inline bool takes(const model::BucketPolicy& bucket, std::uint64_t size_bytes,
                                std::uint64_t alignment_bytes) {
    return bucket.alignment_bytes >= alignment_bytes && chunk_can_hold(bucket, size_bytes, alignment_bytes);
}

// Of one memory type's buckets, ascending in S (BucketIndex::TypeBuckets): the one that takes the request, and those
// behind it. Empty: none takes it.
[[nodiscard]] inline std::span<const std::uint32_t> buckets_from(std::span<const model::BucketPolicy> policies,
                                                                 std::span<const std::uint32_t> ascending,
                                                                 std::uint64_t size_bytes,
                                                                 std::uint64_t alignment_bytes) {
    while (!ascending.empty() && !takes(policies[ascending.front()], size_bytes, alignment_bytes))
        ascending = ascending.subspan(1);
    return ascending;
}

// The same, and the one of the largest S for a request of a larger alignment, or of a size that no slot has. Empty: the
// type has no bucket for the request.
[[nodiscard]] std::span<const std::uint32_t> buckets_in_type(std::span<const model::BucketPolicy> policies,
                                                             std::span<const std::uint32_t> ascending,
                                                             std::uint64_t size_bytes, std::uint64_t alignment_bytes);

struct Request {
    model::MemoryRequirements requirements;
    model::ResourceClass resource_class = model::ResourceClass::kLinear;
    model::MemoryUse use = model::MemoryUse::kDeviceOnly;
    bool transient_attachment = false;                      // lazily allocated memory may hold it, and is tried first
    model::OwnMemory own_memory = model::OwnMemory::kAuto;  // what the caller wants
};

enum class Treatment : std::uint8_t { kByType, kOwn, kInChunk, kRefused };

// By the driver's word alone.
[[nodiscard]] constexpr bool follows_driver(model::Dedicated dedicated, model::DedicatedRule rule) {
    return dedicated == model::Dedicated::kRequired ||
           (dedicated == model::Dedicated::kPreferred && rule == model::DedicatedRule::kWhenPreferred);
}

[[nodiscard]] constexpr bool is_humongous(std::uint64_t size_bytes, std::uint64_t threshold_bytes) {
    return size_bytes > threshold_bytes;
}

[[nodiscard]] inline bool refuses(const model::DevicePolicy& policy, std::uint64_t size_bytes) {
    return is_humongous(size_bytes, policy.humongous_threshold_bytes.value) &&
           model::humongous_rule_of(policy) == model::HumongousRule::kRefuse;
}

[[nodiscard]] inline bool passes_threshold(const model::BucketPolicy& bucket, std::uint64_t size_bytes) {
    return bucket.dedicated_threshold_bytes && size_bytes > bucket.dedicated_threshold_bytes->value;
}

[[nodiscard]] inline Treatment treatment_of(const model::DevicePolicy& policy,
                                            const model::MemoryRequirements& requirements,
                                            model::OwnMemory wish = model::OwnMemory::kAuto) {
    if (requirements.dedicated == model::Dedicated::kRequired || wish == model::OwnMemory::kAlways)
        return Treatment::kOwn;
    if (refuses(policy, requirements.size_bytes)) return Treatment::kRefused;
    if (wish == model::OwnMemory::kNever) return Treatment::kInChunk;
    return is_humongous(requirements.size_bytes, policy.humongous_threshold_bytes.value) ? Treatment::kOwn
                                                                                         : Treatment::kByType;
}

// What is tried in one memory type: memory of its own if `own_first`, then the buckets, of which the first takes the
// request and those behind it lend their chunks. Neither: nothing.
struct TypePlan {
    bool own_first = false;
    std::span<const std::uint32_t> buckets;
};

// `ascending`: the type's buckets of the class (BucketIndex), which outlive the plan. Of what is refused the plan is
// what it gets when asked for by name.
[[nodiscard]] TypePlan plan_in_type(const model::DevicePolicy& policy, std::span<const std::uint32_t> ascending,
                                    const model::MemoryRequirements& requirements,
                                    Treatment treatment = Treatment::kByType);

// The memory types that a request is tried in, each with its plan, in the order of trying. All that it is made of
// outlives it.
class TypeWalk {
public:
    struct Step {
        std::uint32_t memory_type = 0;
        TypePlan plan;
    };

    TypeWalk(const model::DevicePolicy& policy, const BucketIndex& index, const Request& request, Treatment treatment)
        : policy_(policy),
          requirements_(request.requirements),
          treatment_(treatment),
          left_(index.candidates(request.resource_class, request.use, request.transient_attachment)) {}

    // Empty: that was all.
    [[nodiscard]] std::optional<Step> next() {
        while (!left_.empty()) {
            const BucketIndex::TypeBuckets& type = left_.front();
            left_ = left_.subspan(1);
            if (!admits(requirements_.memory_type_bits, type.memory_type)) continue;
            const TypePlan plan = plan_in_type(policy_, type.buckets, requirements_, treatment_);
            if (plan.own_first || !plan.buckets.empty()) return Step{.memory_type = type.memory_type, .plan = plan};
        }
        return std::nullopt;
    }

private:
    const model::DevicePolicy& policy_;
    const model::MemoryRequirements& requirements_;
    Treatment treatment_;
    std::span<const BucketIndex::TypeBuckets> left_;
};

// Where a request goes as long as there is memory.
struct Destination {
    bool refused = false;                      // then the rest is where it goes when it is asked for by name
    std::optional<std::uint32_t> memory_type;  // empty: none serves it
    std::optional<std::uint32_t> bucket;       // empty: memory of its own
};
[[nodiscard]] Destination destination_of(const model::DevicePolicy& policy, const BucketIndex& index,
                                         const Request& request);

// The bucket whose priority an allocation of its own follows in that memory type: the smallest S that is not below its
// alignment, else the largest. Null: the type has none of the class.
[[nodiscard]] const model::BucketPolicy* bucket_beside(std::span<const model::BucketPolicy> policies,
                                                       const BucketIndex& index, model::ResourceClass resource_class,
                                                       std::uint32_t memory_type, std::uint64_t alignment_bytes);

}  // namespace heapwright::contract
