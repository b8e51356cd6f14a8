// Buffers in parts: how many, how large, and that they hold the same.
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <utility>

#include "core/random.hpp"
#include "core/units.hpp"
#include "workload/draw.hpp"
#include "workload/stream.hpp"

namespace split_test {

using namespace heapwright;
using workload::parts_of;

namespace {

model::BufferHint buffers(std::uint64_t smallest, std::uint64_t largest, std::uint32_t count) {
    return {.smallest_bytes = smallest,
            .largest_bytes = largest,
            .distribution = model::SizeDistribution::kUniform,
            .count = count,
            .splittable = true};
}

model::Workload split_buffers(const model::Workload& whole, std::uint64_t most_bytes) {
    const auto policy = std::make_unique<model::DevicePolicy>();
    policy->largest_buffer_bytes.emplace().value = most_bytes;
    return workload::split_buffers(whole, *policy);
}

}  // namespace

TEST_CASE("a buffer is made of as few parts of one size as hold it") {
    const struct {
        std::uint64_t bytes;
        std::uint64_t most;
        std::uint64_t parts;
        std::uint64_t part_bytes;
    } cases[] = {
        {5 * kGiB, 4 * kGiB - 2 * kMiB, 2, 5 * kGiB / 2},
        {5 * kGiB, 128 * kMiB, 40, 128 * kMiB},
        {8753520640, 2 * kGiB, 5, 1750728704},
        {7 * kGiB, 0xffffffff, 2, 7 * kGiB / 2},
        {2 * kGiB, 2 * kGiB, 1, 2 * kGiB},
        {10'000, 4096, 3, 3334},
    };
    for (const auto& one : cases) {
        INFO(one.bytes << " by " << one.most);
        const workload::Parts parts = parts_of(buffers(one.bytes, one.bytes, 1), one.most);
        CHECK(parts.count == one.parts);
        CHECK(parts.bytes == one.part_bytes);
    }
}

TEST_CASE("parts keep to the bound, hold what the whole does and less than a unit more, and stay a workload") {
    Random random(29);
    for (int round = 0; round < 2'000; ++round) {
        const std::uint64_t largest = 1 + random.below(1ull << random.between(1, 40));
        const std::uint64_t smallest = 1 + random.below(largest);
        const std::uint64_t most = 1 + largest / (1 + random.below(1'000));
        model::Workload whole;
        whole.buffers = {buffers(smallest, largest, 1 + static_cast<std::uint32_t>(random.below(50)))};
        if (round % 3 == 0 && std::bit_floor(largest) >= smallest)
            whole.buffers[0].distribution = model::SizeDistribution::kPowersOfTwo;
        INFO("round " << round << ": " << smallest << " to " << largest << " by " << most);
        REQUIRE(workload::check_workload(whole));
        const workload::Parts parts = parts_of(whole.buffers[0], most);
        const model::Workload split = split_buffers(whole, most);
        const model::BufferHint& hint = split.buffers[0];
        CHECK(workload::check_workload(split));
        CHECK(hint.largest_bytes <= most);
        CHECK(hint.largest_bytes * parts.count >= largest);
        CHECK(hint.largest_bytes - largest / parts.count <= workload::kPartUnit);
        CHECK(hint.count == whole.buffers[0].count * parts.count);
        CHECK(parts_of(hint, most).count == 1);
    }
}

TEST_CASE("what is not splittable or not too large stays as it is, and every hint keeps its place") {
    model::Workload whole;
    whole.images = {{.count = 3}};
    whole.buffers = {buffers(3 * kGiB, 3 * kGiB, 2), buffers(3 * kGiB, 3 * kGiB, 2), buffers(kMiB, kGiB, 7)};
    whole.buffers[0].splittable = false;
    const model::Workload split = split_buffers(whole, kGiB);
    REQUIRE(split.buffers.size() == 3);
    CHECK(split.images.size() == 1);
    CHECK(split.buffers[0].largest_bytes == 3 * kGiB);
    CHECK(split.buffers[0].count == 2);
    CHECK(split.buffers[1].smallest_bytes == kGiB);
    CHECK(split.buffers[1].largest_bytes == kGiB);
    CHECK(split.buffers[1].count == 6);
    CHECK(split.buffers[2].smallest_bytes == kMiB);
    CHECK(split.buffers[2].count == 7);
}

TEST_CASE("storage buffers have a bound of their own where the policy has one, and none has any without") {
    model::Workload whole;
    whole.buffers = {buffers(kGiB, kGiB, 2), buffers(kGiB, kGiB, 2)};
    whole.buffers[0].usage = model::buffer_usage::kStorage;
    whole.buffers[1].usage = model::buffer_usage::kVertex;
    model::DevicePolicy policy;
    const auto counts = [&] {
        const model::Workload split = workload::split_buffers(whole, policy);
        return std::pair(split.buffers[0].count, split.buffers[1].count);
    };
    CHECK(counts() == std::pair(2u, 2u));
    policy.largest_buffer_bytes = {.value = kGiB / 2, .why = {}};
    CHECK(counts() == std::pair(4u, 4u));
    policy.largest_storage_buffer_bytes = {.value = kGiB / 8, .why = {}};
    CHECK(counts() == std::pair(16u, 4u));
}

TEST_CASE("a split without end is cut off, not wrapped") {
    model::Workload whole;
    whole.buffers = {buffers(1, ~0ull, ~0u)};
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}}) {
        const model::Workload split = split_buffers(whole, most);
        CHECK(split.buffers[0].count == ~0u);
        CHECK(split.buffers[0].largest_bytes >= split.buffers[0].smallest_bytes);
        CHECK(split.buffers[0].smallest_bytes >= 1);
    }
}

}  // namespace split_test
