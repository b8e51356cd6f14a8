#include "policy/engine_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/text.hpp"
#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint64_t kSourceComputeGraphicsLatency = 2;
constexpr std::uint64_t kSourceCpuLatency = 3;
constexpr std::uint64_t kSourceRingLength = 3;
constexpr double kAlike = 0.05;  // times that differ by no more than this share

model::DecisionInput cite_frames(const EngineFacts& facts) {
    return facts.context().cite_workload("/frames_in_flight", model::count(facts.context().workload.frames_in_flight));
}

model::Figure ns_figure(std::uint64_t ns) {
    return model::nanoseconds(static_cast<double>(ns));
}

// The frame times of the settings beside the chosen one.
void list_alternatives(const model::PipelineMeasurement& pipeline, std::uint64_t chosen, std::uint32_t cpu_latency,
                       model::Decision& why) {
    for (const model::PipelinePoint& point : pipeline.points) {
        if (point.cpu_latency != cpu_latency || point.engine_latency == chosen) continue;
        const auto means = model::count(point.samples);
        model::Statement lost =
            point.samples < kLeastSamplesForShare
                ? claim<ClaimId::kFrameTakesRange>(ns_figure(point.frame.ns), means, ns_figure(point.frame.min_ns),
                                                   ns_figure(point.frame.p90_ns))
                : claim<ClaimId::kFrameTakesMost>(ns_figure(point.frame.ns), means, ns_figure(point.frame.p90_ns));
        if (point.engine_latency > chosen) lost += claim<ClaimId::kMoreMemoryLatency>();
        why.alternatives.push_back({.value = model::count(point.engine_latency), .reason = std::move(lost)});
    }
}

// Whether the measurement of a pipeline does not tell; then the engine article's figure is taken.
bool take_source(const EngineFacts& facts, std::size_t index, std::uint64_t source, std::uint64_t most,
                 model::Decided<std::uint64_t>& decided) {
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[index];
    if (!pipeline.unsettled) return false;
    decided.value = std::min(source, most);
    decided.why.inputs.push_back(facts.cite(fmt::format("pipelines/{}/unsettled", index), *pipeline.unsettled));
    decided.why.reason = claim<ClaimId::kGuideExample>(model::count(source), model::count(most));
    decided.why.reason +=
        std::vector{claim<ClaimId::kPipelineUnsettled>(pipeline.name), model::Claim(*pipeline.unsettled)};
    decided.why.alternatives = {{.value = model::count(decided.value + 1), .reason = claim<ClaimId::kOnlySettled>()}};
    return true;
}

// The frames that tell which latencies are the best.
model::Statement measured_frames(const model::PipelineMeasurement& pipeline) {
    model::Statement frames;
    if (pipeline.points.empty()) return frames;
    std::vector<model::MeasuredTime> times;
    const auto shortest =
        std::ranges::min_element(pipeline.points, {}, [](const model::PipelinePoint& point) { return point.frame.ns; });
    frames += claim<ClaimId::kShortestFrame>(ns_figure(shortest->frame.ns), model::count(shortest->cpu_latency),
                                             model::count(shortest->engine_latency));
    for (const model::PipelinePoint& point : pipeline.points) {
        const bool is_best =
            point.cpu_latency == pipeline.best_cpu_latency && point.engine_latency == pipeline.best_engine_latency;
        if (is_best || &point == &*shortest) times.push_back(point.frame);
        if (!is_best || &point == &*shortest) continue;
        frames +=
            claim<ClaimId::kSmallestLatencies>(model::count(point.cpu_latency), model::count(point.engine_latency),
                                               ns_figure(point.frame.ns), model::share(kAlike));
    }
    frames += by_clock(times);
    return frames;
}

// The measured best latency of the engines, no more than `most`; whether it is held to that.
bool take_best(const EngineFacts& facts, std::size_t index, std::uint64_t most,
               model::Decided<std::uint64_t>& decided) {
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[index];
    const std::uint64_t best = std::max(1u, pipeline.best_engine_latency);
    decided.value = std::min(best, most);
    decided.why.inputs.push_back(
        facts.cite(fmt::format("pipelines/{}/best_engine_latency", index), model::count(pipeline.best_engine_latency)));
    list_alternatives(pipeline, decided.value, pipeline.best_cpu_latency, decided.why);
    return best > most;
}

}  // namespace

model::Decided<std::uint64_t> decide_copy_ring_length(const EngineFacts& facts, std::uint64_t frames_in_flight) {
    const std::uint64_t most = frames_in_flight + 1;
    model::Decided<std::uint64_t> length{.value = most, .why = {}};
    length.why.inputs = {cite_frames(facts)};
    const auto slots = claim<ClaimId::kSlotForEachFrame>(model::count(frames_in_flight));
    const auto index = facts.pipeline("copy-graphics");
    if (!index) {
        length.why.reason = slots;
        length.why.reason += claim<ClaimId::kNotMeasured>();
        length.why.alternatives = {{.value = model::count(most + 1), .reason = claim<ClaimId::kLongerRingLost>()}};
        return length;
    }
    if (take_source(facts, *index, kSourceRingLength, most, length)) return length;
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[*index];
    const auto best = model::count(pipeline.best_engine_latency);
    length.why.reason = take_best(facts, *index, most, length)
                            ? claim<ClaimId::kRingBestHeld>(best, model::count(most))
                            : claim<ClaimId::kRingBestWithin>(best, model::count(most));
    length.why.reason += slots;
    length.why.reason += measured_frames(pipeline);
    return length;
}

