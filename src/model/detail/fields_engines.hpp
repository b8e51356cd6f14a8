// Fields of a report's measurements of engines and of creations.
#pragma once

#include "heapwright/model/creation_measurements.hpp"
#include "heapwright/model/engine_measurements.hpp"
#include "model/detail/fields_common.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<MeasurementSteadiness> {
    using S = MeasurementSteadiness;
    static constexpr std::string_view kName = "measurement_steadiness";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("answer", &S::answer).says("Whether the measurements had settled before they were read"),
        field("decided_by", &S::decided_by)
            .says("Who says so: driver (SetBackgroundProcessingMode of Direct3D 12), or a rule over the measurements"),
        field("passes", &S::passes).says("Runs of the work before the answer"),
        field("note", &S::note).says("The rule's figures, or why the driver was not asked")};
};

template <>
struct Fields<EngineDescription> {
    using S = EngineDescription;
    static constexpr std::string_view kName = "engine_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("name", &S::name, TextCodec{.min_length = 1}).says("What the other measurements call it: \"copy\""),
        field("kind", &S::kind, TextCodec{.min_length = 1}).says("The work that it takes: graphics, compute or copy"),
        field("queue_family", &S::queue_family).says("Index into queue_families; 0 on Direct3D 12"),
        field("queue", &S::queue).says("Index of the queue in its family"),
        field("dedicated", &S::dedicated)
            .says("Whether its queue family, or its queue's type, is another one than that of graphics"),
        field("priority", &S::priority).says("Of its queue: low, normal or high"),
        field("priority_note", &S::priority_note).says("Why the priority has no effect; empty: it may have one"),
        field("no_timestamps", &S::no_timestamps, TextCodec{.min_length = 1}, Presence::kOptional)
            .says("Why its times are the host's; absent: it writes timestamps, or the report is of a time when none "
                  "were read")};
};

template <>
struct Fields<MeasuredTime> {
    using S = MeasuredTime;
    static constexpr std::string_view kName = "measured_time";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("ns", &S::ns).says("The median of the samples"), field("min_ns", &S::min_ns).says("The shortest sample"),
        field("p90_ns", &S::p90_ns).says("What 90% of the samples do not exceed; of fewer than ten the longest"),
        field("clock", &S::clock, Presence::kDefaulted)
            .says("device: timestamps that the engines wrote, a moment of the host's brought to their clock, to 5 us; "
                  "host: as the host sees it, of copies and overlaps with submitting the work and seeing its end"),
        field("host_ns", &S::host_ns, Presence::kOptional)
            .says("The median of the host's view beside the device's; absent where there is none, or where the host's "
                  "clock took the time")};
};

template <>
struct Fields<EngineOverlap> {
    using S = EngineOverlap;
    static constexpr std::string_view kName = "engine_overlap";
    static constexpr auto list = std::tuple{
        field("first", &S::first, TextCodec{.min_length = 1}).says("The engine of the first piece of work, by name"),
        field("second", &S::second, TextCodec{.min_length = 1}).says("The engine of the second piece of work, by name"),
        field("first_work", &S::first_work).says("What the first engine did: compute, copy, draw or clear"),
        field("second_work", &S::second_work).says("What the second engine did: compute, copy, draw or clear"),
        field("samples", &S::samples).says("Runs of each arrangement"),
        field("first_alone", &S::first_alone).says("Time of the first piece of work alone"),
        field("second_alone", &S::second_alone).says("Time of the second piece of work alone"),
        field("serial", &S::serial).says("Time of both, one after the other"),
        field("concurrent", &S::concurrent).says("Time of both, at the same time"),
        field("gained", &S::gained, RealCodec{.min = std::numeric_limits<double>::lowest()})
            .says("Share of the shorter work that costs nothing beside the longer one; 1: all, 0: nothing, negative: "
                  "it costs"),
        field("disturbed", &S::disturbed, TextCodec{.min_length = 1}, Presence::kOptional)
            .says("Why these figures are no evidence; absent: nothing speaks against them")};
};

template <>
struct Fields<EngineCopy> {
    using S = EngineCopy;
    static constexpr std::string_view kName = "engine_copy";
    static constexpr auto list =
        std::tuple{field("engine", &S::engine, TextCodec{.min_length = 1}).says("The engine that copies, by name"),
                   field("direction", &S::direction)
                       .says("upload: host to device memory; download: back; on_device: within device memory"),
                   field("bytes_each", &S::bytes_each, WideCodec{.min = 1}).says("Size of one copy"),
                   field("samples", &S::samples).says("Copies that were timed"),
                   field("time", &S::time).says("What the copy takes"),
                   field("bytes_per_s", &S::bytes_per_s).says("bytes_each over the median time")};
};

