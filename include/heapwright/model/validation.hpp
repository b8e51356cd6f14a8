// What happened when a policy was run on a device (or on a replayed report): per scenario what was done, what was
// checked, what was found wrong, and the figures. Bytes and counts are stable for a seed; times are volatile. Where
// chunks are prepared in the background of a real device, reserved bytes and device allocations depend on its pace.
// Plain values; sizes in bytes, times in nanoseconds, shares of 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/document.hpp"
#include "heapwright/model/promise.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

enum class Verdict : std::uint8_t {
    kValidated,  // every check passed on the device itself
    kReplayed,   // every check passed on a replayed report
    kFailed,
    kInconclusive,  // stopped by a limit or an interruption before the checks were complete
    kNotSupported,  // the device lacks what the scenario needs; the reason says what
    // Every check passed of what ran, which is not all of the workload: ScenarioResult::part.
    kValidatedInPart,
    kReplayedInPart,
};

[[nodiscard]] constexpr bool is_in_part(Verdict verdict) {
    return verdict == Verdict::kValidatedInPart || verdict == Verdict::kReplayedInPart;
}

// For people: "validated in part".
[[nodiscard]] std::string_view verdict_text(Verdict verdict);

// One diagnostic per kind of fault.
enum class Fault : std::uint8_t {
    kOverlap,
    kMisalignment,
    kWrongMemoryType,
    kGranularityConflict,
    kEarlyReuse,
    kStaleBytes,
    kOutsideChunk,
    kLeak,
    kApiError,
    kValidationLayer,
    kInvariant,
    kWrongDescriptor,  // a shader read through it and found something else
    kBrokenRule,       // of lifetimes or of contexts
};

struct ValidationFinding {
    Fault fault = Fault::kOverlap;
    std::uint64_t step = 0;
    std::string resource;   // what it was about
    std::string statement;  // what was expected and what was seen, with values
};

struct ScenarioCounts {
    std::uint64_t operations = 0;  // creations and destructions
    std::uint64_t failures = 0;    // requests that the allocator refused although the policy admits them
    std::uint64_t peak_images = 0;
    std::uint64_t peak_buffers = 0;
    std::uint64_t verified_resources = 0;
    std::uint64_t verified_bytes = 0;
    std::uint64_t dedicated_allocations = 0;
    std::uint64_t device_allocations = 0;  // chunks and dedicated, at the peak
    std::uint64_t device_allocation_calls = 0;
};

struct ScenarioMemory {
    std::uint64_t peak_used_bytes = 0;      // bytes asked for
    std::uint64_t peak_reserved_bytes = 0;  // bytes taken from the device
    double mean_waste = 0;                  // (reserved - used) / used, of the sums over the ends of frames
    std::optional<double> peak_waste;       // at the end of the frame that has most reserved; empty in older ones
    double mean_fragmentation = 0;          // mean over the run of 1 - largest free range / free bytes, by chunk
};

// One heap of the device or one pool of the allocator over time: a column a figure, one entry a sample.
struct OccupancySeries {
    std::string name;                               // "heap 0", or the bucket's id
    std::vector<std::uint64_t> used_bytes;          // in resources; of a pool with what waits for its release
    std::vector<std::uint64_t> reserved_bytes;      // taken from the device
    std::vector<std::uint64_t> largest_free_bytes;  // the largest free range of any one chunk
    std::vector<double> fragmentation;              // mean over chunks with free bytes of 1 - largest free / free
    std::vector<std::uint64_t> chunks;              // of a heap: dedicated allocations too
};

// One chunk of a pool at one moment. What waits for its release counts as used.
struct MappedChunk {
    std::string pool;  // the bucket's id
    std::uint64_t size_bytes = 0;
    std::uint64_t used_bytes = 0;  // in suballocations, their internal waste included
    std::uint64_t free_bytes = 0;
    std::uint64_t largest_free_bytes = 0;
    std::uint64_t free_ranges = 0;
    std::uint64_t suballocations = 0;
    std::uint64_t internal_waste_bytes = 0;          // rounding to the granule
    double fragmentation = 0;                        // 1 - largest free / free; 0 without free bytes
    std::vector<std::uint64_t> free_ranges_by_size;  // [k] counts those of [2^k, 2^(k+1)) bytes, up to the largest
    // Of each of at most kMaxMapCells equal parts, in the order of offsets: the used share in whole percent, 0 only
    // where all of it is free and 100 only where all of it is used.
    std::vector<std::uint32_t> used_percent;
};

// The chunks in use of all pools at one moment, pool by pool. Where there are more than kMaxMappedChunks, those with
// the most free bytes.
struct ChunkMap {
    std::string moment;      // "end": after the last operation, nothing given back yet; "before-defragmentation"
    std::uint64_t step = 0;  // operations played before it
    std::vector<MappedChunk> chunks;
    std::uint64_t chunks_left_out = 0;
};