model::Decided<std::uint64_t> decide_compute_graphics_latency(const EngineFacts& facts, std::uint64_t frames_in_flight,
                                                              const model::Decided<bool>& async_compute) {
    model::Decided<std::uint64_t> latency{.value = 1, .why = {}};
    if (!async_compute.value) {
        latency.why.inputs = async_compute.why.inputs;
        latency.why.reason = claim<ClaimId::kMoreBuffersGainNothing>();
        latency.why.reason += async_compute.why.reason;
        latency.why.alternatives = {{.value = model::count(2), .reason = claim<ClaimId::kMoreBuffersLost>()}};
        return latency;
    }
    const std::uint64_t most = std::max<std::uint64_t>(1, frames_in_flight);
    latency.why.inputs = {cite_frames(facts)};
    const auto frames = model::count(frames_in_flight);
    const auto index = facts.pipeline("compute-graphics");
    if (!index) {
        latency.value = std::min(kSourceComputeGraphicsLatency, most);
        latency.why.reason = claim<ClaimId::kGuideExampleInFlight>(model::count(kSourceComputeGraphicsLatency), frames);
        latency.why.reason += claim<ClaimId::kNotMeasured>();
        return latency;
    }
    if (take_source(facts, *index, kSourceComputeGraphicsLatency, most, latency)) return latency;
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[*index];
    const auto best = model::count(pipeline.best_engine_latency);
    latency.why.reason = take_best(facts, *index, most, latency) ? claim<ClaimId::kLatencyBestHeld>(best, frames)
                                                                 : claim<ClaimId::kLatencyBestWithin>(best, frames);
    latency.why.reason += claim<ClaimId::kLatencyCopies>(model::count(latency.value + 1));
    latency.why.reason += measured_frames(pipeline);
    return latency;
}

model::Decided<std::uint64_t> decide_cpu_latency(const EngineFacts& facts, std::uint64_t frames_in_flight,
                                                 std::uint64_t compute_graphics_latency) {
    const std::uint64_t most = std::max<std::uint64_t>(1, frames_in_flight);
    model::Decided<std::uint64_t> latency{.value = most, .why = {}};
    latency.why.inputs = {cite_frames(facts)};
    const auto index = facts.pipeline("compute-graphics");
    std::vector<std::size_t> row;
    if (index) {
        const auto& points = facts.measured().pipelines[*index].points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].engine_latency == compute_graphics_latency) row.push_back(i);
        }
    }
    if (row.empty()) {
        latency.why.reason = claim<ClaimId::kHostAsFrames>(model::count(frames_in_flight));
        latency.why.reason += claim<ClaimId::kNotMeasured>();
        return latency;
    }
    if (take_source(facts, *index, kSourceCpuLatency, most, latency)) return latency;
    const auto& points = facts.measured().pipelines[*index].points;
    const auto frame_ns = [&](std::size_t i) { return points[i].frame.ns; };
    const std::uint64_t shortest_ns = frame_ns(*std::ranges::min_element(row, {}, frame_ns));
    const auto within_ns = static_cast<std::uint64_t>(static_cast<double>(shortest_ns) * (1 + kAlike));
    model::Statement measured;
    std::vector<model::MeasuredTime> times;
    for (const std::size_t i : row) {
        times.push_back(points[i].frame);
        measured += claim<ClaimId::kHostPoint>(model::count(points[i].cpu_latency), ns_figure(frame_ns(i)));
        latency.why.inputs.push_back(
            facts.cite_ns(fmt::format("pipelines/{}/points/{}/frame/ns", *index, i), frame_ns(i)));
    }
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (const std::size_t i : row) {
        if (frame_ns(i) <= within_ns) smallest = std::min<std::uint64_t>(smallest, std::max(1u, points[i].cpu_latency));
    }
    latency.value = std::min(most, smallest);
    latency.why.reason =
        claim<ClaimId::kHostSmallest>(model::count(smallest), model::share(kAlike), ns_figure(within_ns));
    latency.why.reason += smallest <= most
                              ? model::Statement(claim<ClaimId::kHostWithinFrames>(model::count(frames_in_flight)))
                              : model::Statement(claim<ClaimId::kHostHeldToFrames>(model::count(frames_in_flight)));
    latency.why.reason += measured;
    latency.why.reason += by_clock(times);
    if (latency.value > 1) {
        latency.why.alternatives.push_back(
            {.value = model::count(latency.value - 1), .reason = claim<ClaimId::kEnginesWaitForHost>()});
    }
    latency.why.alternatives.push_back(
        {.value = model::count(latency.value + 1), .reason = claim<ClaimId::kHostFurtherAheadLost>()});
    return latency;
}

}  // namespace heapwright::policy
