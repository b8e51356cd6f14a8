// Ids of objects: a generation-checked table, so that a stale id is recognised instead of reaching another object.
// insert, find and take are O(1) and thread-safe. find() waits for nobody and writes nothing that is shared; its
// pointer stays valid until that object is taken, which the caller keeps from happening meanwhile. insert() and take()
// of different threads seldom meet: each thread fills slots of one of kShards, under its lock alone. for_each() wants
// no other thread in the table. Id 0 is never given out. A slot's generation wraps after 2^31 reuses.
//
//   segments_[0]  64 slots
//   segments_[1]  64 slots            a slot never moves; all together as many as there were objects at a time, and at
//   segments_[2]  128 slots           most kBlock more for each shard
// A segment is memory alone, its slots are made a block at a time: no insert pays for a whole segment.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/cache_line.hpp"

namespace heapwright::device {

template <class T>
class SlotMap {
public:
    SlotMap() = default;
    SlotMap(const SlotMap&) = delete;
    SlotMap& operator=(const SlotMap&) = delete;
    ~SlotMap() {
        for (std::uint32_t index = 0; index < given_.load(); ++index) std::destroy_at(&at(index));
        for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
            if (Slot* const slots = segments_[segment].load())
                std::allocator<Slot>().deallocate(slots, slots_in(segment));
        }
    }

    // Where host memory runs out nothing has changed.
    [[nodiscard]] std::uint64_t insert(T value) {
        const std::uint32_t mine = shard_of_thread();
        Shard& shard = shards_[mine];
        std::uint32_t index = 0;
        Slot* slot = nullptr;
        {
            const std::scoped_lock lock(shard.mutex);
            if (shard.vacant == kNone) add_block(shard, mine);
            index = shard.vacant;
            slot = &at(index);
            shard.vacant = slot->next;
            ++shard.live;
        }
        slot->value.emplace(std::move(value));
        const std::uint32_t generation = slot->generation.load(std::memory_order_relaxed) + 1;
        slot->generation.store(generation, std::memory_order_release);
        return id_of(generation, index);
    }

    // Null for an id that was never given out or whose object is gone.
    [[nodiscard]] T* find(std::uint64_t id) {
        Slot* slot = slot_of(id);
        if (slot == nullptr || slot->generation.load(std::memory_order_acquire) != generation_of(id)) return nullptr;
        return &*slot->value;
    }

    // The object goes on under another id, and `id` reaches it no more; 0 where it reached nothing.
    [[nodiscard]] std::uint64_t rename(std::uint64_t id) {
        const std::uint64_t other = id_of(generation_of(id) + 2, static_cast<std::uint32_t>(id));
        return replace(id, other) ? other : 0;
    }
    // Back to the id that it had before.
    void undo_rename(std::uint64_t id, std::uint64_t before) { static_cast<void>(replace(id, before)); }

    [[nodiscard]] std::optional<T> take(std::uint64_t id) {
        Slot* slot = slot_of(id);
        std::uint32_t generation = generation_of(id);
        // Whoever raises the generation has the object.
        if (slot == nullptr ||
            !slot->generation.compare_exchange_strong(generation, generation + 1, std::memory_order_acq_rel))
            return std::nullopt;
        std::optional<T> value = std::exchange(slot->value, std::nullopt);
        Shard& shard = shards_[slot->shard];
        const std::scoped_lock lock(shard.mutex);
        slot->next = std::exchange(shard.vacant, static_cast<std::uint32_t>(id));
        --shard.live;
        return value;
    }

    [[nodiscard]] std::size_t size() const {
        std::size_t live = 0;
        for (const Shard& shard : shards_) {
            const std::scoped_lock lock(shard.mutex);
            live += shard.live;
        }
        return live;
    }

    // Every live object, for the end of the owner.
    template <class Visit>
    void for_each(Visit visit) {
        for (std::uint32_t index = 0; index < given_.load(); ++index) {
            if (Slot& slot = at(index); slot.value) visit(*slot.value);
        }
    }

private:
    static constexpr std::uint32_t kShards = 16;
    static constexpr std::uint32_t kBlock = 32;  // slots that a shard takes at a time
    static constexpr std::uint32_t kFirstBits = 6;
    static constexpr std::uint32_t kNone = ~0u;

    struct Slot {
        std::atomic<std::uint32_t> generation{0};  // odd while it holds an object
        std::uint32_t next = kNone;                // vacant: the next of its shard
        std::uint32_t shard = 0;
        std::optional<T> value;
    };
    struct alignas(kCacheLineBytes) Shard {
        mutable std::mutex mutex;
        std::uint32_t vacant = kNone;
        std::size_t live = 0;
    };

    static std::uint64_t id_of(std::uint32_t generation, std::uint32_t index) {
        return static_cast<std::uint64_t>(generation) << 32 | index;
    }
    static std::uint32_t generation_of(std::uint64_t id) { return static_cast<std::uint32_t>(id >> 32); }
    static std::uint32_t shard_of_thread() {
        static std::atomic<std::uint32_t> threads{0};
        thread_local const std::uint32_t mine = threads.fetch_add(1, std::memory_order_relaxed) % kShards;
        return mine;
    }

    struct Place {
        std::uint32_t segment = 0;
        std::uint32_t offset = 0;
    };
    static Place place_of(std::uint32_t index) {
        const std::uint32_t high = index >> kFirstBits;
        const auto segment = static_cast<std::uint32_t>(std::bit_width(high));
        return {.segment = segment, .offset = high == 0 ? index : index - (1u << (kFirstBits + segment - 1))};
    }
    static std::size_t slots_in(std::uint32_t segment) {
        return 1ull << (kFirstBits + (segment == 0 ? 0 : segment - 1));
    }

    Slot& at(std::uint32_t index) {
        const Place place = place_of(index);
        return segments_[place.segment].load(std::memory_order_acquire)[place.offset];
    }
    [[nodiscard]] bool replace(std::uint64_t id, std::uint64_t by) {
        Slot* slot = slot_of(id);
        std::uint32_t generation = generation_of(id);
        return slot != nullptr &&
               slot->generation.compare_exchange_strong(generation, generation_of(by), std::memory_order_acq_rel);
    }
    // Null where there never was one, or one that never held an object of an odd generation.
    Slot* slot_of(std::uint64_t id) {
        const auto index = static_cast<std::uint32_t>(id);
        if (generation_of(id) % 2 == 0 || index >= given_.load(std::memory_order_acquire)) return nullptr;
        return &at(index);
    }

    // Under the shard's lock.
    void add_block(Shard& shard, std::uint32_t number) {
        const std::scoped_lock lock(growth_mutex_);
        const std::uint32_t begin = given_.load(std::memory_order_relaxed);
        const Place place = place_of(begin);  // a block lies in one segment
        if (place.offset == 0)
            segments_[place.segment].store(std::allocator<Slot>().allocate(slots_in(place.segment)),
                                           std::memory_order_release);
        for (std::uint32_t index = begin + kBlock; index-- > begin;) {
            Slot& slot = *std::construct_at(&at(index));
            slot.shard = number;
            slot.next = std::exchange(shard.vacant, index);
        }
        given_.store(begin + kBlock, std::memory_order_release);
    }

    static constexpr std::uint32_t kSegments = 32 - kFirstBits + 1;

    std::array<std::atomic<Slot*>, kSegments> segments_{};
    std::array<Shard, kShards> shards_;
    std::mutex growth_mutex_;
    std::atomic<std::uint32_t> given_{0};  // slots that belong to a shard
};

}  // namespace heapwright::device
