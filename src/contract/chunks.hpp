// The chunks of a bucket: in which order they stand, which takes a request, how large a new one is, how long an empty
// one stays. Sizes in bytes. No errors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

// The chunks of a bucket by the size bins of their free ranges: for each bin the chunks that have a free range in it,
// as bits, so that what a search costs does not grow with the chunks. Bins are numbers in ascending order of size; the
// suballocator says what they stand for. Chunks are named by their slots, small numbers that are used again.
// Sizes in bytes. Not thread-safe; no errors. reserve() alone takes host memory.

// A set of numbers below 64 * words, as bits in memory of another's: a bit a number, then a bit for each word that has
// one. `Word`: std::uint64_t, const where the set is only read.
template <class Word>
class SlotSet {
public:
    static constexpr std::uint32_t kNone = ~0u;

    [[nodiscard]] static constexpr std::size_t size_for(std::size_t words) { return words + summary_for(words); }

    // `bits` has size_for(words) elements, 0 at first.
    SlotSet(Word* bits, std::size_t words) : bits_(bits), words_(words) {}

    void add(std::uint32_t slot) const {
        const std::size_t word = slot / 64;
        // The summary is memory of its own: it is left alone where it says so already.
        if (bits_[word] == 0) summary(word) |= bit(word);
        bits_[word] |= bit(slot);
    }
    // It is in the set.
    void remove(std::uint32_t slot) const {
        const std::size_t word = slot / 64;
        if ((bits_[word] &= ~bit(slot)) == 0) summary(word) &= ~bit(word);
    }
    [[nodiscard]] bool contains(std::uint32_t slot) const {
        return slot / 64 < words_ && (bits_[slot / 64] & bit(slot)) != 0;
    }
    // The first at or after `slot`.
    [[nodiscard]] std::uint32_t first_from(std::uint32_t slot) const {
        std::size_t word = slot / 64;
        if (word >= words_) return kNone;
        if (const std::uint64_t rest = bits_[word] & (~0ull << slot % 64); rest != 0) return number(word, rest);
        ++word;
        for (std::size_t i = word / 64; i < summary_for(words_); ++i, word = i * 64) {
            const std::uint64_t filled = bits_[words_ + i] & (~0ull << word % 64);
            if (filled == 0) continue;
            const std::size_t found = i * 64 + static_cast<std::size_t>(std::countr_zero(filled));
            return number(found, bits_[found]);
        }
        return kNone;
    }

    // visit(slot) of each in ascending order, until it says false.
    template <class Visit>
    void visit(Visit&& visit) const {
        for (std::size_t i = 0; i < summary_for(words_); ++i) {
            for (std::uint64_t filled = bits_[words_ + i]; filled != 0; filled &= filled - 1) {
                const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(filled));
                for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1)
                    if (!visit(number(word, rest))) return;
            }
        }
    }

private:
    static constexpr std::size_t summary_for(std::size_t words) { return (words + 63) / 64; }
    static std::uint64_t bit(std::size_t number) { return 1ull << number % 64; }
    static std::uint32_t number(std::size_t word, std::uint64_t bits) {
        return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    [[nodiscard]] Word& summary(std::size_t word) const { return bits_[words_ + word / 64]; }

    Word* bits_;
    std::size_t words_;
};

class ChunkBins {
public:
    static constexpr std::uint32_t kNone = SlotSet<const std::uint64_t>::kNone;

    // Room for a chunk of that slot whose bins take so many words.
    void reserve(std::uint32_t slot, std::size_t words_of_bins) {
        if (slot < slots_ && words_of_bins <= words_) return;
        ChunkBins larger;
        larger.words_ = std::max(words_of_bins, words_);
        larger.slot_words_ = std::max<std::size_t>(std::bit_ceil(slot / 64 + std::size_t{1}), slot_words_);
        larger.slots_ = larger.slot_words_ * 64;
        larger.known_.resize(larger.slots_ * larger.words_);
        larger.free_bytes_.resize(larger.slots_);
        larger.bits_of_bin_ = Chunks::size_for(larger.slot_words_);
        larger.chunks_.resize(larger.bin_count() * larger.bits_of_bin_);
        larger.counts_.resize(larger.bin_count());
        larger.filled_.resize(Chunks::size_for(larger.words_));
        for (std::uint32_t bin = first_bin_from(0); bin != kNone; bin = first_bin_from(bin + 1)) {
            visit_chunks(bin, [&](std::uint32_t chunk) {
                larger.put(bin, chunk);
                larger.known_[chunk * larger.words_ + bin / 64] |= 1ull << bin % 64;
                return true;
            });
        }
        std::ranges::copy(free_bytes_, larger.free_bytes_.begin());
        *this = std::move(larger);
    }

