#include "heapwright/runtime/chunk_space.hpp"

#include <utility>

#include "heapwright/suballoc/tlsf_allocator.hpp"

namespace heapwright::runtime {
namespace {

template <class Suballocator>
class SpaceOf final : public ChunkSpace {
public:
    explicit SpaceOf(Suballocator suballocator) : suballocator_(std::move(suballocator)) {}

    suballoc::AllocateResult allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes) override {
        return suballocator_.allocate(size_bytes, alignment_bytes);
    }
    suballoc::FreeOutcome free(suballoc::SuballocationHandle handle) override { return suballocator_.free(handle); }
    std::uint64_t capacity_bytes() const override { return suballocator_.capacity(); }
    std::uint64_t used_bytes() const override { return suballocator_.used(); }
    bool is_empty() const override { return suballocator_.is_empty(); }
    suballoc::Figures figures() const override { return suballocator_.figures(); }
    Status validate_invariants() const override { return suballocator_.validate_invariants(); }

private:
    Suballocator suballocator_;
};

template <class Suballocator>
Result<std::unique_ptr<ChunkSpace>> wrap(Result<Suballocator> suballocator) {
    if (!suballocator) return fail(std::move(suballocator.error()));
    return std::make_unique<SpaceOf<Suballocator>>(std::move(*suballocator));
}

}  // namespace

Result<std::unique_ptr<ChunkSpace>> ChunkSpace::create(const Options& options) {
    switch (options.kind) {
        case model::SuballocatorKind::kTlsf:
            return wrap(suballoc::TlsfAllocator::create(
                {.capacity = options.capacity_bytes, .granule = options.granule_bytes}));
        case model::SuballocatorKind::kFixedBlocks:
        case model::SuballocatorKind::kSlots:
        case model::SuballocatorKind::kLinear:
        case model::SuballocatorKind::kRing: break;
    }
    return fail(ErrorCode::kNotSupported,
                "a memory pool's bucket frees suballocations one by one, in any order, which "
                "this kind of suballocator cannot");
}

}  // namespace heapwright::runtime
