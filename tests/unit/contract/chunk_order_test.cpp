// The order of chunks against a plain list that is sorted move by move.
#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "contract/chunks.hpp"
#include "core/random.hpp"

using heapwright::Random;
using heapwright::contract::ChunkOrder;

namespace {

std::vector<std::uint32_t> slots_of(const ChunkOrder& order) {
    std::vector<std::uint32_t> slots;
    for (const ChunkOrder::Entry& entry : order.entries()) slots.push_back(entry.slot);
    return slots;
}

}  // namespace

TEST_CASE("a chunk passes those that it must and no equal one") {
    ChunkOrder order;
    order.add(0, 50);
    order.add(1, 30);
    order.add(2, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{1, 2, 0});
    order.set_free_bytes(0, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{1, 2, 0});
    order.set_free_bytes(1, 31);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 0, 1});
    order.set_free_bytes(1, 30);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 0, 1});
    CHECK(order.first_with(30) == 0);
    CHECK(order.first_with(31) == 3);
    order.remove(0);
    CHECK(slots_of(order) == std::vector<std::uint32_t>{2, 1});
}

TEST_CASE("every chunk is at its place after any changes") {
    Random random(7);
    ChunkOrder order;
    std::vector<std::uint64_t> free(40, 0);
    std::vector<bool> is_in(free.size(), false);
    for (int i = 0; i < 4000; ++i) {
        const auto slot = static_cast<std::uint32_t>(random.below(free.size()));
        const std::uint64_t bytes = random.below(12);
        if (!is_in[slot]) {
            order.add(slot, bytes);
            is_in[slot] = true;
        } else if (random.below(8) == 0) {
            order.remove(slot);
            is_in[slot] = false;
        } else {
            order.set_free_bytes(slot, bytes);
        }
        free[slot] = bytes;
        REQUIRE(order.size() == static_cast<std::size_t>(std::ranges::count(is_in, true)));
        REQUIRE(std::ranges::is_sorted(order.entries(), {}, &ChunkOrder::Entry::free_bytes));
        for (const ChunkOrder::Entry& entry : order.entries()) {
            REQUIRE(is_in[entry.slot]);
            REQUIRE(entry.free_bytes == free[entry.slot]);
            REQUIRE(order.is_at_its_place(entry.slot));
        }
    }
}
