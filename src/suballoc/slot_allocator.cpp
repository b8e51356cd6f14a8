#include "heapwright/suballoc/slot_allocator.hpp"

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::suballoc {

Result<SlotAllocator> SlotAllocator::create(const SlotOptions& options) {
    constexpr std::uint64_t kMaxSlotSize = 1ull << 32;
    if (options.slot_size == 0 || options.slot_size > kMaxSlotSize)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the slot size is 0 or above 2^32",
                     .value = options.slot_size,
                     .limit = kMaxSlotSize});
    const std::uint64_t count = options.capacity / options.slot_size;
    if (count == 0)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("the capacity holds no slot of {}", options.slot_size),
                     .value = options.capacity});
    if (count >= kNone)
        return fail({.code = ErrorCode::kOutOfRange, .message = "too many slots", .value = count, .limit = kNone - 1});
    return SlotAllocator(options.slot_size, static_cast<std::uint32_t>(count));
}

SlotAllocator::SlotAllocator(std::uint64_t slot_size, std::uint32_t slot_count)
    : slot_size_(slot_size), alignment_mask_(~((slot_size & (0 - slot_size)) * 2 - 1)), slots_(slot_count) {
    reset();
}

void SlotAllocator::reset() {
    // Lowest slot first.
    const auto count = static_cast<std::uint32_t>(slots_.size());
    for (std::uint32_t index = 0; index < count; ++index)
        slots_[index] = {.next_or_generation = index + 1 == count ? kNone : index + 1, .waste = 0};
    first_free_ = 0;
    used_count_ = 0;
    waste_ = 0;
}

AllocateResult SlotAllocator::refuse(std::uint64_t size, std::uint64_t alignment) const {
    if (size == 0) return tl::unexpected(AllocateFailure::kZeroSize);
    if (!is_alignment(alignment)) return tl::unexpected(AllocateFailure::kBadAlignment);
    return tl::unexpected(size > slot_size_ ? AllocateFailure::kTooLarge : AllocateFailure::kBadAlignment);
}

Figures SlotAllocator::figures() const {
    Figures figures;
    figures.capacity = capacity();
    figures.used = used();
    figures.suballocation_count = used_count_;
    figures.internal_waste = waste_;
    for_each_range([&](std::uint64_t, std::uint64_t size, bool is_used_range) {
        if (!is_used_range) figures.add_free_range(size);
    });
    return figures;
}

Status SlotAllocator::validate_invariants() const {
    std::uint64_t used_slots = 0;
    std::uint64_t waste = 0;
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        if (!is_used(index)) continue;
        ++used_slots;
        waste += slots_[index].waste;
    }
    if (used_slots != used_count_ || waste != waste_)
        return fail(ErrorCode::kInvariantBroken, fmt::format("{} slots are used with {} waste, {} and {} are counted",
                                                             used_slots, waste, used_count_, waste_));
    std::uint64_t free_slots = 0;
    for (std::uint32_t index = first_free_; index != kNone; index = slots_[index].next_or_generation) {
        if (index >= slots_.size() || is_used(index) || ++free_slots > slots_.size())
            return fail(ErrorCode::kInvariantBroken, fmt::format("the list of free slots is broken at {}", index));
    }
    if (free_slots + used_slots != slots_.size())
        return fail(ErrorCode::kInvariantBroken,
                    fmt::format("{} free and {} used slots of {}", free_slots, used_slots, slots_.size()));
    return {};
}

}  // namespace heapwright::suballoc
