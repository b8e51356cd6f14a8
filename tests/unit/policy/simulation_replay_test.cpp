// The search's simulation against the runtime's own bucket on a replayed device: the same trace, the same rules, the
// same chunks frame by frame, and the time that the report's latency curve charges for them.
#include <algorithm>
#include <cmath>
#include <map>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/units.hpp"
#include "policy/simulation.hpp"
#include "pool/bucket.hpp"
#include "pool/budgeted_memory.hpp"
#include "replay/device.hpp"
#include "synthetic_device.hpp"

namespace simulation_replay_test {

using namespace heapwright;
using Catch::Approx;
using policy::TraceStep;

namespace {

// 100 us and 20 us a MiB; freeing costs a quarter. Every chunk size that is tried is a measured point.
model::DeviceReport device_with_curve() {
    model::DeviceReport device = test::radv_like_device();
    model::MemoryCostCurve curve{.memory_type = 0};
    for (std::uint64_t mib = 1; mib <= 256; mib *= 2) {
        const std::uint64_t ns = 100'000 + 20'000 * mib;
        curve.points.push_back({.size_bytes = mib * kMiB, .samples = 5, .allocate_ns = ns, .free_ns = ns / 4});
    }
    device.run.memory_cost = {curve};
    return device;
}

policy::SampledTrace trace_of(model::Workload& workload) {
    std::vector<policy::Demand> demands;
    const auto add = [&](model::Lifetime lifetime, double count, std::uint64_t size, std::uint64_t alignment) {
        policy::Demand demand;
        demand.lifetime = lifetime;
        demand.count = count;
        demand.mean_bytes = static_cast<double>(size) * 0.6;
        demand.requirements = {.size_bytes = size, .alignment_bytes = alignment, .memory_type_bits = 1};
        demands.push_back(demand);
    };
    add(model::Lifetime::kPersistent, 40, 2 * kMiB, 4096);
    add(model::Lifetime::kStreaming, 300, kMiB, 256);
    add(model::Lifetime::kStreaming, 60, 3 * kMiB, 65536);
    add(model::Lifetime::kLevel, 64, kMiB / 2, 4096);
    add(model::Lifetime::kFrame, 6, kMiB, 256);
    workload.steps_per_frame = 20;
    std::vector<policy::PlacedDemand> placed;
    for (const policy::Demand& demand : demands) placed.push_back({.demand = &demand});
    return policy::sample_trace(workload, placed, policy::churning_units(placed), {});
}

template <class T>
model::Decided<T> chosen(T value) {
    return {.value = value, .why = {}};
}

model::BucketPolicy runtime_bucket(const policy::ChunkRule& rule) {
    model::BucketPolicy bucket;
    bucket.id = "linear/65536/0";
    bucket.resource_classes = {model::ResourceClass::kLinear};
    bucket.alignment_bytes = 65536;
    bucket.chunk_size_bytes = chosen(rule.chunk_bytes);
    if (rule.first_bytes < rule.chunk_bytes)
        bucket.growth = model::ChunkGrowth{.first_chunk_bytes = chosen(rule.first_bytes),
                                           .divisor = chosen<std::uint64_t>(rule.divisor)};
    bucket.suballocator = chosen(model::SuballocatorKind::kTlsf);
    bucket.granule_bytes = chosen(rule.granule_bytes);
    bucket.chunk_choice = chosen(rule.choice);
    return bucket;
}

// What simulate() says, from the runtime's bucket on the device that the report replays.
policy::SimulatedFigures play(const policy::SampledTrace& trace, const policy::ChunkRule& rule,
                              const model::DeviceReport& report) {
    auto device = replay::open_replay(report, {.interpolate = true});
    REQUIRE(device);
    model::DevicePolicy limits;
    limits.heaps = {{.heap = 0, .usable_bytes = chosen(report.heaps[0].size_bytes)}};
    limits.max_chunks = chosen<std::uint64_t>(4096);
    pool::BudgetedMemory heaps((*device)->facts(), (*device)->memory(), limits, ~0ull, 0);
    const model::BucketPolicy policy = runtime_bucket(rule);
    pool::Bucket bucket(policy, heaps, {.kept_empty_bytes = ~0ull});
    policy::SimulatedFigures figures;
    std::map<std::uint32_t, pool::Placement> live;
    std::uint64_t used = 0;
    double frames = 0;
    std::uint64_t before = (*device)->clock().now_ns();
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TraceStep& step = trace.steps[at];
        const auto& resource = trace.resources[step.resource];
        if (step.kind == TraceStep::Kind::kCreate) {
            const auto made = bucket.allocate(resource.size_bytes, resource.alignment_bytes);
            REQUIRE(made);
            live.emplace(step.resource, *made);
            used += resource.size_bytes;
            figures.peak_reserved_bytes = std::max(figures.peak_reserved_bytes, heaps.state().reserved_bytes);
            figures.peak_allocations = std::max(figures.peak_allocations, heaps.state().allocations);
        } else if (step.kind == TraceStep::Kind::kDestroy) {
            REQUIRE(bucket.free(live.at(step.resource)));
            live.erase(step.resource);
            used -= resource.size_bytes;
        } else {
            bucket.age();
            const std::uint64_t now = (*device)->clock().now_ns();
            const auto spent = static_cast<double>(now - before);
            before = now;
            if (at < trace.load_steps) continue;
            figures.worst_frame_ns = std::max(figures.worst_frame_ns, spent);
            figures.mean_frame_ns += spent;
            figures.mean_reserved_bytes += static_cast<double>(heaps.state().reserved_bytes);
            figures.mean_used_bytes += static_cast<double>(used);
            ++frames;
        }
    }
    figures.allocation_calls = heaps.state().calls;
    figures.mean_frame_ns /= frames;
    figures.mean_reserved_bytes /= frames;
    figures.mean_used_bytes /= frames;
    return figures;
}

}  // namespace