    // The chunk's bins as bits from the lowest on, one of them beyond those (kNone: none), and its free bytes. There is
    // room for it.
    void set(std::uint32_t slot, std::span<const std::uint64_t> bins, std::uint32_t one_more,
             std::uint64_t free_bytes) {
        free_bytes_[slot] = free_bytes;
        // Most words are as they were.
        std::uint64_t* known = &known_[slot * words_];
        const std::size_t word_of_one_more = one_more / 64;
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t now = word < bins.size() ? bins[word] : 0;
            if (word == word_of_one_more) now |= 1ull << one_more % 64;
            if (now != known[word]) change(slot, word, now, known[word]);
        }
    }
    // As one without a free range.
    void clear(std::uint32_t slot) { set(slot, {}, kNone, 0); }

    // The first bin at or after `bin` in which a chunk has a free range.
    [[nodiscard]] std::uint32_t first_bin_from(std::uint32_t bin) const { return filled().first_from(bin); }
    // The first chunk at or after `slot` with a free range in the bin, which is one of first_bin_from().
    [[nodiscard]] std::uint32_t first_chunk_from(std::uint32_t bin, std::uint32_t slot) const {
        return chunks_of(bin).first_from(slot);
    }
    // visit(slot) of each such chunk in ascending order, until it says false.
    template <class Visit>
    void visit_chunks(std::uint32_t bin, Visit&& visit) const {
        chunks_of(bin).visit(visit);
    }
    [[nodiscard]] std::uint64_t free_bytes(std::uint32_t slot) const { return free_bytes_[slot]; }

    // Whether the index says exactly that of the chunk.
    [[nodiscard]] bool agrees(std::uint32_t slot, std::span<const std::uint64_t> bins, std::uint32_t one_more,
                              std::uint64_t free_bytes) const {
        if (slot >= slots_ || free_bytes_[slot] != free_bytes || bins.size() > words_) return false;
        for (std::uint32_t bin = 0; bin < bin_count(); ++bin) {
            const bool has = bin == one_more || (bin / 64 < bins.size() && (bins[bin / 64] >> bin % 64 & 1) != 0);
            if (has != chunks_of(bin).contains(slot) || (has && !filled().contains(bin))) return false;
        }
        return true;
    }

private:
    using Chunks = SlotSet<std::uint64_t>;
    using ReadChunks = SlotSet<const std::uint64_t>;

    [[nodiscard]] std::size_t bin_count() const { return words_ * 64; }
    [[nodiscard]] Chunks chunks_of(std::uint32_t bin) { return {&chunks_[bin * bits_of_bin_], slot_words_}; }
    [[nodiscard]] ReadChunks chunks_of(std::uint32_t bin) const { return {&chunks_[bin * bits_of_bin_], slot_words_}; }
    [[nodiscard]] Chunks filled() { return {filled_.data(), words_}; }
    [[nodiscard]] ReadChunks filled() const { return {filled_.data(), words_}; }

    void put(std::uint32_t bin, std::uint32_t slot) {
        chunks_of(bin).add(slot);
        if (counts_[bin]++ == 0) filled().add(bin);
    }
    void change(std::uint32_t slot, std::size_t word, std::uint64_t now, std::uint64_t& known) {
        std::uint64_t changed = now ^ known;
        known = now;
        for (; changed != 0; changed &= changed - 1) {
            const auto bin =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(changed));
            if ((now & changed & (0 - changed)) != 0) {
                put(bin, slot);
            } else {
                chunks_of(bin).remove(slot);
                if (--counts_[bin] == 0) filled().remove(bin);
            }
        }
    }

    std::size_t words_ = 0;       // of a chunk's bins
    std::size_t slot_words_ = 0;  // of a bin's chunks
    std::size_t bits_of_bin_ = 0;
    std::size_t slots_ = 0;
    std::vector<std::uint64_t> known_;  // `words_` for each slot
    std::vector<std::uint64_t> free_bytes_;
    std::vector<std::uint64_t> chunks_;  // a SlotSet for each bin
    std::vector<std::uint32_t> counts_;  // of the chunks in each bin
    std::vector<std::uint64_t> filled_;  // the SlotSet of bins
};

// The chunks of a bucket by their free bytes, the fullest first: flat arrays, so that a search of many chunks meets few
// cache lines, and a place for each chunk, so that nothing looks for it.
// Guarantees: a chunk whose free bytes change passes those that it must and no equal one. Chunks are named by their
// slots, small numbers that are used again. Sizes in bytes. Not thread-safe; no errors.
class ChunkOrder {
public:
    struct Entry {
        std::uint64_t free_bytes = 0;
        std::uint32_t slot = 0;
    };

    // Takes host memory, and has changed nothing where there is none.
    void add(std::uint32_t slot, std::uint64_t free_bytes) {
        if (slot >= positions_.size()) positions_.resize(slot + std::size_t{1});
        entries_.push_back({.free_bytes = free_bytes, .slot = slot});
        positions_[slot] = entries_.size() - 1;
        set_free_bytes(slot, free_bytes);
    }

