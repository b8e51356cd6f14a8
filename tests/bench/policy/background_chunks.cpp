// What chunks prepared in the background do to the worst frame of streaming, on a replayed report whose curve charges
// what allocating and freeing device memory took on that device. Three runs of the same operations for each seed: the
// policy's chunks with `chunks_ahead` of them ready, the same chunks on demand, and chunks of 256 MiB on demand.
//   bench_background REPORT [SEEDS]
// Target: a worst frame at least 10 times shorter than with 256 MiB chunks on demand. Exit code 1 when it is missed.
// The load counts as well, by its longest allocation: with some seeds all chunks of 256 MiB are taken there. Frames are
// charged with the device's time alone, from the measured curve: not what the allocator computes on this machine
// (microseconds), nor what a busy machine takes from it. The device itself may differ from its curve.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "core/clock.hpp"
#include "policy/advise.hpp"
#include "replay/device.hpp"
#include "validate/validate.hpp"
#include "workload/read.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint64_t kMemoryLimitBytes = 6ull << 30;
constexpr double kTarget = 10;

double worst_us(const model::ScenarioResult& scenario) {
    return static_cast<double>(std::max(scenario.run.worst_frame_ns, scenario.run.worst_load_ns.value_or(0))) / 1e3;
}

// The longest frame that made no device allocation of its own (a dedicated resource is never prepared).
double worst_without_allocations_us(const model::ScenarioResult& scenario) {
    for (const model::WorstFrame& frame : scenario.run.worst_frames) {
        if (frame.device_allocations == 0) return static_cast<double>(frame.ns) / 1e3;
    }
    return 0;
}

double stream(const model::DeviceReport& report, const model::DevicePolicy& policy, const model::Workload& workload,
              std::uint64_t seed) {
    const auto replay =
        require(replay::open_replay(report, {.interpolate = true, .shadow_limit_bytes = kMemoryLimitBytes}));
    validate::ValidateOptions options;
    options.seed = seed;
    options.memory_limit_bytes = kMemoryLimitBytes;
    options.baselines = true;
    ManualClock still;
    options.machine_clock = &still;
    options.simulated_clock = &replay->clock();
    options.scenarios = {"streaming"};
    const model::DeviceValidation result = require(validate::validate(*replay, policy, workload, options));
    const model::ScenarioResult& ahead = result.scenarios.front();
    const model::ScenarioResult& demand = result.baselines.at(0);
    const model::ScenarioResult& large = result.baselines.at(1);
    const double ratio = worst_us(large) / std::max(1.0, worst_us(ahead));
    const auto prepared = ahead.run.prepared_chunks.value_or(model::PreparedChunks{});
    fmt::print(
        "seed {}: worst frame {:.0f} us with chunks ahead, {:.0f} us on demand, {:.0f} us with 256 MiB on demand: "
        "{:.1f} times shorter; {} prepared, {} taken ready, {} late; without dedicated allocations {:.0f} us\n",
        seed, worst_us(ahead), worst_us(demand), worst_us(large), ratio, prepared.prepared, prepared.taken_ready,
        prepared.taken_late, worst_without_allocations_us(ahead));
    for (const model::ScenarioResult* one : {&ahead, &demand, &large}) {
        if (one->verdict != model::Verdict::kReplayed) fmt::print("  {}: {}\n", one->name, one->reason);
    }
    return ratio;
}

}  // namespace
}  // namespace heapwright::bench

int main(int argc, char** argv) {
    using namespace heapwright;
    using namespace heapwright::bench;
    const auto [report, numbers] = read_arguments(argc, argv, "bench_background REPORT [SEEDS]", {5});
    const std::uint64_t seeds = numbers[0];
    const model::Workload workload = require(workload::preset("general-engine"));
    const model::DevicePolicy policy = require(policy::advise(report.devices.front(), workload));
    for (const model::BucketPolicy& bucket : policy.buckets)
        fmt::print("bucket {}: chunks of {} KiB, {} ahead\n", bucket.id, bucket.chunk_size_bytes.value >> 10,
                   bucket.chunks_ahead ? bucket.chunks_ahead->value : 0);
    double least = 1e9;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        least = std::min(least, stream(report.devices.front(), policy, workload, seed));
    fmt::print("least of {} seeds: {:.1f} times shorter (target {})\n", seeds, least, kTarget);
    return least >= kTarget ? 0 : 1;
}