TEST_CASE("the simulation takes the chunks that the runtime's bucket takes on the replayed device, at its cost") {
    const model::DeviceReport report = device_with_curve();
    model::Workload workload;
    const policy::SampledTrace trace = trace_of(workload);
    const policy::Context context{.device = report, .workload = workload, .device_index = 0};
    const policy::AllocationCost cost(context, 0, policy::CostBasis::kCaptured);
    for (const auto choice : {model::ChunkChoice::kTightest, model::ChunkChoice::kFullest}) {
        for (const std::uint64_t mib : {4ull, 8ull, 32ull, 128ull}) {
            for (const std::uint64_t divisor : {0ull, 4ull}) {
                const policy::ChunkRule rule{.chunk_bytes = mib * kMiB,
                                             .first_bytes = divisor == 0 ? mib * kMiB : mib * kMiB / divisor,
                                             .divisor = std::max<std::uint64_t>(1, divisor),
                                             .granule_bytes = 256,
                                             .choice = choice};
                CAPTURE(static_cast<int>(choice), mib, divisor);
                const auto simulated =
                    policy::simulate(trace, rule, cost, [](const policy::SampledResource&) { return true; });
                const auto real = play(trace, rule, report);
                CHECK(simulated.allocation_calls == real.allocation_calls);
                CHECK(simulated.peak_allocations == real.peak_allocations);
                CHECK(simulated.peak_reserved_bytes == real.peak_reserved_bytes);
                CHECK(simulated.mean_reserved_bytes == Approx(real.mean_reserved_bytes));
                CHECK(simulated.mean_used_bytes == Approx(real.mean_used_bytes));
                CHECK(simulated.mean_frame_ns == Approx(real.mean_frame_ns).epsilon(0.01).margin(1));
                // The simulation lets some frame bear the dearest allocation of the load.
                CHECK(simulated.worst_frame_ns >= real.worst_frame_ns * 0.99);
                CHECK(simulated.worst_frame_ns <=
                      std::max(real.worst_frame_ns, cost.allocate_ns(rule.chunk_bytes)) * 1.01);
            }
        }
    }
}

}  // namespace simulation_replay_test
