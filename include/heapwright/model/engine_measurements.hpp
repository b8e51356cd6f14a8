// Times of a device's engines, alone and together: part of what a probe says anew on every run.
// A name without more is the median of `samples` runs; min is the shortest, p90 what 90% of the runs do not exceed (of
// fewer than ten runs: the longest).
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heapwright::model {

// Whether a series of measurements had settled before it was read.
enum class Steadiness : std::uint8_t {
    kSteady,
    kDidNotSettle,
    kTooFewSamples,  // to judge
};

// What said so: the driver (ID3D12Device6::SetBackgroundProcessingMode), or a rule over the measurements.
enum class SteadinessSource : std::uint8_t { kDriver, kMeasurements };

struct MeasurementSteadiness {
    Steadiness answer = Steadiness::kTooFewSamples;
    SteadinessSource decided_by = SteadinessSource::kMeasurements;
    std::uint32_t passes = 0;  // runs of the work before the answer
    std::string note;          // the rule's figures, or why the driver was not asked
};

// A queue of the device, as the engines of the other measurements name it: "copy".
struct EngineDescription {
    std::string name;
    std::string kind;  // "graphics", "compute", "copy"
    std::uint32_t queue_family = 0;
    std::uint32_t queue = 0;
    bool dedicated = false;                    // its family, or its queue's type, is not the graphics one
    std::string priority;                      // "low", "normal", "high"
    std::string priority_note;                 // why the priority has no effect; empty when it may have one
    std::optional<std::string> no_timestamps;  // why its times are the host's; empty: it writes timestamps
};

// Which clock took a time.
enum class MeasuredBy : std::uint8_t {
    kHost,    // the host's, as it sees the work: of copies and overlaps submitting it and seeing its end are part
    kDevice,  // timestamps that the engines wrote; a moment of the host's is brought to their clock, to 5 us
};

struct MeasuredTime {
    std::uint64_t ns = 0;
    std::uint64_t min_ns = 0;
    std::uint64_t p90_ns = 0;
    MeasuredBy clock = MeasuredBy::kHost;
    std::optional<std::uint64_t> host_ns;  // the median of the host's view beside the device's; empty without
};

// Whether the shortest sample and what 90% do not exceed lie within a twentieth of the median. Where not, another run
// may well give another time. Fewer than three samples tell nothing of it.
[[nodiscard]] bool settled(const MeasuredTime& time);

// The same two pieces of work on two engines: one after the other, and at the same time.
struct EngineOverlap {
    std::string first;  // engines
    std::string second;
    std::string first_work;  // "compute", "copy", "draw"
    std::string second_work;
    std::uint32_t samples = 0;
    MeasuredTime first_alone;
    MeasuredTime second_alone;
    MeasuredTime serial;
    MeasuredTime concurrent;
    // (serial - concurrent) / the shorter of the two alone: 1 when the shorter one costs nothing, 0 when nothing is
    // gained, negative when it costs.
    double gained = 0;
    std::optional<std::string> disturbed;  // why these figures are no evidence; empty: nothing speaks against them
};

// All four did.
[[nodiscard]] bool settled(const EngineOverlap& overlap);

enum class CopyDirection : std::uint8_t { kUpload, kDownload, kOnDevice };

struct EngineCopy {
    std::string engine;
    CopyDirection direction = CopyDirection::kUpload;
    std::uint64_t bytes_each = 0;
    std::uint32_t samples = 0;
    MeasuredTime time;  // of bytes_each; by the host's clock until the host sees the end
    std::uint64_t bytes_per_s = 0;
};

// What moves the bytes of a copy.
enum class CopyMeans : std::uint8_t {
    kCommand,       // vkCmdCopyBuffer, CopyBufferRegion
    kImageCommand,  // vkCmdCopyImage and copies between image and buffer, CopyTextureRegion: R8G8B8A8_UNORM, 2D
    kShader,        // a compute shader: 16 bytes an invocation on Vulkan, 4 on Direct3D 12
    kHost,          // the host's memcpy, from or to ordinary memory; its engine is "host"
};

// Several copies in one submission, each of other bytes to another place, so that no hazard orders them. Of images no
// more than sixteen, which caches may hold while they are small.
struct CopyPoint {
    std::uint64_t bytes = 0;  // of one copy
    std::uint32_t in_a_row = 1;
    std::uint32_t samples = 0;
    MeasuredTime time;  // of one copy: a sample's time over the number in a row
    std::uint64_t bytes_per_s = 0;
};

// Least squares of the relative errors: time = latency_ns + bytes / bytes_per_s.
struct CopyFit {
    std::uint64_t latency_ns = 0;
    std::uint64_t bytes_per_s = 0;
    double largest_relative_error = 0;  // over the points
};

struct CopyLeftOut {
    std::uint64_t bytes = 0;
    std::string reason;
};

// What a copy takes by its size: from 64 KiB to 1 GiB, each size four times the one before.
struct CopyCurve {
    std::string engine;
    CopyDirection direction = CopyDirection::kUpload;
    CopyMeans means = CopyMeans::kCommand;
    // Whether the device memory is of a type that the host maps (DEVICE_LOCAL and HOST_VISIBLE), where others are of
    // the type that ordinary resources take.
    bool mapped = false;
    std::vector<CopyPoint> points;  // ascending in bytes
    std::optional<CopyFit> fit;     // empty: fewer than two points, or larger copies that took no longer
    std::vector<CopyLeftOut> left_out;
};

// From the end of work on one engine to the start of work on another that waits for it. "host" is an engine here, and
// its end the signal that it gives, its start the return of a wait that had begun before. By the host's clock an end
// of work is the moment at which the host can read the last word that the engine wrote, and a start the moment of the
// first one, so that a copy of four bytes is part of the time to an engine.
struct SignalLatency {
    std::string from;
    std::string to;
    // The queues take no wait before its signal: the host held the submission back until then, and its path was
    // measured.
    bool through_host = false;
    std::uint32_t samples = 0;
    MeasuredTime time;
};

// One setting of a pipeline's latencies, in frames; of the ring between copy and graphics, engine_latency is its
// length.
struct PipelinePoint {
    std::uint32_t cpu_latency = 0;
    std::uint32_t engine_latency = 0;
    std::uint32_t samples = 0;  // means of a few frames in a row
    MeasuredTime frame;         // from one frame's end to the next one's
};

struct PipelineMeasurement {
    std::string name;  // "compute-graphics", "copy-graphics"
    std::vector<PipelinePoint> points;
    std::uint32_t best_cpu_latency = 0;  // the smallest latencies whose frame is about as short as the shortest
    std::uint32_t best_engine_latency = 0;
    std::string statement;                 // why these
    std::optional<std::string> unsettled;  // why the samples do not tell which are the best; empty: they do
};

// How busy the machine was while something was measured.
struct MachineLoad {
    double others_share = 0;   // of all processors' time, what other processes took
    double waiting_share = 0;  // of the time, how long the measuring thread was ready and waited for a processor
};

// The reasons of what was left out for which no device is to blame: the time for measuring had passed, or other
// processes held the processors at each moment that had to be seen.
inline constexpr std::string_view kTimeWasUp = "the time was up";
inline constexpr std::string_view kHostWasAway = "the host was away at most samples";
// Of sizes of a copy curve; the second is followed by the figure.
inline constexpr std::string_view kLongerThanItsShare = "it takes longer than its share of the time";
inline constexpr std::string_view kNoRoomForCopies = "memory leaves no room";

struct EngineMeasurements {
    std::vector<EngineDescription> engines;
    std::vector<EngineOverlap> overlaps;
    std::vector<EngineCopy> copies;
    std::vector<CopyCurve> copy_curves;  // empty in older reports
    std::vector<SignalLatency> signal_latencies;
    std::vector<PipelineMeasurement> pipelines;
    MeasurementSteadiness steadiness;
    std::optional<MachineLoad> load;  // empty where the system does not say, and in older reports
    std::uint64_t total_ns = 0;
    std::vector<std::string> skipped;  // what was not measured, and why: "copies: vkQueueSubmit: ..."
};

}  // namespace heapwright::model
