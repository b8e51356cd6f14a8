// A sampled trace is a possible run of the workload: deterministic, bounded, and what it destroys is alive.
#include <algorithm>
#include <set>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "policy/simulation.hpp"

using namespace heapwright;
using policy::TraceStep;

namespace {

struct Scene {
    std::vector<policy::Demand> demands;
    std::vector<policy::PlacedDemand> placed;
    model::Workload workload;

    void add(model::Lifetime lifetime, double count, std::uint64_t size) {
        policy::Demand demand;
        demand.lifetime = lifetime;
        demand.count = count;
        demand.mean_bytes = static_cast<double>(size) * 0.75;
        demand.requirements = {.size_bytes = size, .alignment_bytes = 256, .memory_type_bits = 1};
        demands.push_back(demand);
    }
    policy::SampledTrace sample(const policy::SampleOptions& options = {}) {
        placed.clear();
        for (const policy::Demand& demand : demands) placed.push_back({.demand = &demand});
        return policy::sample_trace(workload, placed, policy::churning_units(placed), options);
    }
};

// The frame in which each resource is destroyed, after the one in which it was created; those of the end are left out.
std::vector<std::size_t> frames_lived(const policy::SampledTrace& trace, std::uint64_t size) {
    std::vector<std::size_t> created(trace.resources.size());
    std::vector<std::size_t> lived;
    std::size_t frame = 0;
    for (const TraceStep& step : trace.steps) {
        if (step.kind == TraceStep::Kind::kEndFrame) {
            ++frame;
        } else if (trace.resources[step.resource].size_bytes <= size) {
            if (step.kind == TraceStep::Kind::kCreate) created[step.resource] = frame;
            if (step.kind == TraceStep::Kind::kDestroy) lived.push_back(frame - created[step.resource]);
        }
    }
    return lived;
}

std::size_t most_alive(const policy::SampledTrace& trace) {
    std::set<std::uint32_t> alive;
    std::size_t most = 0;
    for (const TraceStep& step : trace.steps) {
        if (step.kind == TraceStep::Kind::kCreate) {
            CHECK(alive.insert(step.resource).second);
        } else if (step.kind == TraceStep::Kind::kDestroy) {
            CHECK(alive.erase(step.resource) == 1);
        }
        most = std::max(most, alive.size());
    }
    return most;
}

Scene mixed() {
    Scene scene;
    scene.add(model::Lifetime::kPersistent, 30, 1 << 20);
    scene.add(model::Lifetime::kStreaming, 200, 1 << 16);
    scene.add(model::Lifetime::kLevel, 64, 1 << 18);
    scene.add(model::Lifetime::kFrame, 8, 1 << 12);
    return scene;
}

}  // namespace

TEST_CASE("A trace destroys what is alive and keeps the population") {
    Scene scene = mixed();
    const auto trace = scene.sample();
    CHECK(trace.share == 1.0);
    // What three frames in flight and this one gave up still lives: their own eight each, and what they exchanged, the
    // last group of four begun.
    const std::size_t in_flight = 4u * (8 + scene.workload.steps_per_frame + 3);
    CHECK(most_alive(trace) > 302 + 3 * 8);
    CHECK(most_alive(trace) <= 302 + in_flight);
    REQUIRE(trace.load_steps != 0);
    CHECK(trace.steps[trace.load_steps - 1].kind == TraceStep::Kind::kEndFrame);
    for (const auto& resource : trace.resources) {
        CHECK(resource.size_bytes >= 1);
        CHECK(resource.size_bytes <= 1 << 20);
    }
    CHECK(trace.largest_bytes <= 1 << 20);
}

TEST_CASE("What a frame gives up is destroyed when the device is through with it, from the first counted frame on") {
    for (const std::uint32_t in_flight : {1u, 2u, 5u}) {
        Scene scene;
        scene.workload.frames_in_flight = in_flight;
        scene.add(model::Lifetime::kFrame, 8, 1 << 12);
        const auto trace = scene.sample();
        const auto lived = frames_lived(trace, 1 << 12);
        CHECK(lived.size() > 100);
        CHECK(std::ranges::all_of(lived, [&](std::size_t frames) { return frames == in_flight; }));
        CHECK(most_alive(trace) == 8 * (in_flight + 1));
        // Where the counted frames begin, as many are alive as ever are at a frame's end.
        std::size_t alive = 0;
        for (std::size_t at = 0; at < trace.load_steps; ++at) {
            if (trace.steps[at].kind == TraceStep::Kind::kCreate) ++alive;
            if (trace.steps[at].kind == TraceStep::Kind::kDestroy) --alive;
        }
        CHECK(alive == 8 * in_flight);
    }
}

TEST_CASE("The same workload gives the same trace, another seed another") {
    Scene scene = mixed();
    const auto sizes = [&] {
        std::vector<std::uint64_t> all;
        for (const auto& resource : scene.sample().resources) all.push_back(resource.size_bytes);
        return all;
    };
    const auto first = sizes();
    CHECK(sizes() == first);
    scene.workload.seed += 1;
    CHECK(sizes() != first);
}

TEST_CASE("A population that is too large is drawn in proportion") {
    Scene scene = mixed();
    const auto trace = scene.sample({.most_resources = 151});
    CHECK(trace.share == Catch::Approx(0.5));
    CHECK(trace.share_of_held == Catch::Approx(0.5));
    CHECK(most_alive(trace) <= 152 + 4u * (4 + scene.workload.steps_per_frame + 3));
    const auto by_bytes = scene.sample({.most_bytes = 8 << 20});
    CHECK(by_bytes.share < 0.3);
    CHECK(by_bytes.share_of_held == 1.0);
    CHECK(most_alive(by_bytes) < 100 + 4 * (scene.workload.steps_per_frame + 3));
}

TEST_CASE("Nothing placed gives an empty trace") {
    Scene scene;
    CHECK(scene.sample().steps.empty());
}
