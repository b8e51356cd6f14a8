#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "heapwright/contract/chunk_choice.hpp"
#include "heapwright/core/random.hpp"

using namespace heapwright;
using contract::ChunkOrder;
using contract::ChunkSearch;
using model::ChunkChoice;

namespace {

// A chunk that is nothing but free ranges, and says less of them than it knows.
struct Ranges {
    std::vector<std::uint64_t> free;

    [[nodiscard]] std::uint64_t fit_bytes(std::uint64_t size, std::uint64_t) const {
        std::uint64_t best = 0;
        for (const std::uint64_t range : free) {
            if (range >= size && (best == 0 || range < best)) best = range;
        }
        return best;
    }
    [[nodiscard]] std::uint64_t least_fit_bytes(std::uint64_t size) const {
        const std::uint64_t fit = fit_bytes(size, 1);
        return fit == 0 ? 0 : std::max(size, fit / 2);
    }
    [[nodiscard]] std::uint64_t free_bytes() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t range : free) sum += range;
        return sum;
    }
};

std::optional<std::uint32_t> chunk_for(ChunkSearch& search, ChunkChoice choice, const std::vector<Ranges>& chunks,
                                       std::uint64_t size) {
    ChunkOrder order;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) order.add(slot, chunks[slot].free_bytes());
    return search.allocate(
        choice, order, size, 1, [&](std::uint32_t slot) -> const Ranges& { return chunks[slot]; },
        [&](std::uint32_t slot) { return chunks[slot].fit_bytes(size, 1) == 0 ? std::nullopt : std::optional(slot); });
}

// Every chunk asked, in order of free bytes.
std::optional<std::uint32_t> plainly_tightest(const std::vector<Ranges>& chunks, std::uint64_t size) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
        const std::uint64_t fit = chunks[slot].fit_bytes(size, 1);
        if (fit == 0) continue;
        const auto key = [&](std::uint32_t other) {
            return std::pair(chunks[other].fit_bytes(size, 1), chunks[other].free_bytes());
        };
        if (!best || key(slot) < key(*best)) best = slot;
    }
    return best;
}

}  // namespace

TEST_CASE("the fullest chunk that has room, or the tightest range of all") {
    ChunkSearch search;
    const std::vector<Ranges> chunks{{{3}}, {{2, 2}}, {{8}}};
    CHECK(chunk_for(search, ChunkChoice::kFullest, chunks, 2) == 0);
    CHECK(chunk_for(search, ChunkChoice::kTightest, chunks, 2) == 1);
    CHECK(chunk_for(search, ChunkChoice::kFullest, chunks, 4) == 2);  // chunk 1 has the bytes, not the range
    CHECK(chunk_for(search, ChunkChoice::kTightest, chunks, 9) == std::nullopt);
    CHECK(chunk_for(search, ChunkChoice::kFullest, chunks, 9) == std::nullopt);
    CHECK(chunk_for(search, ChunkChoice::kTightest, {}, 1) == std::nullopt);
}

TEST_CASE("of equal ranges the fullest chunk's is taken") {
    ChunkSearch search;
    CHECK(chunk_for(search, ChunkChoice::kTightest, {{{4, 9}}, {{4, 1}}, {{4, 5}}}, 3) == 1);
}

TEST_CASE("what is left out of the search never holds the tightest range") {
    Random random(11);
    ChunkSearch search;
    for (int round = 0; round < 2000; ++round) {
        std::vector<Ranges> chunks(1 + random.below(12));
        for (Ranges& chunk : chunks) {
            for (std::uint64_t i = random.below(5); i > 0; --i) chunk.free.push_back(1 + random.below(20));
        }
        const std::uint64_t size = 1 + random.below(22);
        CAPTURE(round, size);
        const auto found = chunk_for(search, ChunkChoice::kTightest, chunks, size);
        const auto expected = plainly_tightest(chunks, size);
        REQUIRE(found.has_value() == expected.has_value());
        if (!found) continue;
        CHECK(chunks[*found].fit_bytes(size, 1) == chunks[*expected].fit_bytes(size, 1));
        CHECK(chunks[*found].free_bytes() == chunks[*expected].free_bytes());
    }
}
