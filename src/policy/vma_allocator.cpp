#include "heapwright/policy/vma_allocator.hpp"

#include <algorithm>
#include <utility>

namespace heapwright::policy {

VmaAllocator::VmaAllocator(const model::DeviceReport& facts, Blocks& blocks, BlockSizes sizes)
    : facts_(facts),
      blocks_(blocks),
      most_allocations_(facts.limit("maxMemoryAllocationCount").value_or(~0ull)),
      atom_bytes_(facts.limit("nonCoherentAtomSize").value_or(1)),
      reserved_(facts.heaps.size()) {
    const std::uint64_t granularity = facts.limit("bufferImageGranularity").value_or(1);
    for (const model::MemoryType& type : facts.memory_types) {
        const std::uint64_t heap_bytes = sizes.of_small_heaps ? ~0ull : facts.heaps[type.heap_index].size_bytes;
        pools_.emplace_back(vma_block_bytes(heap_bytes, sizes.large_heap_bytes), granularity);
    }
}

std::uint64_t VmaAllocator::budget_of(std::uint32_t type) const {
    return facts_.heaps[facts_.memory_types[type].heap_index].size_bytes * 8 / 10;
}

std::uint64_t VmaAllocator::free_of(std::uint32_t type) const {
    const std::uint64_t budget = budget_of(type);
    return budget - std::min(budget, reserved_[facts_.memory_types[type].heap_index]);
}

Result<VmaAllocator::Place> VmaAllocator::allocate(std::span<const std::uint32_t> types, const Request& request,
                                                   const std::function<Status(std::uint32_t)>& take_own) {
    for (std::size_t i = 0; i < types.size(); ++i) {
        auto made = allocate_in(types[i], request, take_own);
        if (made || i + 1 == types.size()) return made;
    }
    return fail(ErrorCode::kNotSupported, "no memory type serves this use");
}

Result<VmaAllocator::Place> VmaAllocator::allocate_in(std::uint32_t type, const Request& request,
                                                      const std::function<Status(std::uint32_t)>& take_own) {
    const model::MemoryRequirements& requirements = request.requirements;
    if (requirements.dedicated == model::Dedicated::kRequired) return allocate_own(type, request, take_own);
    const bool few_left = most_allocations_ < 0xFFFFFFFFull / 4 && blocks_.allocations() > most_allocations_ * 3 / 4;
    const bool wants_own = !few_left && (requirements.dedicated != model::Dedicated::kNone ||
                                         pools_[type].prefers_dedicated(requirements.size_bytes));
    if (wants_own) {
        if (auto own = allocate_own(type, request, take_own)) return own;
    }
    auto placed = allocate_placed(type, request);
    if (placed || wants_own) return placed;
    return allocate_own(type, request, take_own);
}

Result<VmaAllocator::Place> VmaAllocator::allocate_own(std::uint32_t type, const Request& request,
                                                       const std::function<Status(std::uint32_t)>& take_own) {
    HEAPWRIGHT_TRY(take_own(type));
    reserved_of(type) += request.requirements.size_bytes;
    return Place{.memory_type = type, .size_bytes = request.requirements.size_bytes, .in_block = {}};
}

Result<VmaAllocator::Place> VmaAllocator::allocate_placed(std::uint32_t type, const Request& request) {
    namespace property = model::memory_property;
    const model::Flags flags = facts_.memory_types[type].property_flags;
    const bool is_non_coherent = (flags & property::kHostVisible) != 0 && (flags & property::kHostCoherent) == 0;
    const model::MemoryRequirements& requirements = request.requirements;
    const VmaRequest in_block{
        .size_bytes = requirements.size_bytes,
        .alignment_bytes = std::max(requirements.alignment_bytes, is_non_coherent ? atom_bytes_ : 1),
        .is_optimal = request.is_optimal};
    auto place = pools_[type].allocate(in_block);
    if (!place) {
        HEAPWRIGHT_ASSIGN(place, place_in_new_block(type, in_block));
    }
    return Place{.memory_type = type, .size_bytes = requirements.size_bytes, .in_block = place};
}

Result<VmaPool::Place> VmaAllocator::place_in_new_block(std::uint32_t type, const VmaRequest& request) {
    VmaPool& pool = pools_[type];
    Error last{.code = ErrorCode::kOutOfDeviceMemory,
               .message = "no block of the default sizes holds it within the budget",
               .value = request.size_bytes,
               .limit = std::min(pool.preferred_block_bytes(), free_of(type))};
    if (!pool.fits_a_block(request.size_bytes) || free_of(type) < request.size_bytes) return fail(std::move(last));
    for (const std::uint64_t bytes : pool.new_block_sizes(request.size_bytes)) {
        if (bytes > free_of(type)) continue;
        const std::uint64_t block = next_block_;
        if (Status taken = blocks_.take(block, type, bytes); !taken) {
            last = std::move(taken.error());
            continue;
        }
        ++next_block_;
        reserved_of(type) += bytes;
        if (const auto place = pool.allocate_in_new_block(block, bytes, request)) return *place;
        return fail(ErrorCode::kOutOfDeviceMemory, "an empty block did not hold the request");
    }
    return fail(std::move(last));
}

void VmaAllocator::free(const Place& place) {
    const std::uint32_t type = place.memory_type;
    if (!place.in_block) {
        reserved_of(type) -= place.size_bytes;
        return;
    }
    const auto block = pools_[type].free(*place.in_block, reserved_of(type) >= budget_of(type));
    if (!block) return;
    blocks_.give_back(block->block, type, block->size_bytes);
    reserved_of(type) -= block->size_bytes;
}

void VmaAllocator::give_back_blocks() {
    for (std::uint32_t type = 0; type < pools_.size(); ++type) {
        for (const auto& block : pools_[type].blocks()) blocks_.give_back(block.block, type, block.size_bytes);
    }
    pools_.clear();
}

}  // namespace heapwright::policy
