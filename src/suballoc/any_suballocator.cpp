#include "heapwright/suballoc/any_suballocator.hpp"

#include <array>

namespace heapwright::suballoc {

namespace {

constexpr std::array<SuballocatorKind, 5> kKinds = {SuballocatorKind::kTlsf, SuballocatorKind::kBlockBestFit,
                                                    SuballocatorKind::kSlot, SuballocatorKind::kLinear,
                                                    SuballocatorKind::kRing};

}  // namespace

std::string_view to_string(SuballocatorKind kind) {
    switch (kind) {
        case SuballocatorKind::kTlsf: return "tlsf";
        case SuballocatorKind::kBlockBestFit: return "block-best-fit";
        case SuballocatorKind::kSlot: return "slot";
        case SuballocatorKind::kLinear: return "linear";
        case SuballocatorKind::kRing: return "ring";
    }
    return "unknown";
}

std::optional<SuballocatorKind> parse_suballocator_kind(std::string_view name) {
    for (const SuballocatorKind kind : kKinds)
        if (to_string(kind) == name) return kind;
    return std::nullopt;
}

Result<AnySuballocator> AnySuballocator::create(const SuballocatorOptions& options) {
    const auto wrap = [](auto allocator) { return AnySuballocator(std::move(allocator)); };
    switch (options.kind) {
        case SuballocatorKind::kTlsf:
            return TlsfAllocator::create({.capacity = options.capacity,
                                          .granule = options.granule,
                                          .reserved_ranges = options.reserved_ranges})
                .map(wrap);
        case SuballocatorKind::kBlockBestFit:
            return BlockBestFitAllocator::create({.capacity = options.capacity,
                                                  .block_size = options.granule,
                                                  .reserved_ranges = options.reserved_ranges})
                .map(wrap);
        case SuballocatorKind::kSlot:
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
