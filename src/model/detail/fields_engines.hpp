// Fields of a report's measurements of engines.
#pragma once

#include "heapwright/model/detail/fields_common.hpp"
#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<MeasurementSteadiness> {
    using S = MeasurementSteadiness;
    static constexpr std::string_view kName = "measurement_steadiness";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("answer", &S::answer), field("decided_by", &S::decided_by),
                                            field("passes", &S::passes), field("note", &S::note)};
};

template <>
struct Fields<EngineDescription> {
    using S = EngineDescription;
    static constexpr std::string_view kName = "engine_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name, TextCodec{.min_length = 1}),
                                            field("kind", &S::kind, TextCodec{.min_length = 1}),
                                            field("queue_family", &S::queue_family),
                                            field("queue", &S::queue),
                                            field("dedicated", &S::dedicated),
                                            field("priority", &S::priority),
                                            field("priority_note", &S::priority_note)};
};

template <>
struct Fields<SpreadNs> {
    using S = SpreadNs;
    static constexpr std::string_view kName = "spread_ns";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("ns", &S::ns), field("min_ns", &S::min_ns), field("p90_ns", &S::p90_ns)};
};

template <>
struct Fields<EngineOverlap> {
    using S = EngineOverlap;
    static constexpr std::string_view kName = "engine_overlap";
    static constexpr auto list =
        std::tuple{field("first", &S::first, TextCodec{.min_length = 1}),
                   field("second", &S::second, TextCodec{.min_length = 1}),
                   field("first_work", &S::first_work),
                   field("second_work", &S::second_work),
                   field("samples", &S::samples),
                   field("first_alone", &S::first_alone),
                   field("second_alone", &S::second_alone),
                   field("serial", &S::serial),
                   field("concurrent", &S::concurrent),
                   field("gained", &S::gained, RealCodec{.min = std::numeric_limits<double>::lowest()}),
                   field("disturbed", &S::disturbed, TextCodec{.min_length = 1}, Presence::kOptional)};
};

template <>
struct Fields<EngineCopy> {
    using S = EngineCopy;
    static constexpr std::string_view kName = "engine_copy";
    static constexpr auto list = std::tuple{field("engine", &S::engine, TextCodec{.min_length = 1}),
                                            field("direction", &S::direction),
                                            field("bytes_each", &S::bytes_each, WideCodec{.min = 1}),
                                            field("samples", &S::samples),
                                            field("time", &S::time),
                                            field("bytes_per_s", &S::bytes_per_s)};
};

template <>
struct Fields<SignalLatency> {
    using S = SignalLatency;
    static constexpr std::string_view kName = "signal_latency";
    static constexpr auto list =
        std::tuple{field("from", &S::from, TextCodec{.min_length = 1}), field("to", &S::to, TextCodec{.min_length = 1}),
                   field("samples", &S::samples), field("time", &S::time)};
};

template <>
struct Fields<PipelinePoint> {
    using S = PipelinePoint;
    static constexpr std::string_view kName = "pipeline_point";
    static constexpr auto list =
        std::tuple{field("cpu_latency", &S::cpu_latency), field("engine_latency", &S::engine_latency),
                   field("samples", &S::samples), field("frame", &S::frame)};
};

template <>
struct Fields<PipelineMeasurement> {
    using S = PipelineMeasurement;
    static constexpr std::string_view kName = "pipeline_measurement";
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1}),
                   field("points", &S::points),
                   field("best_cpu_latency", &S::best_cpu_latency),
                   field("best_engine_latency", &S::best_engine_latency),
                   field("statement", &S::statement),
                   field("unsettled", &S::unsettled, TextCodec{.min_length = 1}, Presence::kOptional)};
};

template <>
struct Fields<MachineLoad> {
    using S = MachineLoad;
    static constexpr std::string_view kName = "machine_load";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("others_share", &S::others_share, RealCodec{.max = 1}),
                                            field("waiting_share", &S::waiting_share, RealCodec{.max = 1})};
};

template <>
struct Fields<EngineMeasurements> {
    using S = EngineMeasurements;
    static constexpr std::string_view kName = "engine_measurements";
    static constexpr auto list = std::tuple{field("engines", &S::engines),
                                            field("overlaps", &S::overlaps),
                                            field("copies", &S::copies),
                                            field("signal_latencies", &S::signal_latencies),
                                            field("pipelines", &S::pipelines),
                                            field("steadiness", &S::steadiness),
                                            field("load", &S::load, Presence::kOptional),
                                            field("total_ns", &S::total_ns),
                                            field("skipped", &S::skipped)};
};

}  // namespace heapwright::model::detail
