// AnySuballocator: the suballocator that a policy names, by value. Costs one indirect jump a call over the kind itself.
// Satisfies Suballocator. Not thread-safe. Errors: create() by value, the rest by enum.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "heapwright/core/index.hpp"
#include "heapwright/core/suballocator_kind.hpp"
#include "heapwright/suballoc/block_best_fit_allocator.hpp"
#include "heapwright/suballoc/linear_allocator.hpp"
#include "heapwright/suballoc/occupancy_map.hpp"
#include "heapwright/suballoc/ring_allocator.hpp"
#include "heapwright/suballoc/slot_allocator.hpp"
#include "heapwright/suballoc/suballocator.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"

namespace heapwright::suballoc {

struct SuballocatorOptions {
    SuballocatorKind kind = SuballocatorKind::kTlsf;
    std::uint64_t capacity = 0;
    // kTlsf: the granule; kFixedBlocks: the block size S; kSlots: the slot size; kLinear and kRing: not used.
    std::uint64_t granule = 1;
    std::uint32_t reserved_ranges = 256;
};

class AnySuballocator {
public:
    [[nodiscard]] static Result<AnySuballocator> create(const SuballocatorOptions& options);

    [[nodiscard]] SuballocatorKind kind() const { return static_cast<SuballocatorKind>(allocator_.index()); }

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1) {
        return std::visit([&](auto& allocator) { return allocator.allocate(size, alignment); }, allocator_);
    }
    // The size of the free range that allocate() would take it from; of kinds that keep no ranges by size, all that is
    // free. 0 when it certainly fails.
    [[nodiscard]] std::uint64_t fit(std::uint64_t size, std::uint64_t alignment = 1) const {
        if (const auto* tlsf = std::get_if<TlsfAllocator>(&allocator_)) return tlsf->fit(size, alignment);
        const std::uint64_t free = capacity() - used();
        return free < size ? 0 : free;
    }
    // The destination of a planned move: kTlsf and kFixedBlocks only, the others refuse with kExhausted.
    [[nodiscard]] AllocateResult allocate_at(std::uint64_t offset, std::uint64_t size);
    FreeOutcome free(SuballocationHandle handle) {
        return std::visit([&](auto& allocator) { return allocator.free(handle); }, allocator_);
    }
    void reset() {
        std::visit([](auto& allocator) { allocator.reset(); }, allocator_);
    }
    [[nodiscard]] std::uint64_t capacity() const {
        return std::visit([](const auto& allocator) { return allocator.capacity(); }, allocator_);
    }
    [[nodiscard]] std::uint64_t used() const {
        return std::visit([](const auto& allocator) { return allocator.used(); }, allocator_);
    }
    [[nodiscard]] std::uint64_t suballocation_count() const {
        return std::visit([](const auto& allocator) { return allocator.suballocation_count(); }, allocator_);
    }
    [[nodiscard]] bool is_empty() const {
        return std::visit([](const auto& allocator) { return allocator.is_empty(); }, allocator_);
    }
    [[nodiscard]] Figures figures() const {
        return std::visit([](const auto& allocator) { return allocator.figures(); }, allocator_);
    }
    [[nodiscard]] Status validate_invariants() const {
        return std::visit([](const auto& allocator) { return allocator.validate_invariants(); }, allocator_);
    }
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        std::visit([&](const auto& allocator) { allocator.for_each_range(visit); }, allocator_);
    }
    [[nodiscard]] std::vector<double> occupancy_map(std::size_t cell_count) const {
        return occupancy_of(*this, cell_count);
    }

    // Rings only; the others keep no frames, so there is nothing to close or take back.
    [[nodiscard]] Status finish_frame(TimelineValue value) {
        auto* ring = std::get_if<RingAllocator>(&allocator_);
        return ring == nullptr ? Status{} : ring->finish_frame(value);
    }
    std::size_t release_completed(TimelineValue completed) {
        auto* ring = std::get_if<RingAllocator>(&allocator_);
        return ring == nullptr ? 0 : ring->release_completed(completed);
    }

    // The allocator itself where it is of that kind: get_if<LinearAllocator>()->rollback(marker).
    template <Suballocator Kind>
    [[nodiscard]] Kind* get_if() {
        return std::get_if<Kind>(&allocator_);
    }
    template <Suballocator Kind>
    [[nodiscard]] const Kind* get_if() const {
        return std::get_if<Kind>(&allocator_);
    }

private:
    // In the order of SuballocatorKind.
    using Allocator = std::variant<TlsfAllocator, BlockBestFitAllocator, SlotAllocator, LinearAllocator, RingAllocator>;

    explicit AnySuballocator(Allocator allocator) : allocator_(std::move(allocator)) {}

    Allocator allocator_;
};

static_assert(Suballocator<TlsfAllocator>);
static_assert(Suballocator<BlockBestFitAllocator>);
static_assert(Suballocator<SlotAllocator>);
static_assert(Suballocator<LinearAllocator>);
static_assert(Suballocator<RingAllocator>);
static_assert(Suballocator<AnySuballocator>);

}  // namespace heapwright::suballoc
