#include "render/engine_text.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "model/names.hpp"

namespace heapwright::render {
namespace {

std::string rate_text(std::uint64_t bytes_per_s) {
    return byte_text(bytes_per_s) + "/s";
}

std::string_view to_string(model::CopyDirection direction) {
    switch (direction) {
        case model::CopyDirection::kUpload: return "uploads";
        case model::CopyDirection::kDownload: return "downloads";
        case model::CopyDirection::kOnDevice: return "copies on the device";
    }
    return {};
}

std::string clock_text(const model::MeasuredTime& time) {
    return fmt::format("by the {}'s clock", model::name_of(time.clock));
}

// Marks the figures whose samples did not settle: "23.28 GiB/s*".
class Marks {
public:
    template <class Measured>
    std::string operator()(std::string text, const Measured& measured) {
        if (settled(measured)) return text;
        used_ = true;
        return text + "*";
    }
    void explain(std::vector<std::string>& lines) const {
        if (used_)
            lines.emplace_back(
                "* did not settle: its samples spread by more than 5% around the median; another run may well give "
                "another figure");
    }

private:
    bool used_ = false;
};

std::string engine_line(const model::EngineDescription& engine) {
    return fmt::format("engine {}: {}, queue family {}, queue {}{}, priority {}{}{}{}{}", engine.name, engine.kind,
                       engine.queue_family, engine.queue, engine.dedicated ? ", dedicated" : "", engine.priority,
                       engine.priority_note.empty() ? "" : ": ", engine.priority_note,
                       engine.no_timestamps ? "; no timestamps: " : "", engine.no_timestamps.value_or(""));
}

std::string overlap_line(const model::EngineOverlap& overlap, Marks& marked) {
    const std::string verdict = overlap.disturbed
                                    ? fmt::format("no evidence, the measurement was disturbed: {}", *overlap.disturbed)
                                    : marked(share_text(overlap.gained), overlap) + " of the shorter gained";
    return fmt::format(
        "{} on {} beside {} on {}: {} one after the other, {} at the same time {}; {}", overlap.first_work,
        overlap.first, overlap.second_work, overlap.second, marked(time_text(overlap.serial.ns), overlap.serial),
        marked(time_text(overlap.concurrent.ns), overlap.concurrent), clock_text(overlap.concurrent), verdict);
}

std::string curve_line(const model::CopyCurve& curve, Marks& marked) {
    std::string rates;
    for (const model::CopyPoint& point : curve.points)
        rates += fmt::format("{}{} of {}", rates.empty() ? "" : ", ", marked(rate_text(point.bytes_per_s), point.time),
                             byte_text(point.bytes));
    if (curve.points.empty()) rates = "no size was measured";
    std::string line = fmt::format("{} on {} by {}{}: {}", to_string(curve.direction), curve.engine,
                                   to_words(curve.means), curve.mapped ? ", mapped device memory" : "", rates);
    if (!curve.points.empty()) line += fmt::format("; {}", clock_text(curve.points.back().time));
    if (curve.fit)
        line += fmt::format("; about {} and then {}, to {}", time_text(curve.fit->latency_ns),
                            rate_text(curve.fit->bytes_per_s), share_text(curve.fit->largest_relative_error));
    if (!curve.left_out.empty())
        line += fmt::format("; left out from {} on: {}", byte_text(curve.left_out.front().bytes),
                            curve.left_out.front().reason);
    return line;
}

void add_engines(const model::EngineMeasurements& measured, Marks& marked, std::vector<std::string>& lines) {
    for (const model::EngineDescription& engine : measured.engines) lines.push_back(engine_line(engine));
    for (const model::EngineOverlap& overlap : measured.overlaps) lines.push_back(overlap_line(overlap, marked));
    for (const model::EngineCopy& copy : measured.copies) {
        lines.push_back(fmt::format("{} on {}: {} {}", to_string(copy.direction), copy.engine,
                                    marked(rate_text(copy.bytes_per_s), copy.time), clock_text(copy.time)));
    }
    for (const model::CopyCurve& curve : measured.copy_curves) lines.push_back(curve_line(curve, marked));
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        // Nine tenths of fewer than ten are all of them.
        const std::string_view most = latency.samples < kLeastSamplesForShare ? "at most" : "90% within";
        lines.push_back(fmt::format(
            "signal from {} to {}{}{}: {} {} ({}, at best {}, {} {})", latency.from, latency.to,
            latency.to == "host" ? " that waits for it" : "", latency.through_host ? ", which the host passes on" : "",
            marked(time_text(latency.time.ns), latency.time), clock_text(latency.time),
            counted(latency.samples, "sample"), time_text(latency.time.min_ns), most, time_text(latency.time.p90_ns)));
    }
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        lines.push_back(fmt::format("pipeline {}: {} latencies {} (host) and {} (engines); {}", pipeline.name,
                                    pipeline.unsettled ? "not settled, at this time" : "best",
                                    pipeline.best_cpu_latency, pipeline.best_engine_latency, pipeline.statement));
    }
    std::string settled(model::name_of(measured.steadiness.answer));
    for (char& c : settled) c = c == '_' ? ' ' : c;
    lines.push_back(fmt::format(
        "engine times: {}, decided by {} ({})", settled,
        measured.steadiness.decided_by == model::SteadinessSource::kDriver ? "the driver" : "the measurements",
        measured.steadiness.note));
    for (const std::string& skipped : measured.skipped) lines.push_back("not measured: " + skipped);
}

void add_creations(const model::CreationMeasurements& measured, Marks& marked, std::vector<std::string>& lines) {
    for (const model::CreationCurve& curve : measured.curves) {
        std::string rates;
        for (const model::CreationPoint& point : curve.points) {
            rates += fmt::format("{}{} by {}", rates.empty() ? "" : ", ",
                                 marked(a_millisecond(point.pairs_per_s), point), counted(point.threads, "thread"));
        }
        lines.push_back(fmt::format("created and destroyed a millisecond, {}{}: {}", curve.description,
                                    curve.memory_priority ? ", memoryPriority on" : "", rates));
    }
    for (const std::string& skipped : measured.skipped) lines.push_back("creations not measured: " + skipped);
}

}  // namespace

std::string_view to_words(model::CopyMeans means) {
    switch (means) {
        case model::CopyMeans::kCommand: return "copy commands";
        case model::CopyMeans::kImageCommand: return "copy commands of images";
        case model::CopyMeans::kShader: return "a compute shader";
        case model::CopyMeans::kHost: return "memcpy";
    }
    return {};
}

std::string a_millisecond(std::uint64_t pairs_per_s) {
    const double rate = static_cast<double>(pairs_per_s) / 1000;
    return rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

std::vector<std::string> measured_lines(const model::DeviceVolatile& run) {
    std::vector<std::string> lines;
    Marks marked;
    if (run.engines) add_engines(*run.engines, marked, lines);
    if (run.creations) add_creations(*run.creations, marked, lines);
    marked.explain(lines);
    return lines;
}

}  // namespace heapwright::render
