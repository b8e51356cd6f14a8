#include "heapwright/policy/engine_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/core/count_text.hpp"
#include "heapwright/core/range_text.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kSourceComputeGraphicsLatency = 2;
constexpr std::uint64_t kSourceCpuLatency = 3;
constexpr std::uint64_t kSourceRingLength = 3;
constexpr double kAlike = 0.05;  // times that differ by no more than this share

model::DecisionInput cite_frames(const EngineFacts& facts) {
    return facts.context().cite_workload("/frames_in_flight",
                                         std::to_string(facts.context().workload.frames_in_flight));
}

// The frame times of the settings beside the chosen one.
void list_alternatives(const model::PipelineMeasurement& pipeline, std::uint64_t chosen, std::uint32_t cpu_latency,
                       model::Decision& why) {
    for (const model::PipelinePoint& point : pipeline.points) {
        if (point.cpu_latency != cpu_latency || point.engine_latency == chosen) continue;
        why.alternatives.push_back(
            {.value = std::to_string(point.engine_latency),
             .reason = fmt::format("a frame takes {} ns there ({}){}", point.frame.ns,
                                   range_text(point.frame.min_ns, point.frame.p90_ns, point.samples, "mean"),
                                   point.engine_latency > chosen ? "; more memory and latency" : "")});
    }
}

// Whether the measurement of a pipeline does not tell; then the engine article's figure is taken.
bool take_source(const EngineFacts& facts, std::size_t index, std::uint64_t source, std::uint64_t most,
                 model::Decided<std::uint64_t>& decided) {
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[index];
    if (!pipeline.unsettled) return false;
    decided.value = std::min(source, most);
    decided.why.inputs.push_back(facts.cite(fmt::format("pipelines/{}/unsettled", index), *pipeline.unsettled));
    decided.why.reason = fmt::format(
        "the measurement of the pipeline {} did not settle ({}): the {} of the programming guide's example, within {}",
        pipeline.name, *pipeline.unsettled, source, most);
    decided.why.alternatives = {
        {.value = std::to_string(decided.value + 1), .reason = "only a measurement that settles can tell"}};
    return true;
}

// The measured best latency of the engines, no more than `most`; "held down to" or "within" it.
std::string_view take_best(const EngineFacts& facts, std::size_t index, std::uint64_t most,
                           model::Decided<std::uint64_t>& decided) {
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[index];
    const std::uint64_t best = std::max(1u, pipeline.best_engine_latency);
    decided.value = std::min(best, most);
    decided.why.inputs.push_back(facts.cite(fmt::format("pipelines/{}/best_engine_latency", index),
                                            std::to_string(pipeline.best_engine_latency)));
    list_alternatives(pipeline, decided.value, pipeline.best_cpu_latency, decided.why);
    return best > most ? "held down to" : "within";
}

}  // namespace

model::Decided<std::uint64_t> decide_copy_ring_length(const EngineFacts& facts, std::uint64_t frames_in_flight) {
    const std::uint64_t most = frames_in_flight + 1;
    model::Decided<std::uint64_t> length{.value = most, .why = {}};
    length.why.inputs = {cite_frames(facts)};
    const auto index = facts.pipeline("copy-graphics");
    if (!index) {
        length.why.reason = fmt::format("not measured: a slot for {} in flight and one for the frame that is written",
                                        each_counted(frames_in_flight, "the", "frame"));
        length.why.alternatives = {{.value = std::to_string(most + 1), .reason = "memory that nothing waits for"}};
        return length;
    }
    if (take_source(facts, *index, kSourceRingLength, most, length)) return length;
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[*index];
    const std::string_view bound = take_best(facts, *index, most, length);
    length.why.reason = fmt::format(
        "the measured ring between copies and draws is best with a length of {} ({}), {} {}: a slot for "
        "{} in flight and one for the frame that is written",
        pipeline.best_engine_latency, pipeline.statement, bound, most, each_counted(frames_in_flight, "the", "frame"));
    return length;
}

model::Decided<std::uint64_t> decide_compute_graphics_latency(const EngineFacts& facts, std::uint64_t frames_in_flight,
                                                              const model::Decided<bool>& async_compute) {
    model::Decided<std::uint64_t> latency{.value = 1, .why = {}};
    if (!async_compute.value) {
        latency.why.inputs = async_compute.why.inputs;
        latency.why.reason =
            fmt::format("compute beside draws does not pay, so that more buffers between them gain nothing: {}",
                        async_compute.why.reason);
        latency.why.alternatives = {
            {.value = "2", .reason = "one buffer more of memory and one frame more of latency"}};
        return latency;
    }
    const std::uint64_t most = std::max<std::uint64_t>(1, frames_in_flight);
    latency.why.inputs = {cite_frames(facts)};
    const auto index = facts.pipeline("compute-graphics");
    if (!index) {
        latency.value = std::min(kSourceComputeGraphicsLatency, most);
        latency.why.reason =
            fmt::format("not measured: the {} of the programming guide's example, no more than {} in flight",
                        kSourceComputeGraphicsLatency, counted(frames_in_flight, "frame"));
        return latency;
    }
    if (take_source(facts, *index, kSourceComputeGraphicsLatency, most, latency)) return latency;
    const model::PipelineMeasurement& pipeline = facts.measured().pipelines[*index];
    const std::string_view bound = take_best(facts, *index, most, latency);
    latency.why.reason = fmt::format(
        "the measured pipeline of compute and draws is best with {} ({}), {} {} in flight; it takes "
        "{} of what passes between them",
        pipeline.best_engine_latency, pipeline.statement, bound, counted(frames_in_flight, "frame"),
        counted(latency.value + 1, "copy", "copies"));
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
        latency.why.reason =
            fmt::format("not measured: as many as the workload's {} in flight", counted(frames_in_flight, "frame"));
        return latency;
    }
    if (take_source(facts, *index, kSourceCpuLatency, most, latency)) return latency;
    const auto& points = facts.measured().pipelines[*index].points;
    const auto frame_ns = [&](std::size_t i) { return points[i].frame.ns; };
    const std::uint64_t shortest_ns = frame_ns(*std::ranges::min_element(row, {}, frame_ns));
    const auto within_ns = static_cast<std::uint64_t>(static_cast<double>(shortest_ns) * (1 + kAlike));
    std::string measured;
    for (const std::size_t i : row) {
        measured += fmt::format("{}{} ns at {}", measured.empty() ? "" : ", ", frame_ns(i), points[i].cpu_latency);
        latency.why.inputs.push_back(
            facts.cite(fmt::format("pipelines/{}/points/{}/frame/ns", *index, i), std::to_string(frame_ns(i))));
    }
    for (const std::size_t i : row) {
        if (frame_ns(i) <= within_ns)
            latency.value = std::min<std::uint64_t>(latency.value, std::max(1u, points[i].cpu_latency));
    }
    latency.why.reason = fmt::format(
        "a frame of the measured pipeline takes {} (medians); {} is the smallest that is at most {:.0f}% longer than "
        "the shortest (up to {} ns), within {} in flight",
        measured, latency.value, kAlike * 100, within_ns, counted(frames_in_flight, "frame"));
    if (latency.value > 1) {
        latency.why.alternatives.push_back(
            {.value = std::to_string(latency.value - 1), .reason = "the engines wait for the host"});
    }
    latency.why.alternatives.push_back(
        {.value = std::to_string(latency.value + 1), .reason = "one frame more between input and picture"});
    return latency;
}

}  // namespace heapwright::policy
