// The free ranges of the chunks of a layout, from which the defragmentation strategies take destinations. Holds what
// is free in the layout as it was given: places that moves leave do not come back, because they are free only behind
// a fence. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heapwright/suballoc/defragmentation.hpp"

namespace heapwright::suballoc::detail {

struct FreeRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct Place {
    std::size_t chunk = 0;
    std::uint64_t offset = 0;
};

class FreeSpace {
public:
    // Fails when suballocations overlap, leave their chunk, or are not aligned to a power of two.
    [[nodiscard]] static Result<FreeSpace> create(const std::vector<ChunkLayout>& layout);

    // The smallest range that holds it, among the chunks that `allows` admits; of equal ones that in the fullest chunk.
    template <class Allows>
    [[nodiscard]] std::optional<Place> best_fit(std::uint64_t size, std::uint64_t alignment, Allows&& allows) const {
        std::optional<Place> best;
        std::uint64_t best_size = ~0ull;
        std::uint64_t best_free = ~0ull;
        for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
            if (!allows(chunk)) continue;
            for (const FreeRange& range : chunks_[chunk].ranges) {
                const std::uint64_t offset = (range.begin + (alignment - 1)) & ~(alignment - 1);
                if (offset >= range.end || range.end - offset < size) continue;
                const std::uint64_t range_size = range.end - range.begin;
                if (range_size > best_size || (range_size == best_size && chunks_[chunk].free >= best_free)) continue;
                best = Place{chunk, offset};
                best_size = range_size;
                best_free = chunks_[chunk].free;
            }
        }
        return best;
    }

    // The first place in a chunk that holds it.
    [[nodiscard]] std::optional<Place> first_fit(std::size_t chunk, std::uint64_t size, std::uint64_t alignment) const;

    // The last place of all that holds it and lies outside of `kept_free` in chunk `kept_chunk`.
    [[nodiscard]] std::optional<Place> last_fit(std::uint64_t size, std::uint64_t alignment, std::size_t kept_chunk,
                                                const FreeRange& kept_free) const;

    [[nodiscard]] bool is_free(std::size_t chunk, const FreeRange& range) const;
    // The range is free and is no longer.
    void take(std::size_t chunk, const FreeRange& range);

private:
    struct Chunk {
        std::vector<FreeRange> ranges;  // by offset
        std::uint64_t free = 0;
    };

    std::vector<Chunk> chunks_;
};

}  // namespace heapwright::suballoc::detail
