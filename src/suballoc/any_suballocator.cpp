#include "heapwright/suballoc/any_suballocator.hpp"

namespace heapwright::suballoc {

Result<AnySuballocator> AnySuballocator::create(const SuballocatorOptions& options) {
    const auto wrap = [](auto allocator) { return AnySuballocator(std::move(allocator)); };
    switch (options.kind) {
        case SuballocatorKind::kTlsf:
            return TlsfAllocator::create({.capacity = options.capacity,
                                          .granule = options.granule,
                                          .reserved_ranges = options.reserved_ranges})
                .map(wrap);
        case SuballocatorKind::kFixedBlocks:
            return BlockBestFitAllocator::create({.capacity = options.capacity,
                                                  .block_size = options.granule,
                                                  .reserved_ranges = options.reserved_ranges})
                .map(wrap);
        case SuballocatorKind::kSlots:
            return SlotAllocator::create({.capacity = options.capacity, .slot_size = options.granule}).map(wrap);
        case SuballocatorKind::kLinear:
            return LinearAllocator::create(
                       {.capacity = options.capacity, .reserved_suballocations = options.reserved_ranges})
                .map(wrap);
        case SuballocatorKind::kRing: return RingAllocator::create({.capacity = options.capacity}).map(wrap);
    }
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = "unknown kind of suballocator",
                 .value = static_cast<std::uint64_t>(options.kind)});
}

AllocateResult AnySuballocator::allocate_at(std::uint64_t offset, std::uint64_t size) {
    if (auto* tlsf = get_if<TlsfAllocator>()) return tlsf->allocate_at(offset, size);
    if (auto* best_fit = get_if<BlockBestFitAllocator>()) return best_fit->allocate_at(offset, size);
    return tl::unexpected(AllocateFailure::kExhausted);
}

}  // namespace heapwright::suballoc
