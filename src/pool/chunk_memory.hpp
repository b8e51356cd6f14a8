// Where the memory of a bucket's chunks comes from: the device within its limits, chunks that were prepared, or numbers
// alone. Asked only when a chunk comes, goes, empties or fills, never for a suballocation.
// Sizes in bytes. Who implements it says whether it is thread-safe.
#pragma once

#include <cstdint>

#include "device/memory_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::pool {

class ChunkMemory {
public:
    struct Piece {
        device::AllocationId heap;
        std::uint64_t size_bytes = 0;
    };

    virtual ~ChunkMemory() = default;

    // Of `size_bytes`, or one that is there already and has `needed_bytes` at least. Errors: those of its source, and
    // nothing is kept.
    [[nodiscard]] virtual Result<Piece> take(std::uint64_t size_bytes, std::uint64_t needed_bytes) = 0;
    virtual void give_back(const Piece& piece) = 0;

    // Whether an empty chunk may be kept for long; it counts as kept until end_keeping().
    [[nodiscard]] virtual bool keep_empty(std::uint64_t size_bytes) = 0;
    virtual void end_keeping(std::uint64_t size_bytes) = 0;
};

}  // namespace heapwright::pool