    void remove(std::uint32_t slot) {
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(positions_[slot]));
        for (std::size_t i = positions_[slot]; i < entries_.size(); ++i) positions_[entries_[i].slot] = i;
    }

    void set_free_bytes(std::uint32_t slot, std::uint64_t free_bytes) {
        std::size_t at = positions_[slot];
        for (; at > 0 && entries_[at - 1].free_bytes > free_bytes; --at) move(at - 1, at);
        for (; at + 1 < entries_.size() && entries_[at + 1].free_bytes < free_bytes; ++at) move(at + 1, at);
        entries_[at] = {.free_bytes = free_bytes, .slot = slot};
        positions_[slot] = at;
    }

    // The position of the fullest chunk with at least so many free bytes; size() where none has.
    [[nodiscard]] std::size_t first_with(std::uint64_t free_bytes) const {
        const auto found = std::ranges::lower_bound(entries_, free_bytes, {}, &Entry::free_bytes);
        return static_cast<std::size_t>(found - entries_.begin());
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::uint32_t slot_at(std::size_t position) const { return entries_[position].slot; }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] bool is_at_its_place(std::uint32_t slot) const {
        return slot < positions_.size() && positions_[slot] < entries_.size() &&
               entries_[positions_[slot]].slot == slot;
    }

private:
    void move(std::size_t from, std::size_t to) {
        entries_[to] = entries_[from];
        positions_[entries_[to].slot] = to;
    }

    std::vector<Entry> entries_;
    std::vector<std::size_t> positions_;  // by slot
};

// Which of a bucket's chunks takes a request, among those that have room:
//   kFullest:  the one with the fewest free bytes, so that the emptier ones drain and can be given back
//   kTightest: one with a free range of the smallest size bin that holds the request, so that large ranges stay whole;
//              ranges of one bin count as equally tight. Of the first kCandidates of those chunks by slot the fullest.
//              Of a suballocator that keeps no free ranges by size: the fullest
// A search costs the same whatever the number of chunks, as long as the candidates of the bins in which a range may be
// too small, or wrongly aligned, are not in vain: kProbes of them are tried, and kDeepProbes before none is said to
// have room. Pure; no errors. Sizes in bytes.

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

// What a new chunk of a bucket takes:
//   first_chunk_bytes * 2^n, the largest such size that is no more than
//   max(first_chunk_bytes, bytes that the bucket's chunks hold now / divisor) and no more than chunk_size_bytes;
//   chunk_size_bytes where the policy has no growth
// rounded down to the bucket's unit; more only where the request that needs the chunk is larger, then that request
// rounded up to the unit. So a bucket that has shrunk takes small chunks again.
// Sizes in bytes. Pure and thread-safe; no errors.

// What chunk sizes are rounded to that are chosen ahead: a chunk's end is as aligned as its largest alignment asks for.
template <class Bucket>  // a policy's, or one that is planned
[[nodiscard]] constexpr std::uint64_t planned_unit_bytes(const Bucket& bucket) {
    return std::max({std::uint64_t{1}, bucket.granule_bytes.value, bucket.alignment_bytes});
}

// What a chunk is rounded to when it is taken; less may be left for it then than its largest alignment asks for.
[[nodiscard]] std::uint64_t chunk_unit_bytes(const model::BucketPolicy& bucket);

// Before any request makes it larger, not rounded. `largest_bytes`: the device's limit for one allocation.
[[nodiscard]] std::uint64_t next_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                             std::uint64_t largest_bytes);

// For a request that needs so much, a multiple of the unit; `shrink` divides the usual size where memory is short.
[[nodiscard]] std::uint64_t new_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                            std::uint64_t largest_bytes, std::uint64_t shrink,
                                            std::uint64_t needed_bytes);

// How long a bucket keeps empty chunks, so that a workload at the edge of a chunk, or one whose frames differ in size,
// does not take and free them every other frame: the last one of a bucket for `age` collections (frames), any of
// several for an eighth of that, and one that the heap's share for the empty chunks of all its buckets does not hold
// for one: what each frame gives up and takes again stays, however little of the heap may be kept. Sizes in bytes,
// times in collections. Pure and thread-safe; no errors.

// An empty chunk beside another waits this part of the age: frames that differ meet it, a load that is over does not.
inline constexpr std::uint32_t kSurplusAgeParts = 8;
// An empty chunk beyond the heap's share.
inline constexpr std::uint32_t kBeyondShareAge = 1;

// Of a bucket with so many empty chunks, one that has been empty since `empty_since`.
[[nodiscard]] constexpr bool has_outlived(std::uint64_t now, std::uint64_t empty_since, std::uint32_t age,
                                          std::size_t empty_chunks) {
    return now - empty_since > (empty_chunks > 1 ? age / kSurplusAgeParts : age);
}

[[nodiscard]] constexpr std::uint64_t most_kept_empty_bytes(std::uint64_t usable_bytes, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(usable_bytes) * share);
}

// Beside what the heap's buckets keep empty already.
[[nodiscard]] constexpr bool may_keep_empty(std::uint64_t kept_bytes, std::uint64_t chunk_bytes,
                                            std::uint64_t most_bytes) {
    return kept_bytes <= most_bytes && chunk_bytes <= most_bytes - kept_bytes;
}

}  // namespace heapwright::contract
