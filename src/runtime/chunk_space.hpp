// The offsets of one chunk, divided by the suballocator that the bucket's policy names.
// Guarantees: those of the suballocator chosen (no overlap, true alignment, inside the capacity). Sizes in bytes.
// Move-only value; not thread-safe: the bucket's lock covers it. Errors: create() says why a kind cannot serve.
#pragma once

#include <cstdint>
#include <memory>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::runtime {

class ChunkSpace {
public:
    struct Options {
        model::SuballocatorKind kind = model::SuballocatorKind::kTlsf;
        std::uint64_t capacity_bytes = 0;
        std::uint64_t granule_bytes = 1;    // power of two
        std::uint64_t alignment_bytes = 1;  // S: the block of kFixedBlocks, power of two
    };

    // Errors: kInvalidArgument (sizes the suballocator cannot take), kNotSupported (kinds whose space comes back in
    // groups, not one by one: a memory pool frees single suballocations).
    [[nodiscard]] static Result<std::unique_ptr<ChunkSpace>> create(const Options& options);

    virtual ~ChunkSpace() = default;

    [[nodiscard]] virtual suballoc::AllocateResult allocate(std::uint64_t size_bytes,
                                                            std::uint64_t alignment_bytes) = 0;
    [[nodiscard]] virtual suballoc::FreeOutcome free(suballoc::SuballocationHandle handle) = 0;
    [[nodiscard]] virtual std::uint64_t capacity_bytes() const = 0;
    [[nodiscard]] virtual std::uint64_t used_bytes() const = 0;
    [[nodiscard]] virtual bool is_empty() const = 0;
    [[nodiscard]] virtual suballoc::Figures figures() const = 0;
    [[nodiscard]] virtual Status validate_invariants() const = 0;
};

}  // namespace heapwright::runtime
