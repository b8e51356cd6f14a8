// Which chunk takes a request: the policy's choice, seen in the chunk that it gets.
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

// Two chunks of 8 MiB. The first, fuller one has one free range of 3 MiB; the second has two of 2 MiB.
//   first   |      4      | 1 |(  3  )|
//   second  |( 2 )|  2  |( 2 )|  2  |
std::uint32_t chunk_for_two_mib(model::ChunkChoice choice, std::uint32_t& first, std::uint32_t& second) {
    model::DevicePolicy policy = pool_policy();
    policy.buckets[kBuffers].chunk_choice = chosen(choice);
    const PoolScene scene(policy, {}, {.kept_empty_share = 0});
    std::vector<pool::Placement> live;
    for (const std::uint64_t mib : {4u, 1u, 3u, 2u, 2u, 2u, 2u})
        live.push_back(scene.buffer_memory(mib * kMib).value());
    first = live[0].chunk;
    second = live[3].chunk;
    REQUIRE(first != second);
    REQUIRE(live[2].chunk == first);
    REQUIRE(live[6].chunk == second);
    scene.free(live[2]);
    scene.free(live[3]);
    scene.free(live[5]);
    const auto placed = scene.buffer_memory(2 * kMib);
    REQUIRE(placed);
    REQUIRE(scene.pool->validate_invariants());
    return placed->chunk;
}

}  // namespace

TEST_CASE("the fullest chunk that has room takes a request") {
    std::uint32_t first = 0, second = 0;
    CHECK(chunk_for_two_mib(model::ChunkChoice::kFullest, first, second) == first);
}

TEST_CASE("the tightest free range of all chunks takes a request") {
    std::uint32_t first = 0, second = 0;
    const std::uint32_t chosen_chunk = chunk_for_two_mib(model::ChunkChoice::kTightest, first, second);
    CHECK(chosen_chunk == second);
}
