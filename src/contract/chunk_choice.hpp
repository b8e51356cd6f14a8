// Which of a bucket's chunks takes a request, among those that have room:
//   kFullest:  the one with the fewest free bytes, so that the emptier ones drain and can be given back
//   kTightest: one with a free range of the smallest size bin that holds the request, so that large ranges stay whole;
//              ranges of one bin count as equally tight. Of the first kCandidates of those chunks by slot the fullest.
//              Of a suballocator that keeps no free ranges by size: the fullest
// A search costs the same whatever the number of chunks, as long as the candidates of the bins in which a range may be
// too small, or wrongly aligned, are not in vain: kProbes of them are tried, and kDeepProbes before none is said to
// have room. Pure; no errors. Sizes in bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "contract/chunk_bins.hpp"
#include "contract/chunk_order.hpp"

namespace heapwright::contract {

constexpr std::uint32_t kCandidates = 8;
constexpr std::uint32_t kProbes = 16;
constexpr std::uint32_t kDeepProbes = 16;

// The bins of free ranges that a request can be taken from.
struct BinsWanted {
    std::uint32_t first = 0;    // below it every range is too small
    std::uint32_t certain = 0;  // from it on every range holds the request at its alignment
};

// allocate_from(slot): tries that chunk; converts to false where it has no room after all.
template <class AllocateFrom>
auto allocate_from_fullest(const ChunkOrder& order, std::uint64_t size_bytes, AllocateFrom&& allocate_from)
    -> decltype(allocate_from(std::uint32_t{})) {
    for (std::size_t i = order.first_with(size_bytes); i < order.size(); ++i) {
        if (auto taken = allocate_from(order.slot_at(i))) return taken;
    }
    return {};
}

namespace detail {

// The first kCandidates chunks of a bin, the fullest first.
class Candidates {
public:
    Candidates(const ChunkBins& chunks, std::uint32_t bin) {
        chunks.visit_chunks(bin, [&](std::uint32_t slot) {
            std::size_t at = count_++;
            for (; at > 0 && chunks.free_bytes(slots_[at - 1]) > chunks.free_bytes(slot); --at)
                slots_[at] = slots_[at - 1];
            slots_[at] = slot;
            return count_ < kCandidates;
        });
    }
    [[nodiscard]] const std::uint32_t* begin() const { return slots_.data(); }
    [[nodiscard]] const std::uint32_t* end() const { return slots_.data() + count_; }

private:
    std::array<std::uint32_t, kCandidates> slots_;
    std::size_t count_ = 0;
};

}  // namespace detail

// holds_within(slot, bin, is_last_resort): whether the chunk would take it from a range of that bin at most; as a last
// resort however long it takes to find it.
template <class HoldsWithin, class AllocateFrom>
auto allocate_from_tightest(const ChunkBins& chunks, const BinsWanted& wanted, HoldsWithin&& holds_within,
                            AllocateFrom&& allocate_from) -> decltype(allocate_from(std::uint32_t{})) {
    std::uint32_t probes = kProbes;
    for (std::uint32_t bin = chunks.first_bin_from(wanted.first); bin != ChunkBins::kNone;
         bin = chunks.first_bin_from(probes == 0 ? std::max(bin + 1, wanted.certain) : bin + 1)) {
        for (const std::uint32_t slot : detail::Candidates(chunks, bin)) {
            if (bin < wanted.certain) {
                if (probes == 0) break;
                --probes;
                if (!holds_within(slot, bin, false)) continue;
            }
            if (auto taken = allocate_from(slot)) return taken;
        }
    }
    probes = kDeepProbes;
    for (std::uint32_t bin = chunks.first_bin_from(wanted.first); bin < wanted.certain;
         bin = chunks.first_bin_from(bin + 1)) {
        for (std::uint32_t slot = chunks.first_chunk_from(bin, 0); slot != ChunkBins::kNone;
             slot = chunks.first_chunk_from(bin, slot + 1)) {
            if (probes-- == 0) return {};
            if (!holds_within(slot, bin, true)) continue;
            if (auto taken = allocate_from(slot)) return taken;
        }
    }
    return {};
}

}  // namespace heapwright::contract
