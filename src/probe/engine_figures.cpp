#include "heapwright/probe/engine_figures.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "heapwright/probe/cost_fit.hpp"

namespace heapwright::probe {
namespace {

constexpr std::uint64_t kLeastSpreadDivisor = 50;  // 2%

}  // namespace

model::SpreadNs spread_ns(std::vector<std::uint64_t> samples) {
    const Spread seen = spread(std::move(samples));
    return {.ns = seen.median, .min_ns = seen.min, .p90_ns = seen.p90};
}

double gained(const model::EngineOverlap& overlap) {
    const auto shorter = static_cast<double>(std::min(overlap.first_alone.ns, overlap.second_alone.ns));
    if (shorter <= 0) return 0;
    return (static_cast<double>(overlap.serial.ns) - static_cast<double>(overlap.concurrent.ns)) / shorter;
}

std::uint64_t bytes_per_s(std::uint64_t bytes, std::uint64_t duration_ns) {
    if (duration_ns == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(duration_ns));
}

void choose_latencies(model::PipelineMeasurement& pipeline) {
    const auto& points = pipeline.points;
    if (points.empty()) {
        pipeline.statement = "no setting was measured";
        return;
    }
    const auto shortest = std::ranges::min_element(points, {}, [](const auto& point) { return point.frame.ns; });
    const std::uint64_t within_ns =
        std::max(shortest->frame.p90_ns, shortest->frame.ns + shortest->frame.ns / kLeastSpreadDivisor);
    const auto cost = [](const model::PipelinePoint& point) {
        return std::tuple(point.cpu_latency + point.engine_latency, point.engine_latency);
    };
    const model::PipelinePoint* best = &*shortest;
    for (const model::PipelinePoint& point : points) {
        if (point.frame.ns <= within_ns && cost(point) < cost(*best)) best = &point;
    }
    pipeline.best_cpu_latency = best->cpu_latency;
    pipeline.best_engine_latency = best->engine_latency;
    pipeline.statement = fmt::format(
        "the shortest frame takes {} ns (at {} and {}, 90% of its frames no more than {} ns); {} and {} are the "
        "smallest latencies of the host and of the engines whose frame, {} ns, is within {} ns",
        shortest->frame.ns, shortest->cpu_latency, shortest->engine_latency, shortest->frame.p90_ns, best->cpu_latency,
        best->engine_latency, best->frame.ns, within_ns);
}

}  // namespace heapwright::probe
