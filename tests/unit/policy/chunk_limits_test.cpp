// What the chunks of a bucket may take of a device, on figures that can be told by hand.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/units.hpp"
#include "policy/bucket_search.hpp"
#include "synthetic_device.hpp"

namespace chunk_limits_test {

using namespace heapwright;
using Catch::Approx;
using policy::LimitsKept;

namespace {

struct Case {
    policy::ChunkLimits limits{.frame_budget_ns = 16'000,
                               .frame_parts = 8,
                               .wanted_allocations = 10,
                               .allowed_allocations = 100,
                               .expected_bytes = 100.0 * kMiB,
                               .most_bytes = 140.0 * kMiB,
                               .simulated_share = 1};
    policy::SimulatedFigures figures{
        .peak_reserved_bytes = 120 * kMiB, .peak_allocations = 10, .worst_frame_ns = 2'000};
    policy::ChunkRule rule{.chunk_bytes = 10 * kMiB};

    [[nodiscard]] LimitsKept kept() const { return policy::limits_kept(figures, rule, limits); }
};

}  // namespace

TEST_CASE("a frame may take its part of the budget, and where nothing does, all of it") {
    Case one;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.worst_frame_ns = 2'001;
    CHECK(one.kept() == LimitsKept::kOfDevice);
    one.limits.frame_parts = 4;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.worst_frame_ns = 16'000;
    CHECK(one.kept() == LimitsKept::kOfDevice);
    one.figures.worst_frame_ns = 16'001;
    CHECK(one.kept() == LimitsKept::kNone);
}

TEST_CASE("device allocations may be those that are wanted, and where nothing keeps to them, those of the policy") {
    Case one;
    one.figures.peak_allocations = 11;
    CHECK(one.kept() == LimitsKept::kOfDevice);
    one.figures.peak_allocations = 100;
    CHECK(one.kept() == LimitsKept::kOfDevice);
    one.figures.peak_allocations = 101;
    CHECK(one.kept() == LimitsKept::kNone);
    // Eleven of a quarter of the resources are 44 of all.
    one.figures.peak_allocations = 11;
    one.limits.simulated_share = 0.25;
    one.limits.allowed_allocations = 43;
    CHECK(one.kept() == LimitsKept::kNone);
}

TEST_CASE("a bucket with little in it keeps its two device allocations, however small the simulated part is") {
    Case one;
    one.limits.wanted_allocations = 2;
    one.limits.allowed_allocations = 2;
    one.limits.most_bytes.reset();
    one.limits.simulated_share = 0.1;
    one.figures.peak_allocations = 1;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.peak_allocations = 2;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.peak_allocations = 3;
    CHECK(one.kept() == LimitsKept::kNone);
}

TEST_CASE("what is reserved at most fits the bucket's part of its heap") {
    Case one;
    one.figures.peak_reserved_bytes = 140 * kMiB;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.peak_reserved_bytes += 1;
    CHECK(one.kept() == LimitsKept::kNone);
    one.limits.most_bytes.reset();
    CHECK(one.kept() == LimitsKept::kAll);
}

TEST_CASE("of what a part of the resources leaves unused, two chunks stay two, the rest grows with the resources") {
    Case one;
    one.limits.simulated_share = 0.5;
    one.limits.wanted_allocations = 100;
    // 50 MiB of resources, 20 in two chunks, and 10 that are 20 for all: 100 + 20 + 20.
    one.figures.peak_reserved_bytes = 80 * kMiB;
    CHECK(one.kept() == LimitsKept::kAll);
    one.figures.peak_reserved_bytes += 1;
    CHECK(one.kept() == LimitsKept::kNone);
}

TEST_CASE("a heap's room is what the whole workload leaves, and none where that is more than the heap") {
    policy::Demand small;
    small.count = 10;
    small.mean_bytes = kMiB;
    small.requirements = {.size_bytes = kMiB, .alignment_bytes = 256, .memory_type_bits = 0b111};
    policy::Demand own = small;
    own.requirements.dedicated = model::Dedicated::kRequired;
    const std::vector<policy::PlacedDemand> placed = {{.demand = &small, .memory_type = 0, .heap = 0},
                                                      {.demand = &small, .memory_type = 1, .heap = 0},
                                                      {.demand = &own, .memory_type = 2, .heap = 0},
                                                      {.demand = &small, .memory_type = 3, .heap = 1}};
    const policy::BucketInputs inputs{.placed = placed,
                                      .dedicated = model::DedicatedRule::kWhenRequired,
                                      .humongous_threshold_bytes = kMiB,
                                      .separate_linear_and_optimal = true};
    std::vector<model::HeapPolicy> heaps(2);
    heaps[0].usable_bytes.value = 50 * kMiB;
    heaps[1].usable_bytes.value = 10 * kMiB - 1;
    const auto rooms = policy::find_room(inputs, heaps);
    REQUIRE(rooms.size() == 2);
    REQUIRE(rooms[0].spare_bytes);
    CHECK(*rooms[0].spare_bytes == Approx(20.0 * kMiB));
    CHECK(rooms[0].memory_types == 2);
    CHECK_FALSE(rooms[1].spare_bytes);
}

}  // namespace chunk_limits_test
