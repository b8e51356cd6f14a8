#include "probe/engine_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "probe/cost_fit.hpp"

namespace heapwright::probe {
namespace {

constexpr double kMovedShare = 0.1;
constexpr double kSumShare = 0.15;
constexpr std::size_t kLeastHalf = 3;

std::uint64_t median(std::span<const std::uint64_t> samples) {
    return spread({samples.begin(), samples.end()}).median;
}

// By which share two times differ, of the shorter one.
double difference(double one, double other) {
    const double shorter = std::min(one, other);
    return shorter > 0 ? std::abs(one - other) / shorter : 0;
}

std::string range_text(const model::PipelinePoint& point) {
    return heapwright::range_text(point.frame.min_ns, point.frame.p90_ns, point.samples, "mean");
}

}  // namespace

double error_of_median(std::span<const std::uint64_t> samples) {
    if (samples.size() < 3) return 1;
    const std::uint64_t middle = median(samples);
    if (middle == 0) return 1;
    std::vector<std::uint64_t> deviations;
    for (const std::uint64_t sample : samples)
        deviations.push_back(std::max(sample, middle) - std::min(sample, middle));
    const double deviation = 1.4826 * static_cast<double>(median(deviations));
    return deviation * 2 / std::sqrt(static_cast<double>(samples.size())) / static_cast<double>(middle);
}

double gained(const model::EngineOverlap& overlap) {
    const auto shorter = static_cast<double>(std::min(overlap.first_alone.ns, overlap.second_alone.ns));
    if (shorter <= 0) return 0;
    return (static_cast<double>(overlap.serial.ns) - static_cast<double>(overlap.concurrent.ns)) / shorter;
}

std::optional<std::string> disturbance(const OverlapSeries& series, const model::EngineOverlap& overlap) {
    struct Named {
        std::string name;
        std::span<const std::uint64_t> samples;
    };
    const std::array all{Named{overlap.first_work + " alone", series.first_alone.ns()},
                         Named{overlap.second_work + " alone", series.second_alone.ns()},
                         Named{"the two one after the other", series.serial.ns()},
                         Named{"the two at the same time", series.together.ns()}};
    for (const Named& each : all) {
        const std::size_t half = each.samples.size() / 2;
        if (half < kLeastHalf) continue;
        const std::uint64_t earlier_ns = median(each.samples.first(half));
        const std::uint64_t later_ns = median(each.samples.last(half));
        if (difference(static_cast<double>(earlier_ns), static_cast<double>(later_ns)) <= kMovedShare) continue;
        return fmt::format("{} took {} at first and {} later", each.name, time_text(earlier_ns), time_text(later_ns));
    }
    const std::uint64_t sum_ns = overlap.first_alone.ns + overlap.second_alone.ns;
    if (difference(static_cast<double>(sum_ns), static_cast<double>(overlap.serial.ns)) > kSumShare) {
        return fmt::format("the two take {} and {} alone, but {} one after the other",
                           time_text(overlap.first_alone.ns), time_text(overlap.second_alone.ns),
                           time_text(overlap.serial.ns));
    }
    const double share = gained(overlap);
    if (share > 1 + kAlike) return fmt::format("{:.3f} of the shorter one gained is more than all of it", share);
    if (share < -1 - kAlike) {
        return fmt::format(
            "at the same time the two took {}, {} one after the other: more than the shorter one "
            "once more",
            time_text(overlap.concurrent.ns), time_text(overlap.serial.ns));
    }
    return std::nullopt;
}

std::uint64_t bytes_per_s(std::uint64_t bytes, std::uint64_t duration_ns) {
    if (duration_ns == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(duration_ns));
}

void choose_latencies(model::PipelineMeasurement& pipeline, std::span<const double> errors) {
    const auto& points = pipeline.points;
    if (points.empty()) {
        pipeline.statement = "no setting was measured";
        return;
    }
    const auto frame_ns = [&](std::size_t i) { return static_cast<double>(points[i].frame.ns); };
    const auto cost = [&](std::size_t i) {
        return std::tuple(points[i].cpu_latency + points[i].engine_latency, points[i].engine_latency);
    };
    std::size_t shortest = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (frame_ns(i) < frame_ns(shortest)) shortest = i;
    }
    const double within_ns = frame_ns(shortest) * (1 + kAlike);
    std::size_t best = shortest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (frame_ns(i) <= within_ns && cost(i) < cost(best)) best = i;
    }
    pipeline.best_cpu_latency = points[best].cpu_latency;
    pipeline.best_engine_latency = points[best].engine_latency;
    pipeline.statement = fmt::format(
        "the shortest frame takes {} (at {} and {}, {}); {} and {} are the smallest latencies of the host and of "
        "the engines whose frame, {} ({}), is at most {:.0f}% longer",
        time_text(points[shortest].frame.ns), points[shortest].cpu_latency, points[shortest].engine_latency,
        range_text(points[shortest]), points[best].cpu_latency, points[best].engine_latency,
        time_text(points[best].frame.ns), range_text(points[best]), kAlike * 100);

    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool is_near = frame_ns(i) * (1 - errors[i]) <= within_ns;
        const bool matters = i == shortest || i == best || (is_near && cost(i) < cost(best));
        if (!matters || errors[i] <= kAlike) continue;
        pipeline.unsettled = fmt::format("the median of the frames at {} and {}, {} of {}, may be off by {:.0f}% ({})",
                                         points[i].cpu_latency, points[i].engine_latency, time_text(points[i].frame.ns),
                                         counted(points[i].samples, "mean"), errors[i] * 100, range_text(points[i]));
        pipeline.statement += "; not settled: " + *pipeline.unsettled;
        return;
    }
}

}  // namespace heapwright::probe
