// The chunks of a bucket by their free bytes, the fullest first: flat arrays, so that a search of many chunks meets few
// cache lines, and a place for each chunk, so that nothing looks for it.
// Guarantees: a chunk whose free bytes change passes those that it must and no equal one. Chunks are named by their
// slots, small numbers that are used again. Sizes in bytes. Not thread-safe; no errors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heapwright::contract {

class ChunkOrder {
public:
    struct Entry {
        std::uint64_t free_bytes = 0;
        std::uint32_t slot = 0;
    };

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

}  // namespace heapwright::contract