// At most kMaxOccupancySamples, evenly spread over the scenario.
struct Occupancy {
    std::vector<std::uint64_t> steps;  // operations played before each sample
    std::vector<OccupancySeries> heaps;
    std::vector<OccupancySeries> pools;  // those that ever held a chunk; none of an allocator that keeps no pools
    std::vector<ChunkMap> maps;          // at most kMaxChunkMaps, in the order of time; likewise
};

// What one step of defragmentation gained, as the device's allocations show it once its moves are complete.
struct DefragmentationStep {
    std::uint64_t step = 0;
    std::string pool;  // the bucket's id
    std::uint64_t moves = 0;
    std::uint64_t abandoned_moves = 0;
    std::uint64_t copied_bytes = 0;
    std::uint64_t freed_chunks = 0;  // given back to the device
    std::uint64_t reserved_before_bytes = 0;
    std::uint64_t reserved_after_bytes = 0;
    std::uint64_t largest_free_before_bytes = 0;  // of the pool
    std::uint64_t largest_free_after_bytes = 0;
};

struct LatencyFigures {
    std::uint64_t samples = 0;
    std::uint64_t p50_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t worst_ns = 0;
};

// A frame that spent long on memory.
struct WorstFrame {
    std::uint64_t frame = 0;  // counted from the end of the load
    std::uint64_t ns = 0;
    std::uint64_t allocations = 0;
    std::uint64_t frees = 0;
    std::uint64_t device_allocations = 0;  // calls, chunks and dedicated
    std::optional<std::uint64_t> device_frees;
    std::optional<std::uint64_t> device_ns;  // of `ns`, in those calls
};

// Waits that the device's progress decided.
struct BindingVolatile {
    std::uint64_t upload_stalls = 0;
    std::uint64_t upload_stalled_ns = 0;
    std::optional<std::uint64_t> descriptor_stalls;  // requests for dynamic descriptors that waited
};

// A piece of work as an engine did it, counted from the scenario's start.
struct EngineSpan {
    std::string engine;
    std::string name;
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    // The device's: by timestamps around the work, whose first is put where it was submitted. The host's: what it could
    // see of it.
    MeasuredBy clock = MeasuredBy::kHost;
};

// Chunks that were allocated ahead of need, in the background.
struct PreparedChunks {
    std::uint64_t prepared = 0;
    std::uint64_t taken_ready = 0;  // by a request that needed a chunk
    std::uint64_t taken_late = 0;   // the request found none ready and allocated by itself
    std::uint64_t given_back = 0;   // never needed
    std::uint64_t failed = 0;       // no memory for one more; none is asked for in a while after that
};

struct ScenarioVolatile {
    LatencyFigures allocate;  // suballocation and any chunk that it had to take, without the API's create and bind
    LatencyFigures free;
    LatencyFigures create;                      // the whole creation of a resource
    std::uint64_t worst_frame_ns = 0;           // after the load
    std::optional<std::uint64_t> p99_frame_ns;  // 99 frames of 100 spend no more; empty: too few frames
    // The driver's own slowest call that takes or frees device memory, wherever it was made. Empty: not measured.
    std::optional<std::uint64_t> slowest_device_call_ns;
    std::uint64_t total_ns = 0;
    // The longest step of the load, which creates the first population before the first frame. Empty: not measured.
    std::optional<std::uint64_t> worst_load_ns;
    std::vector<WorstFrame> worst_frames;  // at most kMaxWorstFrames, the longest first
    std::optional<BindingVolatile> bindings;
    std::vector<EngineSpan> engine_spans;  // at most kMaxEngineSpans
    std::optional<PreparedChunks> prepared_chunks;
    std::optional<MeasurementSteadiness> steadiness;
    std::vector<Promise> promises;  // of the scenarios that play the workload; volatile as the times among them
};

// What a scenario of descriptors, lifetimes or uploads checked, and how far it came.
struct BindingFigures {
    std::uint64_t descriptors_checked = 0;  // each by the device: a shader or a clear went through it
    std::uint64_t bytes_checked = 0;
    std::uint64_t frames = 0;
    std::uint64_t command_lists = 0;
    std::uint64_t recording_contexts = 0;  // the most at the same time
    std::string descriptor_form;           // how the backend keeps shader-visible descriptors
    std::string descriptor_form_reason;
    std::uint64_t peak_cpu_descriptors = 0;  // of all four kinds
    std::uint64_t peak_static_descriptors = 0;
    std::uint64_t peak_dynamic_descriptors = 0;
    std::uint64_t peak_samplers = 0;        // distinct
    std::uint64_t descriptors_reached = 0;  // alive at once when a limit or the goal was met
    std::string limits;                     // which limits were met, with their figures
    std::uint64_t peak_upload_bytes = 0;
};

// Why a wait of a schedule is there.
enum class WaitRole : std::uint8_t {
    kNecessary,  // without it two accesses have no order
    kThrottle,   // only bounds how far the host runs ahead
    kRedundant,  // other waits order the same work
};

struct WaitFinding {
    std::string wait;  // who waits for what
    WaitRole role = WaitRole::kRedundant;
    std::string shown_by;  // of a necessary one: the two accesses
};

struct ScenarioParameter {
    std::string name;
    std::uint64_t value = 0;
};

