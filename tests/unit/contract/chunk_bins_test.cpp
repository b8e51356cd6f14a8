// The index of chunks by bins against plain sets, under random changes.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "contract/chunks.hpp"
#include "core/random.hpp"

using heapwright::Random;
using heapwright::contract::ChunkBins;
using heapwright::contract::SlotSet;

TEST_CASE("a set of slots finds the next across words and their summary") {
    constexpr std::size_t kWords = 640;
    using Set = SlotSet<std::uint64_t>;
    std::vector<std::uint64_t> bits(Set::size_for(kWords));
    const Set set(bits.data(), kWords);
    CHECK(set.first_from(0) == Set::kNone);
    for (const std::uint32_t slot : {3u, 63u, 64u, 5000u, 40'000u}) set.add(slot);
    CHECK(set.first_from(0) == 3);
    CHECK(set.first_from(4) == 63);
    CHECK(set.first_from(64) == 64);
    CHECK(set.first_from(65) == 5000);
    CHECK(set.first_from(5001) == 40'000);
    CHECK(set.first_from(40'001) == Set::kNone);
    set.remove(5000);
    CHECK_FALSE(set.contains(5000));
    CHECK(set.first_from(65) == 40'000);
}

TEST_CASE("the index names the chunks of each bin, whatever changed before") {
    Random random(5);
    ChunkBins index;
    std::map<std::uint32_t, std::set<std::uint32_t>> bins_of_chunk;
    for (int change = 0; change < 3000; ++change) {
        const auto slot = static_cast<std::uint32_t>(random.below(200));
        std::set<std::uint32_t>& bins = bins_of_chunk[slot];
        bins.clear();
        std::vector<std::uint64_t> words(1 + random.below(3));  // chunks differ in size
        for (std::uint64_t i = random.below(6); i > 0; --i) {
            const auto bin = static_cast<std::uint32_t>(random.below(words.size() * 64));
            words[bin / 64] |= 1ull << bin % 64;
            bins.insert(bin);
        }
        std::uint32_t loose = ChunkBins::kNone;
        if (random.below(2) == 0) bins.insert(loose = static_cast<std::uint32_t>(random.below(words.size() * 64)));
        if (random.below(8) == 0) {
            index.reserve(slot, words.size());
            index.clear(slot);
            bins.clear();
        } else {
            index.reserve(slot, words.size());
            index.set(slot, words, loose, bins.size());
            REQUIRE(index.agrees(slot, words, loose, bins.size()));
        }
        const auto from = static_cast<std::uint32_t>(random.below(190));
        std::uint32_t expected = ChunkBins::kNone;
        for (const auto& [chunk, its] : bins_of_chunk) {
            const auto next = its.lower_bound(from);
            if (next != its.end()) expected = std::min(expected, *next);
        }
        REQUIRE(index.first_bin_from(from) == expected);
        if (expected == ChunkBins::kNone) continue;
        std::set<std::uint32_t> listed, held;
        for (std::uint32_t chunk = index.first_chunk_from(expected, 0); chunk != ChunkBins::kNone;
             chunk = index.first_chunk_from(expected, chunk + 1))
            listed.insert(chunk);
        for (const auto& [chunk, its] : bins_of_chunk) {
            if (its.contains(expected)) held.insert(chunk);
        }
        REQUIRE(listed == held);
    }
}
