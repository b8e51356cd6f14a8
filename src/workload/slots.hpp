// Dense slots for the ids that operations name resources by: a play keeps what is alive in a vector. Slots are used
// again, the latest first. Memory grows with what is alive at once. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace heapwright::workload {

class Slots {
public:
    // Empty: the id is alive already.
    [[nodiscard]] std::optional<std::uint32_t> take(std::uint64_t id) {
        if ((count_ + 1) * 2 > entries_.size()) grow();
        const std::size_t at = place_of(id);
        if (entries_[at].is_taken) return std::nullopt;
        std::uint32_t slot = next_;
        if (free_.empty()) {
            ++next_;
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        entries_[at] = {.id = id, .slot = slot, .is_taken = true};
        ++count_;
        return slot;
    }

    // Empty: the id is not alive.
    [[nodiscard]] std::optional<std::uint32_t> give_back(std::uint64_t id) {
        if (entries_.empty()) return std::nullopt;
        std::size_t at = place_of(id);
        if (!entries_[at].is_taken) return std::nullopt;
        const std::uint32_t slot = entries_[at].slot;
        --count_;
        // What stands behind moves up, unless it would move before its home.
        for (std::size_t behind = next(at); entries_[behind].is_taken; behind = next(behind)) {
            const std::size_t wanted = home(entries_[behind].id);
            const bool stays = at <= behind ? at < wanted && wanted <= behind : at < wanted || wanted <= behind;
            if (stays) continue;
            entries_[at] = entries_[behind];
            at = behind;
        }
        entries_[at].is_taken = false;
        free_.push_back(slot);
        return slot;
    }

private:
    struct Entry {
        std::uint64_t id = 0;
        std::uint32_t slot = 0;
        bool is_taken = false;
    };

    [[nodiscard]] std::size_t home(std::uint64_t id) const {
        std::uint64_t mixed = id * 0x9E37'79B9'7F4A'7C15u;
        mixed ^= mixed >> 32;
        return static_cast<std::size_t>(mixed) & (entries_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
    // Where it is, or would go.
    [[nodiscard]] std::size_t place_of(std::uint64_t id) const {
        std::size_t at = home(id);
        while (entries_[at].is_taken && entries_[at].id != id) at = next(at);
        return at;
    }
    void grow() {
        constexpr std::size_t kFirst = 64;
        std::vector<Entry> old(entries_.empty() ? kFirst : entries_.size() * 2);
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.is_taken) entries_[place_of(entry.id)] = entry;
        }
    }

    std::vector<Entry> entries_;  // a power of two of them, at most half of them taken
    std::size_t count_ = 0;
    std::vector<std::uint32_t> free_;
    std::uint32_t next_ = 0;
};

}  // namespace heapwright::workload
