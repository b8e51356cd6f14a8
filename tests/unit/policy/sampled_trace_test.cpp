// A sampled trace is a possible run of the workload: deterministic, bounded, and what it destroys is alive.
#include <set>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "heapwright/policy/sampled_trace.hpp"

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
    CHECK(most_alive(trace) == 302);
    REQUIRE(trace.load_steps != 0);
    CHECK(trace.steps[trace.load_steps - 1].kind == TraceStep::Kind::kEndFrame);
    for (const auto& resource : trace.resources) {
        CHECK(resource.size_bytes >= 1);
        CHECK(resource.size_bytes <= 1 << 20);
    }
    CHECK(trace.largest_bytes <= 1 << 20);
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
    CHECK(most_alive(trace) <= 152);
    const auto by_bytes = scene.sample({.most_bytes = 8 << 20});
    CHECK(by_bytes.share < 0.3);
    CHECK(most_alive(by_bytes) < 100);
}

TEST_CASE("Nothing placed gives an empty trace") {
    Scene scene;
    CHECK(scene.sample().steps.empty());
}