template <>
struct Fields<CopyPoint> {
    using S = CopyPoint;
    static constexpr std::string_view kName = "copy_point";
    static constexpr auto list =
        std::tuple{field("bytes", &S::bytes, WideCodec{.min = 1}).says("Size of one copy"),
                   field("in_a_row", &S::in_a_row, UintCodec{.min = 1})
                       .says("Copies of one submission, each of other bytes to another place"),
                   field("samples", &S::samples).says("Submissions that were timed"),
                   field("time", &S::time).says("What one copy takes: the time of a submission over its copies"),
                   field("bytes_per_s", &S::bytes_per_s).says("bytes over the median time")};
};

template <>
struct Fields<CopyFit> {
    using S = CopyFit;
    static constexpr std::string_view kName = "copy_fit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("latency_ns", &S::latency_ns).says("What a copy takes whatever its size"),
                   field("bytes_per_s", &S::bytes_per_s).says("How fast its bytes move beyond that"),
                   field("largest_relative_error", &S::largest_relative_error)
                       .says("The largest over the points: |latency_ns + bytes / bytes_per_s - time| / time")};
};

template <>
struct Fields<CopyLeftOut> {
    using S = CopyLeftOut;
    static constexpr std::string_view kName = "copy_left_out";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("bytes", &S::bytes, WideCodec{.min = 1}).says("The size that was not measured"),
                   field("reason", &S::reason, TextCodec{.min_length = 1}).says("Why not")};
};

template <>
struct Fields<CopyCurve> {
    using S = CopyCurve;
    static constexpr std::string_view kName = "copy_curve";
    static constexpr auto list = std::tuple{
        field("engine", &S::engine, TextCodec{.min_length = 1})
            .says("The engine that copies, by name; \"host\": the host itself"),
        field("direction", &S::direction)
            .says("upload: host to device memory; download: back; on_device: within device memory"),
        field("means", &S::means)
            .says("command: vkCmdCopyBuffer, CopyBufferRegion; image_command: copies of whole 2D images of "
                  "R8G8B8A8_UNORM, or between them and buffers; shader: a compute shader, 16 bytes an invocation on "
                  "Vulkan, 4 on Direct3D 12; host: memcpy from or to ordinary host memory"),
        field("mapped", &S::mapped)
            .says("Whether the device memory was chosen to be of a type that the host maps, DEVICE_LOCAL and "
                  "HOST_VISIBLE; else it is of the type that ordinary resources take"),
        field("points", &S::points).says("One entry for each size, ascending"),
        field("fit", &S::fit, Presence::kOptional)
            .says("Latency and rate apart; absent: fewer than two sizes were measured, or larger ones took no longer"),
        field("left_out", &S::left_out).says("Sizes that were not measured, and why; empty: none was left out")};
};

template <>
struct Fields<SignalLatency> {
    using S = SignalLatency;
    static constexpr std::string_view kName = "signal_latency";
    static constexpr auto list = std::tuple{
        field("from", &S::from, TextCodec{.min_length = 1})
            .says("The engine whose work ends, by name; \"host\": the host's signal"),
        field("to", &S::to, TextCodec{.min_length = 1})
            .says("The engine that waits for it, by name; \"host\": a wait of the host"),
        field("through_host", &S::through_host, Presence::kDefaulted)
            .says("Whether the host held the waiting submission back until the signal was given, because the queues "
                  "take no such wait: then this is its path"),
        field("samples", &S::samples).says("Signals that were timed"),
        field("time", &S::time).says("From the end of the work on the one to the start of work on the other")};
};

template <>
struct Fields<PipelinePoint> {
    using S = PipelinePoint;
    static constexpr std::string_view kName = "pipeline_point";
    static constexpr auto list = std::tuple{
        field("cpu_latency", &S::cpu_latency).says("Frames that the host may run ahead of the device"),
        field("engine_latency", &S::engine_latency)
            .says("Frames that one engine may run ahead of the other; of copy-graphics the length of the ring"),
        field("samples", &S::samples).says("Samples of the frame time, each the mean of a few frames in a row"),
        field("frame", &S::frame).says("Time from one frame's end to the next one's")};
};

