#include <catch2/catch_test_macros.hpp>

#include "contract/scaling.hpp"
#include "contract_policy.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

contract::RunningMemory memory(std::uint64_t first_mib, std::uint64_t second_mib) {
    return {.heaps = {{.size_bytes = first_mib * kMib, .budget_bytes = {}},
                      {.size_bytes = second_mib * kMib, .budget_bytes = {}}},
            .heap_of_type = {0, 1}};
}

std::uint64_t chunk(const model::DevicePolicy& policy, std::size_t bucket) {
    return policy.buckets[bucket].chunk_size_bytes.value;
}

}  // namespace

TEST_CASE("the same memory changes nothing") {
    model::DevicePolicy policy = contract_policy();
    CHECK(contract::scale(policy, memory(1024, 256)).empty());
    CHECK(policy.feasibility.empty());
}

TEST_CASE("a larger heap gives the same share and keeps its chunks") {
    model::DevicePolicy policy = contract_policy();
    const auto changes = contract::scale(policy, memory(2048, 256));
    REQUIRE(changes.size() == 1);
    const auto& heap = std::get<contract::HeapScaled>(changes.front());
    CHECK(heap.usable_before == 800 * kMib);
    CHECK(heap.usable_now == 1600 * kMib);
    CHECK(policy.heaps[0].usable_bytes.value == 1600 * kMib);
    CHECK(policy.heaps[0].size_bytes == 2048 * kMib);
    CHECK(chunk(policy, kLargeImages) == 8 * kMib);
    REQUIRE(policy.feasibility.size() == 2);
    CHECK(policy.feasibility[0].one_chunk_each_bytes == 16 * kMib);
    CHECK(policy.feasibility[0].fits);
}

TEST_CASE("a smaller heap shrinks its chunks to an eighth or their share, and what belongs in them") {
    model::DevicePolicy policy = contract_policy();
    policy.buckets[kSmallImages].growth =
        model::ChunkGrowth{.first_chunk_bytes = chosen(2 * kMib), .divisor = chosen<std::uint64_t>(4)};
    policy.buckets[kLargeImages].dedicated_threshold_bytes = chosen(6 * kMib);
    const auto changes = contract::scale(policy, memory(16, 256));  // 12.5 MiB usable
    CHECK(changes.size() == 3);
    const std::uint64_t eighth = 25 * kMib / 2 / 8;
    CHECK(chunk(policy, kLargeImages) == eighth / 65536 * 65536);
    CHECK(chunk(policy, kSmallImages) == eighth / 1024 * 1024);
    CHECK(policy.buckets[kLargeImages].dedicated_threshold_bytes->value == chunk(policy, kLargeImages));
    // Its first chunk would be no smaller, so every chunk is the same; larger resources get memory of their own.
    CHECK_FALSE(policy.buckets[kSmallImages].growth);
    REQUIRE(policy.buckets[kSmallImages].dedicated_threshold_bytes);
    CHECK(policy.buckets[kSmallImages].dedicated_threshold_bytes->value == chunk(policy, kSmallImages));
    CHECK(chunk(policy, kBuffers) == 8 * kMib);
}

TEST_CASE("a budget counts as the heap's size does") {
    model::DevicePolicy policy = contract_policy();
    contract::RunningMemory running = memory(1024, 256);
    running.heaps[1].budget_bytes = 64 * kMib;
    const auto changes = contract::scale(policy, running);
    REQUIRE_FALSE(changes.empty());
    CHECK(std::get<contract::HeapScaled>(changes.front()).heap == 1);
    CHECK(policy.heaps[1].usable_bytes.value == 50 * kMib);
    CHECK(policy.heaps[1].size_bytes == 256 * kMib);
}

TEST_CASE("one chunk for each bucket fits, and chunks ahead take the room that is left") {
    model::DevicePolicy policy = contract_policy();
    for (model::BucketPolicy& bucket : policy.buckets) bucket.chunks_ahead = chosen<std::uint64_t>(3);
    policy.buckets[kBuffers].chunk_size_bytes.value = 150 * kMib;
    policy.buckets[kShared].chunk_size_bytes.value = 120 * kMib;
    const auto changes = contract::scale(policy, memory(1024, 255));
    const std::uint64_t usable = policy.heaps[1].usable_bytes.value;
    CHECK(chunk(policy, kBuffers) + chunk(policy, kShared) <= usable);
    CHECK(chunk(policy, kBuffers) >= chunk(policy, kShared));
    CHECK(policy.buckets[kBuffers].chunks_ahead->value == 0);
    CHECK(policy.buckets[kShared].chunks_ahead->value == 0);
    CHECK(policy.buckets[kLargeImages].chunks_ahead->value == 3);
    std::size_t for_others = 0;
    for (const contract::Scaled& change : changes) {
        const auto* shrunk = std::get_if<contract::ChunkScaled>(&change);
        if (shrunk != nullptr && shrunk->for_others) ++for_others;
    }
    CHECK(for_others == 2);
    REQUIRE(policy.feasibility.size() == 2);
    CHECK(policy.feasibility[1].fits);
}

TEST_CASE("a heap that holds not even the smallest chunks says so") {
    model::DevicePolicy policy = contract_policy();
    contract::RunningMemory running = memory(1024, 256);
    running.heaps[0].budget_bytes = 64 * kKib;
    REQUIRE_FALSE(contract::scale(policy, running).empty());
    REQUIRE_FALSE(policy.feasibility.empty());
    CHECK_FALSE(policy.feasibility[0].fits);
    CHECK(chunk(policy, kLargeImages) == 65536);
    CHECK(chunk(policy, kSmallImages) == 1024);
}
