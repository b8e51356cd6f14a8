// Ids of objects: a generation-checked table, so that a stale id is recognised instead of reaching another object.
// insert, find and take are O(1) and thread-safe; the pointer of find() stays valid until that object is taken, which
// the caller keeps from happening meanwhile. Id 0 is never given out. A slot's generation wraps after 2^32 reuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace heapwright::device {

template <class T>
class SlotMap {
public:
    [[nodiscard]] std::uint64_t insert(T value) {
        const std::scoped_lock lock(mutex_);
        std::uint32_t index = 0;
        if (free_.empty()) {
            index = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back();
            free_.reserve(slots_.size());  // take() never allocates
        } else {
            index = free_.back();
            free_.pop_back();
        }
        Slot& slot = slots_[index];
        slot.value.emplace(std::move(value));
        return (static_cast<std::uint64_t>(slot.generation) << 32) | index;
    }

    // Null for an id that was never given out or whose object is gone.
    [[nodiscard]] T* find(std::uint64_t id) {
        const std::scoped_lock lock(mutex_);
        Slot* slot = live_slot(id);
        return slot == nullptr ? nullptr : &*slot->value;
    }

    [[nodiscard]] std::optional<T> take(std::uint64_t id) {
        const std::scoped_lock lock(mutex_);
        Slot* slot = live_slot(id);
        if (slot == nullptr) return std::nullopt;
        std::optional<T> value = std::exchange(slot->value, std::nullopt);
        if (++slot->generation == 0) slot->generation = 1;
        free_.push_back(static_cast<std::uint32_t>(id));
        return value;
    }

    [[nodiscard]] std::size_t size() const {
        const std::scoped_lock lock(mutex_);
        return slots_.size() - free_.size();
    }

    // Every live object, for the end of the owner.
    template <class Visit>
    void for_each(Visit visit) {
        const std::scoped_lock lock(mutex_);
        for (Slot& slot : slots_) {
            if (slot.value) visit(*slot.value);
        }
    }

private:
    struct Slot {
        std::uint32_t generation = 1;
        std::optional<T> value;
    };

    Slot* live_slot(std::uint64_t id) {
        const auto index = static_cast<std::uint32_t>(id);
        if (index >= slots_.size()) return nullptr;
        Slot& slot = slots_[index];
        return slot.value && slot.generation == static_cast<std::uint32_t>(id >> 32) ? &slot : nullptr;
    }

    mutable std::mutex mutex_;
    std::deque<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

}  // namespace heapwright::device