template <>
struct Fields<PipelineMeasurement> {
    using S = PipelineMeasurement;
    static constexpr std::string_view kName = "pipeline_measurement";
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1})
                       .says("Which engines work together: compute-graphics or copy-graphics"),
                   field("points", &S::points).says("One entry for each setting that was tried"),
                   field("best_cpu_latency", &S::best_cpu_latency)
                       .says("Of the smallest setting, in frames, whose frame is about as short as the shortest"),
                   field("best_engine_latency", &S::best_engine_latency).says("Of the same setting, in frames"),
                   field("statement", &S::statement).says("Why these two, in words"),
                   field("unsettled", &S::unsettled, TextCodec{.min_length = 1}, Presence::kOptional)
                       .says("Why the samples do not tell which setting is best; absent: they do")};
};

template <>
struct Fields<MachineLoad> {
    using S = MachineLoad;
    static constexpr std::string_view kName = "machine_load";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("others_share", &S::others_share, RealCodec{.max = 1})
            .says("Of all processors' time, what other processes took meanwhile; 0 to 1"),
        field("waiting_share", &S::waiting_share, RealCodec{.max = 1})
            .says("Of the time, how long the measuring thread was ready and waited for a processor; 0 to 1")};
};

template <>
struct Fields<EngineMeasurements> {
    using S = EngineMeasurements;
    static constexpr std::string_view kName = "engine_measurements";
    static constexpr auto list = std::tuple{
        field("engines", &S::engines).says("The device's queues that were measured"),
        field("overlaps", &S::overlaps).says("What two engines gain by working at the same time; empty: not measured"),
        field("copies", &S::copies).says("How fast each engine copies; empty: not measured"),
        field("copy_curves", &S::copy_curves, Presence::kDefaulted)
            .says("What a copy takes by its size, by engine, direction and what moves the bytes; empty: not measured"),
        field("signal_latencies", &S::signal_latencies)
            .says("How long a wait takes from engine to engine; empty: not measured"),
        field("pipelines", &S::pipelines)
            .says("Frame times by latency of engines that feed each other; empty: not measured"),
        field("steadiness", &S::steadiness).says("Whether the measurements had settled"),
        field("load", &S::load, Presence::kOptional)
            .says("How busy the machine was meanwhile; absent: the system does not say"),
        field("total_ns", &S::total_ns).says("What measuring the engines took"),
        field("skipped", &S::skipped)
            .says("What was not measured, and why: \"copies: vkQueueSubmit: ...\"; empty: nothing was left out")};
};

template <>
struct Fields<CreationPoint> {
    using S = CreationPoint;
    static constexpr std::string_view kName = "creation_point";
    static constexpr auto list = std::tuple{
        field("threads", &S::threads, UintCodec{.min = 1}).says("Threads that created and destroyed at the same time"),
        field("samples", &S::samples).says("Spans of time that were counted"),
        field("pairs_per_s", &S::pairs_per_s)
            .says("Creations, each with its destruction, of all threads together a second; the median of the samples"),
        field("least_pairs_per_s", &S::least_pairs_per_s).says("The same of the slowest sample"),
        field("most_pairs_per_s", &S::most_pairs_per_s).says("The same of the fastest sample")};
};

template <>
struct Fields<CreationCurve> {
    using S = CreationCurve;
    static constexpr std::string_view kName = "creation_curve";
    static constexpr auto list = std::tuple{
        field("object", &S::object)
            .says("image and buffer: without memory on Vulkan, placed on Direct3D 12; memory: allocated and freed; "
                  "descriptors: a descriptor pool with one set, Direct3D 12: a descriptor heap"),
        field("description", &S::description, TextCodec{.min_length = 1}).says("What the object was"),
        field("memory_priority", &S::memory_priority)
            .says("Whether the device was opened with the feature memoryPriority, which costs some drivers most of "
                  "their rate"),
        field("points", &S::points).says("One entry for each number of threads, ascending")};
};

template <>
struct Fields<CreationMeasurements> {
    using S = CreationMeasurements;
    static constexpr std::string_view kName = "creation_measurements";
    static constexpr auto list = std::tuple{
        field("processors", &S::processors, UintCodec{.min = 1}).says("Processors that the host's threads run on"),
        field("curves", &S::curves).says("One entry for each object, without and with memoryPriority"),
        field("load", &S::load, Presence::kOptional)
            .says("How busy the machine was meanwhile; absent: the system does not say"),
        field("total_ns", &S::total_ns).says("What measuring took"),
        field("skipped", &S::skipped).says("What was not measured, and why; empty: nothing was left out")};
};

}  // namespace heapwright::model::detail
