// What rules reserve and cost on traces whose answer can be told by hand.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/units.hpp"
#include "policy/simulation.hpp"
#include "policy/vma.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace simulation_test {

using namespace heapwright;
using Catch::Approx;

namespace {

// 1 us and 1 us a MiB; freeing costs half.
model::DeviceReport device_with_curve() {
    model::DeviceReport device = test::radv_like_device();
    model::MemoryCostCurve curve{.memory_type = 0};
    for (const std::uint64_t mib : {1ull, 1024ull}) {
        const std::uint64_t ns = 1000 + 1000 * mib;
        curve.points.push_back({.size_bytes = mib * kMiB, .samples = 1, .allocate_ns = ns, .free_ns = ns / 2});
    }
    device.run.memory_cost = {curve};
    return device;
}

struct Scene {
    model::DeviceReport device = device_with_curve();
    model::Workload workload;
    policy::Context context{.device = device, .workload = workload, .device_index = 0};
    policy::AllocationCost cost{context, 0, policy::CostBasis::kCaptured};
};

struct TraceBuilder {
    policy::SampledTrace trace;

    std::uint32_t create(std::uint64_t size, std::uint64_t alignment = 256) {
        const auto index = static_cast<std::uint32_t>(trace.resources.size());
        trace.resources.push_back({.size_bytes = size, .alignment_bytes = alignment});
        trace.steps.push_back({.kind = policy::TraceStep::Kind::kCreate, .resource = index});
        return index;
    }
    void destroy(std::uint32_t index) {
        trace.steps.push_back({.kind = policy::TraceStep::Kind::kDestroy, .resource = index});
    }
    void end_frame() { trace.steps.push_back({}); }
    void end_load() {
        end_frame();
        trace.load_steps = trace.steps.size();
    }
};

bool all(const policy::SampledResource&) {
    return true;
}

policy::ChunkRule fixed(std::uint64_t bytes) {
    return {.chunk_bytes = bytes, .first_bytes = bytes, .granule_bytes = 256};
}

}  // namespace

