// Which of a bucket's chunks takes a request, among those that have room:
//   kFullest:  the one with the fewest free bytes, so that the emptier ones drain and can be given back
//   kTightest: the one whose smallest free range that holds the request is smallest of all; of equal ones the fullest.
//              Where the search finds none although one may have room, the fullest
// A search of a chunk meets several of its cache lines, so only those are searched of which less is known than that
// they do worse. Sizes in bytes. A search keeps its scratch, so that none allocates: not thread-safe. No errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heapwright/contract/chunk_order.hpp"
#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

class ChunkSearch {
public:
    // space_at(slot): has fit_bytes(size, alignment), the free range that the request would be taken from, 0 when it
    // certainly does not fit, and the cheaper least_fit_bytes(size), at most every fit_bytes() of that size that is not
    // 0, and 0 only where each is.
    // allocate_from(slot): tries that chunk; converts to false where it has no room after all.
    template <class SpaceAt, class AllocateFrom>
    auto allocate(model::ChunkChoice choice, const ChunkOrder& order, std::uint64_t size_bytes,
                  std::uint64_t alignment_bytes, SpaceAt&& space_at, AllocateFrom&& allocate_from)
        -> decltype(allocate_from(std::uint32_t{})) {
        const std::size_t first = order.first_with(size_bytes);
        if (choice == model::ChunkChoice::kTightest) {
            if (const auto slot = tightest(order, first, size_bytes, alignment_bytes, space_at)) {
                if (auto taken = allocate_from(*slot)) return taken;
            } else {
                return {};
            }
        }
        for (std::size_t i = first; i < order.size(); ++i) {
            if (auto taken = allocate_from(order.slot_at(i))) return taken;
        }
        return {};
    }

private:
    template <class SpaceAt>
    std::optional<std::uint32_t> tightest(const ChunkOrder& order, std::size_t first, std::uint64_t size_bytes,
                                          std::uint64_t alignment_bytes, SpaceAt& space_at) {
        const std::size_t count = order.size();
        least_fits_.assign(count, 0);
        std::size_t promising = count;
        for (std::size_t i = first; i < count; ++i) {
            least_fits_[i] = space_at(order.slot_at(i)).least_fit_bytes(size_bytes);
            if (least_fits_[i] != 0 && (promising == count || least_fits_[i] < least_fits_[promising])) promising = i;
        }
        if (promising == count) return std::nullopt;
        std::size_t best = count;
        std::uint64_t smallest = ~0ull;
        const auto search = [&](std::size_t i) {
            const std::uint64_t range = space_at(order.slot_at(i)).fit_bytes(size_bytes, alignment_bytes);
            if (range == 0 || range > smallest || (range == smallest && i > best)) return;
            smallest = range;
            best = i;
        };
        search(promising);
        for (std::size_t i = first; i < count; ++i) {
            const std::uint64_t least = least_fits_[i];
            const bool is_worse = least == 0 || least > smallest || (least == smallest && i > best);
            if (!is_worse && i != promising) search(i);
        }
        return best == count ? std::nullopt : std::optional(order.slot_at(best));
    }

    std::vector<std::uint64_t> least_fits_;
};

}  // namespace heapwright::contract
