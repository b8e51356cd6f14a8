// The order of chunks against a plain list that is sorted move by move.
#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/contract/chunk_choice.hpp"
#include "heapwright/contract/chunk_order.hpp"
#include "heapwright/core/random.hpp"

using heapwright::Random;
using heapwright::contract::ChunkOrder;

namespace {

std::vector<std::uint32_t> slots_of(const ChunkOrder& order, std::uint64_t free_bytes = 0, std::uint32_t bin = 0) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = order.first(free_bytes, bin); slot != ChunkOrder::kNone; slot = order.next(slot, bin))
        slots.push_back(slot);
    return slots;
}

// What the order promises, move by move.
struct PlainOrder {
    struct Entry {
        std::uint32_t slot = 0;
        std::uint64_t free_bytes = 0;
        std::uint32_t bin = 0;
    };
    std::vector<Entry> entries;

    void add(const Entry& entry) {
        entries.push_back(entry);
        settle(entries.size() - 1);
    }
    void remove(std::uint32_t slot) {
        std::erase_if(entries, [&](const Entry& entry) { return entry.slot == slot; });
    }
    void set(const Entry& entry) {
        const auto found = std::ranges::find(entries, entry.slot, &Entry::slot);
        *found = entry;
        settle(static_cast<std::size_t>(found - entries.begin()));
    }
    [[nodiscard]] std::vector<std::uint32_t> slots(std::uint64_t free_bytes, std::uint32_t bin) const {
        std::vector<std::uint32_t> slots;
        for (const Entry& entry : entries) {
            if (entry.free_bytes >= free_bytes && entry.bin >= bin) slots.push_back(entry.slot);
        }
        return slots;
    }

private:
    void settle(std::size_t at) {
        for (; at > 0 && entries[at - 1].free_bytes > entries[at].free_bytes; --at)
            std::swap(entries[at - 1], entries[at]);
        for (; at + 1 < entries.size() && entries[at + 1].free_bytes < entries[at].free_bytes; ++at)
            std::swap(entries[at + 1], entries[at]);
    }
};

}  // namespace

TEST_CASE("a chunk passes those that it must and no equal one") {
    ChunkOrder order;
    order.add(0, 50);
    order.add(1, 30);
    order.add(2, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{1, 2, 0});
    order.set(0, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{1, 2, 0});
    order.set(1, 31);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 0, 1});
    order.set(1, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 0, 1});
    CHECK(order.first(30) == 2);
    CHECK(order.first(31) == ChunkOrder::kNone);
    order.remove(0);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 1});
}

TEST_CASE("chunks without a free range that is large enough are passed by") {
    ChunkOrder order;
    order.add(0, 10, 2);
    order.add(1, 20, 9);
    order.add(2, 30, 4);
    order.add(3, 40, 9);
    CHECK(slots_of(order, 0, 5) == std::vector<std::uint32_t>{1, 3});
    CHECK(slots_of(order, 25, 3) == std::vector<std::uint32_t>{2, 3});
    CHECK(order.first(0, 10) == ChunkOrder::kNone);
    order.set(1, 20, 3);
    CHECK(slots_of(order, 0, 5) == std::vector<std::uint32_t>{3});

    std::vector<std::uint32_t> tried;
    const auto refuse = [&](std::uint32_t slot) {
        tried.push_back(slot);
        return false;
    };
    CHECK_FALSE(heapwright::contract::allocate_from_fullest(order, 15, 4, refuse));
    CHECK(tried == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("the order is that of the plain list after any changes") {
    Random random(7);
    for (const std::uint64_t chunks : {3u, 40u, 300u}) {
        ChunkOrder order;
        PlainOrder plain;
        std::vector<bool> is_in(chunks, false);
        for (int i = 0; i < 3000; ++i) {
            const auto slot = static_cast<std::uint32_t>(random.below(chunks));
            const PlainOrder::Entry entry{slot, random.below(chunks / 3 + 4),
                                          static_cast<std::uint32_t>(random.below(8))};
            if (!is_in[slot]) {
                order.add(slot, entry.free_bytes, entry.bin);
                plain.add(entry);
                is_in[slot] = true;
            } else if (random.below(8) == 0) {
                order.remove(slot);
                plain.remove(slot);
                is_in[slot] = false;
            } else {
                order.set(slot, entry.free_bytes, entry.bin);
                plain.set(entry);
            }
            CAPTURE(chunks, i);
            REQUIRE(order.is_sound());
            REQUIRE(order.size() == plain.entries.size());
            const std::uint64_t bytes = random.below(chunks / 3 + 4);
            const auto bin = static_cast<std::uint32_t>(random.below(9));
            REQUIRE(slots_of(order) == plain.slots(0, 0));
            REQUIRE(slots_of(order, bytes, bin) == plain.slots(bytes, bin));
        }
    }
}