TEST_CASE("A latency curve is interpolated between its points and extended along its last two") {
    const Scene scene;
    CHECK(scene.cost.is_measured());
    CHECK(scene.cost.allocate_ns(1024 * kMiB) == Approx(1'025'000));
    CHECK(scene.cost.allocate_ns(512 * kMiB) == Approx(513'000));
    CHECK(scene.cost.free_ns(512 * kMiB) == Approx(256'500));
    CHECK(scene.cost.allocate_ns(2048 * kMiB) == Approx(2'049'000));
    CHECK(scene.cost.allocate_ns(1) == scene.cost.allocate_ns(kMiB));  // the call itself remains
    REQUIRE(scene.cost.evidence(1024 * kMiB).size() == 1);
    CHECK(scene.cost.evidence(1024 * kMiB).front().value == model::nanoseconds(1'025'000));
}

TEST_CASE("A size that has not settled spreads no less than its curve") {
    model::DeviceReport device = device_with_curve();
    model::MemoryCostCurve& curve = device.run.memory_cost.front();
    curve.allocate_fit = model::MemoryCostFit{.least_ratio = 0.5, .late_ratio = 3};
    for (model::MemoryCostPoint& point : curve.points) {
        point.allocate_min_ns = point.allocate_ns;
        point.allocate_p90_ns = point.allocate_ns;
        point.steadiness = model::Steadiness::kSteady;
    }
    curve.points.back().steadiness = model::Steadiness::kTooFewSamples;
    const model::Workload workload;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::AllocationCost cost(context, 0);
    CHECK(cost.late_allocate_ns(kMiB) == Approx(2000));
    CHECK(cost.least_allocate_ns(kMiB) == Approx(2000));
    CHECK(cost.late_allocate_ns(kGiB) == Approx(3 * 1'025'000));
    CHECK(cost.least_allocate_ns(kGiB) == Approx(0.5 * 1'025'000));
}

TEST_CASE("Memory dedicated to an image costs what was measured of it") {
    model::DeviceReport device = device_with_curve();
    model::MemoryCostCurve& curve = device.run.memory_cost.front();
    const model::Workload workload;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::AllocationCost unknown(context, 0);
    CHECK(unknown.late_allocate_ns(kGiB, policy::MemoryOwner::kOneImage) == unknown.late_allocate_ns(kGiB));
    curve.dedicated_image_points = curve.points;
    for (model::MemoryCostPoint& point : curve.dedicated_image_points) {
        for (std::uint64_t model::MemoryCostPoint::*cost :
             {&model::MemoryCostPoint::allocate_ns, &model::MemoryCostPoint::allocate_min_ns,
              &model::MemoryCostPoint::allocate_p90_ns})
            point.*cost /= 4;
        point.free_ns *= 2;
        point.free_min_ns *= 2;
        point.free_p90_ns *= 2;
    }
    const policy::AllocationCost known(context, 0);
    CHECK(known.late_allocate_ns(kGiB) == unknown.late_allocate_ns(kGiB));
    CHECK(known.late_allocate_ns(kGiB, policy::MemoryOwner::kOneImage) == Approx(known.late_allocate_ns(kGiB) / 4));
    CHECK(known.least_allocate_ns(kGiB, policy::MemoryOwner::kOneImage) == Approx(known.least_allocate_ns(kGiB) / 4));
    CHECK(known.late_free_ns(kGiB, policy::MemoryOwner::kOneImage) == Approx(known.late_free_ns(kGiB) * 2));
    CHECK(known.least_free_ns(kGiB, policy::MemoryOwner::kOneImage) == Approx(known.least_free_ns(kGiB) * 2));
}

TEST_CASE("Without a curve the cost is a stated assumption") {
    model::DeviceReport device = test::radv_like_device();
    device.run.memory_cost.clear();
    const model::Workload workload;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::AllocationCost cost(context, 0);
    CHECK_FALSE(cost.is_measured());
    CHECK(cost.evidence(kMiB).empty());
    CHECK(test::makes(cost.source(), model::ClaimId::kCostAssumed));
    CHECK(cost.allocate_ns(64 * kMiB) > cost.allocate_ns(kMiB));
}

TEST_CASE("Chunks of one size: what they reserve, their number and their dearest frame") {
    const Scene scene;
    TraceBuilder builder;
    for (int i = 0; i < 4; ++i) builder.create(kMiB);
    builder.end_load();
    const std::uint32_t more = builder.create(kMiB);  // the third chunk of 2 MiB
    builder.end_frame();
    builder.destroy(more);
    builder.end_frame();
    const auto figures = policy::simulate(builder.trace, fixed(2 * kMiB), scene.cost, all);
    CHECK(figures.peak_allocations == 3);
    CHECK(figures.allocation_calls == 3);
    CHECK(figures.peak_reserved_bytes == 6 * kMiB);
    CHECK(figures.mean_used_bytes == Approx(4.5 * kMiB));
    CHECK(figures.mean_reserved_bytes == Approx(6.0 * kMiB));  // the empty chunk is kept for a while
    CHECK(figures.worst_frame_ns == Approx(3000));
    CHECK(figures.mean_frame_ns == Approx(1500));
    CHECK(figures.waste() == Approx(1.0 / 3));
}

TEST_CASE("An empty chunk goes back after some frames when another is empty, after many when it is the last") {
    const Scene scene;
    TraceBuilder builder;
    const std::uint32_t one = builder.create(kMiB);
    const std::uint32_t other = builder.create(kMiB);
    builder.end_load();
    builder.destroy(one);
    builder.destroy(other);
    for (int frame = 0; frame < 400; ++frame) builder.end_frame();
    const auto figures = policy::simulate(builder.trace, fixed(kMiB), scene.cost, all);
    CHECK(figures.peak_reserved_bytes == 2 * kMiB);
    // Two for 15 frames, one for 120, of 400.
    CHECK(figures.mean_reserved_bytes == Approx((15 + 120) / 400.0 * kMiB));
}

TEST_CASE("What is above the threshold gets memory of its own, and only what belongs is placed") {
    const Scene scene;
    TraceBuilder builder;
    builder.create(3 * kMiB);
    builder.create(kMiB);
    builder.create(5 * kMiB);
    builder.end_load();
    builder.end_frame();
    policy::ChunkRule rule = fixed(4 * kMiB);
    rule.dedicated_threshold_bytes = 2 * kMiB;
    const auto figures = policy::simulate(
        builder.trace, rule, scene.cost, [](const policy::SampledResource& one) { return one.size_bytes != 5 * kMiB; });
    CHECK(figures.peak_reserved_bytes == 7 * kMiB);
    CHECK(figures.peak_allocations == 2);
    CHECK(figures.mean_used_bytes == Approx(4.0 * kMiB));
}

TEST_CASE("An empty chunk beyond its heap's share of empty ones goes back a frame later") {
    const Scene scene;
    TraceBuilder builder;
    std::vector<std::uint32_t> live;
    for (int i = 0; i < 4; ++i) live.push_back(builder.create(kMiB));
    builder.end_load();
    for (const std::uint32_t one : live) builder.destroy(one);
    for (int frame = 0; frame < 2; ++frame) builder.end_frame();
    builder.trace.heap_bytes = 16 * kMiB;  // an eighth: two chunks
    const auto figures = policy::simulate(builder.trace, fixed(kMiB), scene.cost, all);
    CHECK(figures.peak_reserved_bytes == 4 * kMiB);
    CHECK(figures.mean_reserved_bytes == Approx(3.0 * kMiB));
    CHECK(figures.worst_frame_ns == Approx(2000));
}

TEST_CASE("The tightest free range of all chunks keeps large ranges whole") {
    const Scene scene;
    TraceBuilder builder;
    std::vector<std::uint32_t> live;
    for (const std::uint64_t mib : {4u, 1u, 3u, 2u, 2u, 2u, 2u}) live.push_back(builder.create(mib * kMiB));
    for (const int gone : {2, 3, 5}) builder.destroy(live[static_cast<std::size_t>(gone)]);
    builder.create(2 * kMiB);
    builder.create(3 * kMiB);  // fits only where the request before left the range of 3 MiB whole
    builder.end_load();
    builder.end_frame();
    policy::ChunkRule rule = fixed(8 * kMiB);
    rule.choice = model::ChunkChoice::kTightest;
    CHECK(policy::simulate(builder.trace, rule, scene.cost, all).peak_allocations == 2);
    rule.choice = model::ChunkChoice::kFullest;
    CHECK(policy::simulate(builder.trace, rule, scene.cost, all).peak_allocations == 3);
}

TEST_CASE("The Vulkan Memory Allocator's blocks: 1/8, 1/4, 1/2, dedicated above half, one empty block") {
    const Scene scene;
    TraceBuilder builder;
    std::vector<std::uint32_t> live;
    for (int i = 0; i < 40; ++i) live.push_back(builder.create(8 * kMiB));
    builder.create(129 * kMiB);
    builder.end_load();
    builder.end_frame();
    // 32 MiB hold 4, 64 hold 8, 128 hold 16, 256 the last 12.
    const auto figures = policy::simulate_vma(builder.trace, 80 * kGiB, 1, scene.cost);
    CHECK(figures.peak_allocations == 5);
    CHECK(figures.peak_reserved_bytes == (32 + 64 + 128 + 256 + 129) * kMiB);
    CHECK(figures.worst_frame_ns == Approx(257'000));

    policy::VmaPool pool(policy::vma_block_bytes(kGiB), 1);
    CHECK(pool.preferred_block_bytes() == 128 * kMiB);
    CHECK(pool.new_block_sizes(kMiB) == std::vector<std::uint64_t>{16 * kMiB});
    CHECK(pool.new_block_sizes(20 * kMiB) == std::vector<std::uint64_t>{64 * kMiB, 32 * kMiB});
    CHECK(pool.prefers_dedicated(64 * kMiB + 1));
    CHECK_FALSE(pool.prefers_dedicated(64 * kMiB));
}

}  // namespace simulation_test
