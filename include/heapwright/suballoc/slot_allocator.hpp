// SlotAllocator: slots of one size, for equal chunks (of dynamic descriptors, of staging memory). Allocate and free
// take the head of a list of free slots: the slot freed last is used next.
// Guarantees: no overlap; slot i lies at i * slot size, so any power of two that divides the slot size is met as
// alignment; a larger one, or a larger size, is refused. Not thread-safe. Errors: create() by value, rest by enum.
// Source: the fixed-size block allocator that "Managing Descriptor Heaps" (Diligent Engine) proposes.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

struct SlotOptions {
    std::uint64_t capacity = 0;   // rounded down to whole slots, at most 2^31 of them
    std::uint64_t slot_size = 1;  // at most 2^32, any number
};

class SlotAllocator {
public:
    [[nodiscard]] static Result<SlotAllocator> create(const SlotOptions& options);

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1) {
        if (size - 1 >= slot_size_ || (alignment & alignment_mask_) != 0 || !is_alignment(alignment)) [[unlikely]]
            return refuse(size, alignment);
        if (first_free_ == kNone) [[unlikely]]
            return tl::unexpected(AllocateFailure::kExhausted);
        const std::uint32_t index = first_free_;
        Slot& slot = slots_[index];
        first_free_ = slot.next_or_generation;
        generation_ = (generation_ + 1) & ~kUsedBit;
        slot.next_or_generation = kUsedBit | generation_;
        slot.waste = static_cast<std::uint32_t>(slot_size_ - size);
        waste_ += slot.waste;
        ++used_count_;
        return Suballocation{index * slot_size_, slot_size_, {index, generation_}};
    }

    FreeOutcome free(SuballocationHandle handle) {
        if (!is_live(handle)) [[unlikely]]
            return FreeOutcome::kInvalidHandle;
        Slot& slot = slots_[handle.index];
        waste_ -= slot.waste;
        --used_count_;
        slot.next_or_generation = first_free_;
        first_free_ = handle.index;
        return FreeOutcome::kFreed;
    }

    void reset();

    [[nodiscard]] std::uint64_t capacity() const { return slots_.size() * slot_size_; }
    [[nodiscard]] std::uint64_t slot_size() const { return slot_size_; }
    [[nodiscard]] std::uint64_t used() const { return used_count_ * slot_size_; }
    [[nodiscard]] std::uint64_t suballocation_count() const { return used_count_; }
    [[nodiscard]] bool is_empty() const { return used_count_ == 0; }
    [[nodiscard]] Figures figures() const;  // one pass over the slots
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used): used slots one by one, free slots in runs.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        std::size_t free_begin = 0;
        for (std::size_t index = 0; index <= slots_.size(); ++index) {
            const bool is_end = index == slots_.size();
            if (!is_end && !is_used(index)) continue;
            if (index > free_begin) visit(free_begin * slot_size_, (index - free_begin) * slot_size_, false);
            if (!is_end) visit(index * slot_size_, slot_size_, true);
            free_begin = index + 1;
        }
    }
    // visit(Suballocation) over what is live, in order of offset.
    template <class Visit>
    void for_each_suballocation(Visit&& visit) const {
        for (std::uint32_t index = 0; index < slots_.size(); ++index)
            if (is_used(index))
                visit(Suballocation{
                    index * slot_size_, slot_size_, {index, slots_[index].next_or_generation & ~kUsedBit}});
    }

private:
    static constexpr std::uint32_t kUsedBit = 0x8000'0000u;
    static constexpr std::uint32_t kNone = 0x7fff'ffffu;

    struct Slot {
        std::uint32_t next_or_generation;  // free: the next free slot; used: kUsedBit | generation
        std::uint32_t waste;
    };

    SlotAllocator(std::uint64_t slot_size, std::uint32_t slot_count);
    // Computed in 64 bits, so that a slot that is not used never equals a generation.
    [[nodiscard]] bool is_live(SuballocationHandle handle) const {
        return handle.index < slots_.size() &&
               std::uint64_t{slots_[handle.index].next_or_generation} - kUsedBit == handle.generation;
    }
    [[nodiscard]] bool is_used(std::size_t index) const { return (slots_[index].next_or_generation & kUsedBit) != 0; }
    [[nodiscard]] AllocateResult refuse(std::uint64_t size, std::uint64_t alignment) const;

    std::uint64_t slot_size_;
    std::uint64_t alignment_mask_;  // the bits of an alignment that the slot size is no multiple of
    std::vector<Slot> slots_;
    std::uint32_t first_free_ = kNone;
    std::uint32_t generation_ = 0;
    std::uint64_t used_count_ = 0;
    std::uint64_t waste_ = 0;
};

}  // namespace heapwright::suballoc