// How a scenario of several engines was laid out and what it checked.
struct EngineFigures {
    std::vector<std::string> engines;  // of the device, in the order of the schedule's queues
    std::uint64_t queues = 0;          // distinct ones behind them
    std::vector<ScenarioParameter> parameters;
    std::uint64_t submissions = 0;
    std::uint64_t early_waits = 0;  // submitted before their signal
    std::uint64_t bytes_checked = 0;
    std::vector<WaitFinding> waits;  // the distinct ones of one period of the schedule
    std::vector<std::string> notes;  // what the device lacks and what took its place
};

// What ran in the workload's place where a memory limit forbade the workload itself.
struct StandIn {
    double bytes_share = 1;                // of the workload's bytes at its peak
    std::uint64_t resources_left_out = 0;  // too large for the limit
    std::string statement;                 // "a stand-in ran: 41% of the bytes; 5 large resources did not run"
};

// What of a hint did not run.
struct UnplayedHint {
    std::string hint;            // "images/3": its place in the workload
    std::string reason;          // the device's or the report's own, or the memory limit
    double bytes_share = 0;      // of the workload's bytes at its peak
    std::uint64_t requests = 0;  // that did not run
};

// How much of the workload ran, where not all of it did.
struct PlayedPart {
    double bytes_share = 1;              // of its bytes at its peak; what the device lacks counts packed
    double resources_share = 1;          // of its resources at its peak
    double requests_share = 1;           // of the requests that it makes
    std::vector<UnplayedHint> unplayed;  // the most bytes first; a hint of which only fewer ran has no entry
    bool asked_for = false;  // by --scale-to-fit for what the limit leaves out, --allow-unplayed for the rest
    std::string statement;   // in words
};

struct ScenarioResult {
    std::string name;
    std::uint64_t seed = 0;
    Verdict verdict = Verdict::kInconclusive;
    std::string reason;
    std::optional<StandIn> stand_in;  // empty: the workload itself was played, or the scenario plays none
    std::optional<PlayedPart> part;   // of the scenario that plays the workload; empty: all of it ran
    ScenarioCounts counts;
    ScenarioMemory memory;
    std::vector<ValidationFinding> findings;  // at most kMaxFindings; findings_total says how many there were
    std::uint64_t findings_total = 0;
    std::optional<Occupancy> occupancy;
    std::vector<DefragmentationStep> defragmentation_steps;  // the first kMaxDefragmentationSteps
    std::optional<BindingFigures> bindings;
    std::optional<EngineFigures> engines;
    ScenarioVolatile run;
};

inline constexpr std::uint32_t kMaxFindings = 64;
inline constexpr std::size_t kMaxOccupancySamples = 256;
inline constexpr std::size_t kMaxMapCells = 64;
inline constexpr std::size_t kMaxMappedChunks = 64;
inline constexpr std::size_t kMaxChunkMaps = 2;
inline constexpr std::size_t kMaxDefragmentationSteps = 256;
inline constexpr std::size_t kMaxWorstFrames = 16;
inline constexpr std::size_t kMaxEngineSpans = 512;

struct DeviceValidation {
    DeviceIdentity identity;
    bool replayed = false;
    // Distinct resources that the replayed report has no entry for: told from larger ones of its sweep, or assumed
    // where it has no sweep.
    std::uint64_t interpolated_requirements = 0;
    std::uint64_t assumed_requirements = 0;
    bool validation_layers = false;
    std::uint64_t memory_limit_bytes = 0;
    std::vector<HintLeftOut> left_out;  // of the workload, by plan
    std::vector<ScenarioResult> scenarios;
    // Scenarios again, the same operations in the same run, each with a Baseline in the policy's place. No part of the
    // verdict. Empty unless asked for.
    std::vector<ScenarioResult> baselines;
    Verdict verdict = Verdict::kInconclusive;
    std::string reason;
};

// What took the policy's place in a baseline's run (docs/results.md says what each does).
enum class Baseline : std::uint8_t { kOneEach, kSourceRule, kVmaDefault, kOnDemand, kOnDemand256MiB, kBySize };

// "mixed-workload/vma-default".
[[nodiscard]] std::string name_of_baseline(std::string_view scenario, Baseline baseline);
// Of a run with such a name; nothing: another one, such as a newer heapwright's.
[[nodiscard]] std::optional<Baseline> baseline_of(const ScenarioResult& run);

// The scenario that plays the workload as the policy foresees it.
inline constexpr std::string_view kMixedWorkload = "mixed-workload";

// Its run; null: it did not run.
[[nodiscard]] inline const ScenarioResult* workload_run(const DeviceValidation& device) {
    for (const ScenarioResult& scenario : device.scenarios)
        if (scenario.name == kMixedWorkload) return &scenario;
    return nullptr;
}

struct Validation {
    DocumentHeader header;
    std::string workload_name;  // of the one that was played; empty in older validations
    std::vector<DeviceValidation> devices;
    std::vector<ProbeFailure> failures;  // drivers and devices that failed, so that no verdict stands among `devices`
    DocumentVolatile run;
};

}  // namespace heapwright::model
