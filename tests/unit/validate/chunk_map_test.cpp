// The map of a pool's chunks: its bounds, its figures against the pool's, and the moments that scenarios take it at.
#include <algorithm>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "pool/memory_pool.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"
#include "validate/chunk_map.hpp"

using namespace heapwright;

namespace {

void check_sound(const model::MappedChunk& chunk) {
    CHECK(chunk.used_bytes + chunk.free_bytes == chunk.size_bytes);
    CHECK(chunk.largest_free_bytes <= chunk.free_bytes);
    const auto& by_size = chunk.free_ranges_by_size;
    CHECK(std::accumulate(by_size.begin(), by_size.end(), std::uint64_t{0}) == chunk.free_ranges);
    CHECK((by_size.empty() || by_size.back() != 0));
    REQUIRE(chunk.used_percent.size() == model::kMaxMapCells);
    const double mean = std::accumulate(chunk.used_percent.begin(), chunk.used_percent.end(), 0.0) /
                        static_cast<double>(chunk.used_percent.size());
    const double share = static_cast<double>(chunk.used_bytes) / static_cast<double>(chunk.size_bytes) * 100.0;
    CHECK(mean > share - 1.5);
    CHECK(mean < share + 1.5);
}

}  // namespace

TEST_CASE("a cell reads 0 only where all is free, and 100 only where all is used") {
    CHECK(validate::percent_of(0.0) == 0);
    CHECK(validate::percent_of(0.0001) == 1);
    CHECK(validate::percent_of(0.334) == 33);
    CHECK(validate::percent_of(0.9999) == 99);
    CHECK(validate::percent_of(1.0) == 100);
}

TEST_CASE("of more chunks than a map holds, the fullest are left out") {
    model::ChunkMap map;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const std::uint64_t free = i % 2 == 0 ? 5 : 3;
        map.chunks.push_back({.pool = "p", .size_bytes = i + 1, .free_bytes = i < 10 ? 7 : free});
    }
    validate::bound(map);
    REQUIRE(map.chunks.size() == model::kMaxMappedChunks);
    CHECK(map.chunks_left_out == 36);
    // All ten of 7, all 45 of 5, and the first nine of 3; in the order that they had.
    CHECK(std::ranges::count(map.chunks, 7u, &model::MappedChunk::free_bytes) == 10);
    CHECK(std::ranges::count(map.chunks, 5u, &model::MappedChunk::free_bytes) == 45);
    CHECK(std::ranges::count(map.chunks, 3u, &model::MappedChunk::free_bytes) == 9);
    CHECK(std::ranges::is_sorted(map.chunks, {}, &model::MappedChunk::size_bytes));

    model::ChunkMap small;
    small.chunks.resize(model::kMaxMappedChunks);
    validate::bound(small);
    CHECK(small.chunks.size() == model::kMaxMappedChunks);
    CHECK(small.chunks_left_out == 0);
}

TEST_CASE("a map has the pool's own figures, chunk by chunk") {
    const auto device = *replay::open_replay(test::scene_report(), {.interpolate = true});
    const model::DevicePolicy policy = test::scene_policy();
    const auto pool = *pool::MemoryPool::create(*device, policy, {});
    std::vector<pool::Resource> kept;
    for (std::uint64_t i = 0; i < 60; ++i) {
        auto made = pool->create(model::BufferDescription{.size_bytes = 1 + i * 5000, .usage = test::kBufferUsage},
                                 model::MemoryUse::kDeviceOnly);
        REQUIRE(made);
        if (i % 3 != 0) kept.push_back(std::move(*made));
    }
    REQUIRE(pool->release_completed(TimelineValue{1}));
    const model::ChunkMap map = validate::chunk_map_of(*pool);
    const pool::PoolFigures figures = pool->figures();
    suballoc::Figures sum;
    for (const model::MappedChunk& chunk : map.chunks) {
        check_sound(chunk);
        sum.capacity += chunk.size_bytes;
        sum.used += chunk.used_bytes;
        sum.free_range_count += chunk.free_ranges;
        sum.suballocation_count += chunk.suballocations;
        sum.internal_waste += chunk.internal_waste_bytes;
    }
    CHECK_FALSE(map.chunks.empty());
    CHECK(sum.capacity == figures.suballocations.capacity);
    CHECK(sum.used == figures.suballocations.used);
    CHECK(sum.free_range_count == figures.suballocations.free_range_count);
    CHECK(sum.suballocation_count == figures.suballocations.suballocation_count);
    CHECK(sum.internal_waste == figures.suballocations.internal_waste);
    CHECK(sum.suballocation_count == kept.size());
}

TEST_CASE("scenarios of memory map their chunks at the end, and defragmentation before it too") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    REQUIRE(replay);
    model::DevicePolicy policy = test::scene_policy();
    for (model::BucketPolicy& bucket : policy.buckets) bucket.chunk_size_bytes.value = test::kMib;
    const auto result = validate::validate(**replay, policy, test::scene_workload(), test::scene_options());
    if (!result) FAIL(to_string(result.error()));
    for (const model::ScenarioResult& scenario : result->scenarios) {
        INFO(scenario.name);
        REQUIRE(scenario.occupancy);
        const bool is_defragmentation = scenario.name == "defragmentation";
        const std::vector<model::ChunkMap>& maps = scenario.occupancy->maps;
        REQUIRE(maps.size() == (is_defragmentation ? 2u : 1u));
        CHECK(maps.back().moment == "end");
        CHECK(maps.back().step >= scenario.occupancy->steps.back());
        for (const model::ChunkMap& map : maps) {
            REQUIRE_FALSE(map.chunks.empty());
            for (const model::MappedChunk& chunk : map.chunks) check_sound(chunk);
        }
        if (!is_defragmentation) continue;
        CHECK(maps.front().moment == "before-defragmentation");
        // The same resources in fewer chunks.
        const auto sum = [](const model::ChunkMap& map, std::uint64_t model::MappedChunk::*figure) {
            std::uint64_t count = 0;
            for (const model::MappedChunk& chunk : map.chunks) count += chunk.*figure;
            return count;
        };
        CHECK(sum(maps.front(), &model::MappedChunk::suballocations) ==
              sum(maps.back(), &model::MappedChunk::suballocations));
        CHECK(maps.front().chunks.size() > maps.back().chunks.size());
    }
}
