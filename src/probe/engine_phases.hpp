// The parts of the measurement of engines (engine_measurements.hpp): each adds its figures to the result, or says there
// what was skipped and why. Errors: those that end the whole measurement.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/engine_measurements.hpp"
#include "probe/driver_failure.hpp"
#include "probe/engine_bench.hpp"
#include "probe/engine_loads.hpp"
#include "probe/engine_scratch.hpp"

namespace heapwright::probe {

struct EnginePhase {
    EngineBench& bench;
    EngineLoads& loads;
    EngineScratch& scratch;
    LoadKind draw = LoadKind::kDraw;  // what stands for graphics work beside others
    std::uint64_t load_ns = 0;
    std::uint32_t samples = 0;  // of a figure, at most
    std::uint64_t warm_ns = 0;  // at most, that the engines are run before what is compared
    std::uint64_t deadline_ns = 0;
    std::uint64_t last_ns = 0;                 // from then on even what has no sample yet is left out, where it can be
    std::uint32_t least_rounds = 3;            // even beyond the deadline: a single sample says nothing
    std::function<Status()> sample_reference;  // one more run of the work that steadiness is judged by
    FailureFunction on_failure;                // may be empty
    model::EngineMeasurements& result;

    // Up to `samples` rounds, as far as time is left, and the least in any case.
    [[nodiscard]] Status in_rounds(const std::function<Status()>& round) const;
    // An error that ends everything is returned; another one is told where the driver failed.
    [[nodiscard]] Status tell(std::string_view what, const Error& error) const;
    // An error that leaves the rest to be measured becomes a line of `skipped`, and is told where the driver failed.
    [[nodiscard]] Status tolerate(std::string_view what, Status status) const;
};

[[nodiscard]] Status measure_copies(const EnginePhase& phase);
[[nodiscard]] Status measure_overlaps(const EnginePhase& phase);
[[nodiscard]] Status measure_signal_latencies(const EnginePhase& phase);
[[nodiscard]] Status measure_pipelines(const EnginePhase& phase);

}  // namespace heapwright::probe
