// Which buckets of a policy may serve a request, best first: the memory types that the policy ranks for the use, in
// that order, and for each the buckets of the class, smallest alignment S first. Transient attachments have the lazily
// allocated types before them, in the device's order; those that need a feature enabled first, or whose heap the policy
// leaves nothing, are left out. Optimal images that the host fills or reads have the types of device-only memory behind
// them: the host does not know the order of their texels, so that it reaches them by copies whatever memory they have.
// Immutable, so thread-safe. Errors: create() gives kInvalidArgument when the policy does not fit the device (unknown
// memory type or heap, sizes that are zero or no power of two, classes mixed against bufferImageGranularity).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::contract {

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

}  // namespace heapwright::contract
