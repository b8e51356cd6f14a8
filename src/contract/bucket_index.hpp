// Which buckets of a policy may serve a request, best first: the memory types that the policy ranks for the use, in
// that order, and for each the buckets of the class, smallest alignment S first.
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

class BucketIndex {
public:
    // The buckets of one memory type, ascending in S.
    struct TypeBuckets {
        std::uint32_t memory_type = 0;
        std::vector<std::uint32_t> buckets;
    };

    [[nodiscard]] static Result<BucketIndex> create(const model::DeviceReport& facts,
                                                    const model::DevicePolicy& policy);
    // What the policy says, whatever the device; for policies that are read and not carried out.
    [[nodiscard]] static BucketIndex of(const model::DevicePolicy& policy);

    [[nodiscard]] std::span<const TypeBuckets> candidates(model::ResourceClass resource_class,
                                                          model::MemoryUse use) const {
        return table_[static_cast<std::size_t>(resource_class)][static_cast<std::size_t>(use)];
    }

    // The buckets of a class in one memory type, ascending in S, whatever uses rank the type.
    [[nodiscard]] std::span<const std::uint32_t> buckets(model::ResourceClass resource_class,
                                                         std::uint32_t memory_type) const;

    // The memory types ranked for a use, for dedicated allocations.
    [[nodiscard]] std::span<const std::uint32_t> memory_types(model::MemoryUse use) const {
        return memory_types_[static_cast<std::size_t>(use)];
    }

    // Whether the policy keeps render targets apart (Direct3D 12 resource heap tier 1).
    [[nodiscard]] bool separates_render_targets() const { return separates_render_targets_; }

private:
    static constexpr std::size_t kClasses = 3;
    static constexpr std::size_t kUses = 4;

    std::array<std::vector<TypeBuckets>, kClasses> types_;
    std::array<std::array<std::vector<TypeBuckets>, kUses>, kClasses> table_;
    std::array<std::vector<std::uint32_t>, kUses> memory_types_;
    bool separates_render_targets_ = false;
};

}  // namespace heapwright::contract
