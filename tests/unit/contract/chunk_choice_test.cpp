#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "contract/chunks.hpp"
#include "core/random.hpp"

using namespace heapwright;
using contract::BinsWanted;
using contract::ChunkBins;
using contract::ChunkOrder;

namespace {

constexpr std::uint64_t kPerBin = 4;  // bin b holds the ranges of 4 b to 4 b + 3 bytes

// A chunk that is nothing but free ranges. Where it is asked within a bin, only that of the smallest such bin counts.
struct Ranges {
    std::vector<std::uint64_t> free;

    [[nodiscard]] std::uint64_t smallest_for(std::uint64_t size) const {
        std::uint64_t best = 0;
        for (const std::uint64_t range : free) {
            if (range >= size && (best == 0 || range < best)) best = range;
        }
        return best;
    }
    [[nodiscard]] std::uint64_t free_bytes() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t range : free) sum += range;
        return sum;
    }
    [[nodiscard]] std::vector<std::uint64_t> bins() const {
        std::vector<std::uint64_t> words(1);
        for (const std::uint64_t range : free) words[0] |= 1ull << range / kPerBin;
        return words;
    }
};

std::optional<std::uint32_t> fullest_for(const std::vector<Ranges>& chunks, std::uint64_t size) {
    ChunkOrder order;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) order.add(slot, chunks[slot].free_bytes());
    return contract::allocate_from_fullest(order, size, [&](std::uint32_t slot) {
        return chunks[slot].smallest_for(size) == 0 ? std::nullopt : std::optional(slot);
    });
}

ChunkBins bins_of(const std::vector<Ranges>& chunks) {
    ChunkBins bins;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
        bins.reserve(slot, chunks[slot].bins().size());
        bins.set(slot, chunks[slot].bins(), ChunkBins::kNone, chunks[slot].free_bytes());
    }
    return bins;
}

std::optional<std::uint32_t> tightest_for(const std::vector<Ranges>& chunks, std::uint64_t size,
                                          std::uint32_t* searches = nullptr) {
    const auto first = static_cast<std::uint32_t>(size / kPerBin);
    return contract::allocate_from_tightest(
        bins_of(chunks), BinsWanted{.first = first, .certain = first + 1},
        [&](std::uint32_t slot, std::uint32_t bin, bool) {
            if (searches != nullptr) ++*searches;
            const std::uint64_t range = chunks[slot].smallest_for(size);
            return range != 0 && range / kPerBin <= bin;
        },
        [&](std::uint32_t slot) { return chunks[slot].smallest_for(size) == 0 ? std::nullopt : std::optional(slot); });
}

// Every chunk asked: the smallest bin, then the fullest, then the lowest slot.
std::optional<std::uint32_t> plainly_tightest(const std::vector<Ranges>& chunks, std::uint64_t size) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t slot = 0; slot < chunks.size(); ++slot) {
        if (chunks[slot].smallest_for(size) == 0) continue;
        const auto key = [&](std::uint32_t other) {
            return std::pair(chunks[other].smallest_for(size) / kPerBin, chunks[other].free_bytes());
        };
        if (!best || key(slot) < key(*best)) best = slot;
    }
    return best;
}

}  // namespace

TEST_CASE("the fullest chunk that has room, or the tightest range of all") {
    const std::vector<Ranges> chunks{{{9}}, {{6, 6}}, {{24}}};
    CHECK(fullest_for(chunks, 6) == 0);
    CHECK(tightest_for(chunks, 6) == 1);
    CHECK(fullest_for(chunks, 12) == 2);  // chunk 1 has the bytes, not the range
    CHECK(tightest_for(chunks, 25) == std::nullopt);
    CHECK(fullest_for(chunks, 25) == std::nullopt);
    CHECK(tightest_for({}, 1) == std::nullopt);
}

TEST_CASE("of ranges of one bin the fullest chunk's is taken") {
    CHECK(tightest_for({{{13, 30}}, {{15, 1}}, {{12, 20}}}, 12) == 1);
    CHECK(tightest_for({{{13, 9}}, {{12, 10}}}, 12) == 0);  // both as full: the lower slot
}

TEST_CASE("with as many chunks as there are candidates the choice is that of a search of all") {
    Random random(11);
    for (int round = 0; round < 2000; ++round) {
        std::vector<Ranges> chunks(1 + random.below(contract::kCandidates));
        for (Ranges& chunk : chunks) {
            for (std::uint64_t i = random.below(5); i > 0; --i) chunk.free.push_back(1 + random.below(40));
        }
        const std::uint64_t size = 1 + random.below(44);
        CAPTURE(round, size);
        CHECK(tightest_for(chunks, size) == plainly_tightest(chunks, size));
    }
}

TEST_CASE("of ten thousand chunks as many are searched as of a few") {
    std::vector<Ranges> chunks(10'000, Ranges{{12, 20}});  // 12 is too small for 13, of the same bin
    std::uint32_t searches = 0;
    CHECK(tightest_for(chunks, 13, &searches) == 0u);
    CHECK(searches <= contract::kProbes);
    searches = 0;
    CHECK(tightest_for(std::vector<Ranges>(10'000, Ranges{{12}}), 13, &searches) == std::nullopt);
    CHECK(searches <= contract::kProbes + contract::kDeepProbes);
}

TEST_CASE("a range that the first candidates lack is found before a chunk is said to be missing") {
    std::vector<Ranges> chunks(40, Ranges{{12}});
    chunks[12].free = {14};
    CHECK(tightest_for(chunks, 13) == 12u);
}
