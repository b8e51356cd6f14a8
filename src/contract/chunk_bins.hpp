// The chunks of a bucket by the size bins of their free ranges: for each bin the chunks that have a free range in it,
// as bits, so that what a search costs does not grow with the chunks. Bins are numbers in ascending order of size; the
// suballocator says what they stand for. Chunks are named by their slots, small numbers that are used again.
// Sizes in bytes. Not thread-safe; no errors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heapwright::contract {

// A set of small numbers, with one bit over each 64 words' worth of them.
class SlotSet {
public:
    static constexpr std::uint32_t kNone = ~0u;

    void add(std::uint32_t slot) {
        const std::size_t word = slot / 64;
        if (word >= words_.size()) {
            words_.resize(word + 1);
            summary_.resize(word / 64 + 1);
        }
        // The summary is memory of its own: it is left alone where it says so already.
        if (words_[word] == 0) summary_[word / 64] |= bit(word);
        words_[word] |= bit(slot);
    }
    // It is in the set.
    void remove(std::uint32_t slot) {
        const std::size_t word = slot / 64;
        if ((words_[word] &= ~bit(slot)) == 0) summary_[word / 64] &= ~bit(word);
    }
    [[nodiscard]] bool contains(std::uint32_t slot) const {
        return slot / 64 < words_.size() && (words_[slot / 64] & bit(slot)) != 0;
    }
    // The first at or after `slot`.
    [[nodiscard]] std::uint32_t first_from(std::uint32_t slot) const {
        std::size_t word = slot / 64;
        if (word >= words_.size()) return kNone;
        if (const std::uint64_t rest = words_[word] & (~0ull << slot % 64); rest != 0) return number(word, rest);
        ++word;
        for (std::size_t i = word / 64; i < summary_.size(); ++i, word = i * 64) {
            const std::uint64_t filled = summary_[i] & (~0ull << word % 64);
            if (filled == 0) continue;
            const std::size_t found = i * 64 + static_cast<std::size_t>(std::countr_zero(filled));
            return number(found, words_[found]);
        }
        return kNone;
    }

    // visit(slot) of each in ascending order, until it says false.
    template <class Visit>
    void visit(Visit&& visit) const {
        for (std::size_t i = 0; i < summary_.size(); ++i) {
            for (std::uint64_t filled = summary_[i]; filled != 0; filled &= filled - 1) {
                const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(filled));
                for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1)
                    if (!visit(number(word, rest))) return;
            }
        }
    }

private:
    static std::uint64_t bit(std::size_t number) { return 1ull << number % 64; }
    static std::uint32_t number(std::size_t word, std::uint64_t bits) {
        return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> summary_;
};

class ChunkBins {
public:
    static constexpr std::uint32_t kNone = SlotSet::kNone;

    // The chunk's bins as bits from the lowest on, one of them beyond those (kNone: none), and its free bytes. Also for
    // a chunk that is new.
    void set(std::uint32_t slot, std::span<const std::uint64_t> bins, std::uint32_t one_more,
             std::uint64_t free_bytes) {
        if (bins.size() > words_ || slot >= free_bytes_.size()) [[unlikely]]
            make_room(slot, bins.size());
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
    [[nodiscard]] std::uint32_t first_bin_from(std::uint32_t bin) const { return filled_.first_from(bin); }
    // The first chunk at or after `slot` with a free range in the bin, which is one of first_bin_from().
    [[nodiscard]] std::uint32_t first_chunk_from(std::uint32_t bin, std::uint32_t slot) const {
        return bins_[bin].chunks.first_from(slot);
    }
    // visit(slot) of each such chunk in ascending order, until it says false.
    template <class Visit>
    void visit_chunks(std::uint32_t bin, Visit&& visit) const {
        bins_[bin].chunks.visit(visit);
    }
    [[nodiscard]] std::uint64_t free_bytes(std::uint32_t slot) const { return free_bytes_[slot]; }

    // Whether the index says exactly that of the chunk.
    [[nodiscard]] bool agrees(std::uint32_t slot, std::span<const std::uint64_t> bins, std::uint32_t one_more,
                              std::uint64_t free_bytes) const {
        if (slot >= free_bytes_.size() || free_bytes_[slot] != free_bytes || bins.size() > words_) return false;
        for (std::uint32_t bin = 0; bin < words_ * 64; ++bin) {
            const bool has = bin == one_more || (bin / 64 < bins.size() && (bins[bin / 64] >> bin % 64 & 1) != 0);
            if (has != bins_[bin].chunks.contains(slot) || (has && !filled_.contains(bin))) return false;
        }
        return true;
    }

private:
    struct Bin {
        SlotSet chunks;
        std::uint32_t count = 0;
    };

    void change(std::uint32_t slot, std::size_t word, std::uint64_t now, std::uint64_t& known) {
        std::uint64_t changed = now ^ known;
        known = now;
        for (; changed != 0; changed &= changed - 1) {
            const auto bin =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(changed));
            Bin& one = bins_[bin];
            if ((now & changed & (0 - changed)) != 0) {
                one.chunks.add(slot);
                if (one.count++ == 0) filled_.add(bin);
            } else {
                one.chunks.remove(slot);
                if (--one.count == 0) filled_.remove(bin);
            }
        }
    }

    void make_room(std::uint32_t slot, std::size_t words) {
        if (words > words_) {
            std::vector<std::uint64_t> wider(free_bytes_.size() * words);
            for (std::size_t i = 0; i < free_bytes_.size(); ++i)
                std::copy_n(known_.begin() + static_cast<std::ptrdiff_t>(i * words_), words_,
                            wider.begin() + static_cast<std::ptrdiff_t>(i * words));
            known_ = std::move(wider);
            words_ = words;
            bins_.resize(words * 64);
        }
        if (slot < free_bytes_.size()) return;
        free_bytes_.resize(slot + std::size_t{1});
        known_.resize(free_bytes_.size() * words_);
    }

    std::size_t words_ = 0;             // of a chunk's bins
    std::vector<std::uint64_t> known_;  // `words_` for each slot
    std::vector<std::uint64_t> free_bytes_;
    std::vector<Bin> bins_;
    SlotSet filled_;  // bins
};

}  // namespace heapwright::contract
