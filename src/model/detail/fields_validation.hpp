// Fields of the validation.
#pragma once

#include "heapwright/model/validation.hpp"
#include "model/detail/fields_policy.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<ValidationFinding> {
    using S = ValidationFinding;
    static constexpr std::string_view kName = "validation_finding";
    static constexpr auto list =
        std::tuple{field("fault", &S::fault).says("What kind of fault it is, such as overlap, stale_bytes or leak"),
                   field("step", &S::step).says("The scenario's step at which it was seen, counted from its start"),
                   field("resource", &S::resource).says("What it is about, \"buffer 5\""),
                   field("statement", &S::statement).says("What was expected and what was seen, with values")};
};

template <>
struct Fields<ScenarioCounts> {
    using S = ScenarioCounts;
    static constexpr std::string_view kName = "scenario_counts";
    static constexpr auto list = std::tuple{
        field("operations", &S::operations).says("Creations and destructions"),
        field("failures", &S::failures).says("Requests that the allocator refused although the policy admits them"),
        field("peak_images", &S::peak_images).says("Images alive at the same time, at most"),
        field("peak_buffers", &S::peak_buffers).says("Buffers alive at the same time, at most"),
        field("verified_resources", &S::verified_resources)
            .says("Times that a resource's content was read back and compared"),
        field("verified_bytes", &S::verified_bytes).says("Bytes that were read back and compared"),
        field("dedicated_allocations", &S::dedicated_allocations)
            .says("Resources that got a device allocation of their own, in the whole run"),
        field("device_allocations", &S::device_allocations)
            .says("Chunks and dedicated allocations alive at the same time, at most"),
        field("device_allocation_calls", &S::device_allocation_calls)
            .says("Calls that took memory from the device, in the whole run")};
};

template <>
struct Fields<ScenarioMemory> {
    using S = ScenarioMemory;
    static constexpr std::string_view kName = "scenario_memory";
    static constexpr auto list = std::tuple{
        field("peak_used_bytes", &S::peak_used_bytes).says("Bytes that the resources asked for, at the peak"),
        field("peak_reserved_bytes", &S::peak_reserved_bytes).says("Bytes taken from the device, at the peak"),
        field("mean_waste", &S::mean_waste)
            .says("(reserved - used) / used over the whole run, of the sums over the ends of frames; 0.1 is 10%"),
        field("peak_waste", &S::peak_waste)
            .says("The same at the end of the frame that has most reserved; absent: older validations"),
        field("mean_fragmentation", &S::mean_fragmentation, RealCodec{.max = 1})
            .says("1 - largest free range / free bytes, by chunk, over the whole run; 0 to 1")};
};

template <class C>
constexpr auto samples(C item) {
    return ItemsCodec<C>{.item = item, .max_items = kMaxOccupancySamples};
}

template <>
struct Fields<OccupancySeries> {
    using S = OccupancySeries;
    static constexpr std::string_view kName = "occupancy_series";
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1}).says("\"heap 0\", or the bucket's id"),
                   field("used_bytes", &S::used_bytes, samples(WideCodec{}))
                       .says("In resources; of a pool with what waits for its release"),
                   field("reserved_bytes", &S::reserved_bytes, samples(WideCodec{})).says("Taken from the device"),
                   field("largest_free_bytes", &S::largest_free_bytes, samples(WideCodec{}))
                       .says("The largest free range of any one chunk"),
                   field("fragmentation", &S::fragmentation, samples(RealCodec{.max = 1}))
                       .says("1 - largest free range / free bytes, the mean over chunks with free bytes; 0 to 1"),
                   field("chunks", &S::chunks, samples(WideCodec{}))
                       .says("Chunks at that moment; of a heap with dedicated allocations")};
};

template <>
struct Fields<MappedChunk> {
    using S = MappedChunk;
    static constexpr std::string_view kName = "mapped_chunk";
    static constexpr auto list = std::tuple{
        field("pool", &S::pool, TextCodec{.min_length = 1}).says("The bucket's id"),
        field("size_bytes", &S::size_bytes, WideCodec{.min = 1}).says("Size of the chunk"),
        field("used_bytes", &S::used_bytes)
            .says("In suballocations, with their internal waste and what waits for its release"),
        field("free_bytes", &S::free_bytes).says("What is left of the chunk"),
        field("largest_free_bytes", &S::largest_free_bytes).says("The largest free range"),
        field("free_ranges", &S::free_ranges).says("Number of free ranges"),
        field("suballocations", &S::suballocations).says("Number of suballocations"),
        field("internal_waste_bytes", &S::internal_waste_bytes).says("What rounding up to the granule takes"),
        field("fragmentation", &S::fragmentation, RealCodec{.max = 1})
            .says("1 - largest free range / free bytes; 0 where nothing is free"),
        field("free_ranges_by_size", &S::free_ranges_by_size, ItemsCodec<WideCodec>{.max_items = 64})
            .says("Entry k counts the free ranges from 2^k to below 2^(k+1) bytes"),
        field("used_percent", &S::used_percent,
              ItemsCodec<UintCodec>{.item = {.max = 100}, .min_items = 1, .max_items = kMaxMapCells})
            .says("The used share of each of so many equal parts of the chunk, by offset; 0: free, 100: full")};
};

template <>
struct Fields<ChunkMap> {
    using S = ChunkMap;
    static constexpr std::string_view kName = "chunk_map";
    static constexpr auto list = std::tuple{
        field("moment", &S::moment, TextCodec{.min_length = 1})
            .says("end: after the last operation, before anything is given back; before-defragmentation"),
        field("step", &S::step).says("Operations that were played before it"),
        field("chunks", &S::chunks, ItemsCodec<RecordCodec<MappedChunk>>{.max_items = kMaxMappedChunks})
            .says("The chunks in use, pool by pool; where they are too many, those with the most free bytes"),
        field("chunks_left_out", &S::chunks_left_out).says("Chunks in use that are not listed")};
};

template <>
struct Fields<Occupancy> {
    using S = Occupancy;
    static constexpr std::string_view kName = "occupancy";
    static constexpr auto list = std::tuple{
        field("steps", &S::steps, samples(WideCodec{}))
            .says("Operations that were played before each sample; every list of figures has as many entries"),
        field("heaps", &S::heaps).says("One entry for each heap of the device"),
        field("pools", &S::pools)
            .says("One entry for each bucket that ever held a chunk; empty: the allocator keeps no pools"),
        field("maps", &S::maps, ItemsCodec<RecordCodec<ChunkMap>>{.min_items = 1, .max_items = kMaxChunkMaps},
              Presence::kOptional)
            .says("Every chunk at one moment, in the order of time; absent: the allocator keeps no pools")};
};

template <>
struct Fields<DefragmentationStep> {
    using S = DefragmentationStep;
    static constexpr std::string_view kName = "defragmentation_step";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("step", &S::step).says("Operations that were played before it"),
        field("pool", &S::pool).says("The bucket's id"),
        field("moves", &S::moves).says("Resources that were moved"),
        field("abandoned_moves", &S::abandoned_moves).says("Moves that were begun and given up"),
        field("copied_bytes", &S::copied_bytes).says("Bytes that the moves copied"),
        field("freed_chunks", &S::freed_chunks).says("Chunks that were given back to the device"),
        field("reserved_before_bytes", &S::reserved_before_bytes).says("Taken from the device before the step"),
        field("reserved_after_bytes", &S::reserved_after_bytes)
            .says("Taken from the device once its moves are complete"),
        field("largest_free_before_bytes", &S::largest_free_before_bytes)
            .says("The pool's largest free range before the step"),
        field("largest_free_after_bytes", &S::largest_free_after_bytes)
            .says("The pool's largest free range once its moves are complete")};
};

template <>
struct Fields<LatencyFigures> {
    using S = LatencyFigures;
    static constexpr std::string_view kName = "latency_figures";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("samples", &S::samples).says("Calls that were timed; 0: the figures mean nothing"),
                   field("p50_ns", &S::p50_ns).says("The median"),
                   field("p99_ns", &S::p99_ns).says("What 99% of the calls do not exceed"),
                   field("p999_ns", &S::p999_ns).says("What 99.9% of the calls do not exceed"),
                   field("worst_ns", &S::worst_ns).says("The longest call")};
};

template <>
struct Fields<WorstFrame> {
    using S = WorstFrame;
    static constexpr std::string_view kName = "worst_frame";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("frame", &S::frame).says("Its number, counted from the end of the load"),
                   field("ns", &S::ns).says("What the frame spent on memory"),
                   field("allocations", &S::allocations).says("Resources that were allocated in it"),
                   field("frees", &S::frees).says("Resources that were freed in it"),
                   field("device_allocations", &S::device_allocations)
                       .says("Calls in it that took memory from the device, chunks and dedicated"),
                   field("device_frees", &S::device_frees, Presence::kOptional)
                       .says("Calls in it that gave memory back to the device; absent: older validations"),
                   field("device_ns", &S::device_ns).says("Of ns, what those calls took; absent: older validations")};
};

template <>
struct Fields<BindingVolatile> {
    using S = BindingVolatile;
    static constexpr std::string_view kName = "binding_volatile";
    static constexpr auto list =
        std::tuple{field("upload_stalls", &S::upload_stalls).says("Times that an upload waited for the device"),
                   field("upload_stalled_ns", &S::upload_stalled_ns).says("How long uploads waited altogether"),
                   field("descriptor_stalls", &S::descriptor_stalls, Presence::kOptional)
                       .says("Requests for dynamic descriptors that waited for the device; absent: older validations")};
};

template <>
struct Fields<EngineSpan> {
    using S = EngineSpan;
    static constexpr std::string_view kName = "engine_span";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("engine", &S::engine, TextCodec{.min_length = 1}).says("The engine that did the work, by name"),
        field("name", &S::name, TextCodec{.min_length = 1}).says("The piece of work, \"upload 0\""),
        field("begin_ns", &S::begin_ns).says("From the scenario's start to its begin"),
        field("end_ns", &S::end_ns).says("From the scenario's start to its end"),
        field("clock", &S::clock, Presence::kDefaulted)
            .says("device: timestamps around the work, the first of which is put where it was submitted; host: as the "
                  "host could see it")};
};

template <>
struct Fields<PreparedChunks> {
    using S = PreparedChunks;
    static constexpr std::string_view kName = "prepared_chunks";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("prepared", &S::prepared).says("Chunks that the background allocated ahead of need"),
        field("taken_ready", &S::taken_ready).says("Of them, those that a request took"),
        field("taken_late", &S::taken_late)
            .says("Requests that found no chunk ready and took one from the device themselves"),
        field("given_back", &S::given_back).says("Prepared chunks that were given back because nothing needed them"),
        field("failed", &S::failed).says("Times that there was no memory for one more")};
};

template <>
struct Fields<Promise> {
    using S = Promise;
    static constexpr std::string_view kName = "promise";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("name", &S::name, PromiseNameCodec{})
            .says("The figure, such as mean_waste, worst_frame_ns or peak_reserved_bytes/HEAP"),
        field("predicted", &S::predicted)
            .says("What the policy expects, in the figure's unit: bytes, nanoseconds, a share or a count"),
        field("measured", &S::measured).says("What happened, in the same unit; absent: not measured"),
        field("least", &S::least).says("The smallest figure that is not loose; absent: older validations"),
        field("most", &S::most).says("The largest figure that keeps the promise"),
        field("tolerance", &S::tolerance).says("How least and most follow from the prediction, in words"),
        field("verdict", &S::verdict)
            .says("kept, broken, not_tested, or loose: better than the interval says, which fails no run"),
        field("reason", &S::reason).says("Why it was not tested, or kept all the same; empty: the figures say it")};
};

template <>
struct Fields<StandIn> {
    using S = StandIn;
    static constexpr std::string_view kName = "stand_in";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("bytes_share", &S::bytes_share).says("Of the workload's bytes at its peak, what was played; 0 to 1"),
        field("resources_left_out", &S::resources_left_out).says("Resources that are too large for the memory limit"),
        field("statement", &S::statement)
            .says("In words, \"a stand-in ran: 41% of the bytes; 5 large resources did not run\"")};
};

template <>
struct Fields<UnplayedHint> {
    using S = UnplayedHint;
    static constexpr std::string_view kName = "unplayed_hint";
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}).says("Its place in the workload: \"images/3\""),
                   field("reason", &S::reason, TextCodec{.min_length = 1})
                       .says("Why: the device's or the report's own words, or the memory limit"),
                   field("bytes_share", &S::bytes_share, RealCodec{.max = 1})
                       .says("Of the workload's bytes at its peak, what did not run; 0 to 1"),
                   field("requests", &S::requests).says("Requests that did not run")};
};

template <>
struct Fields<PlayedPart> {
    using S = PlayedPart;
    static constexpr std::string_view kName = "played_part";
    static constexpr auto list = std::tuple{
        field("bytes_share", &S::bytes_share, RealCodec{.max = 1})
            .says("Of the workload's bytes at its peak, what ran; 0 to 1"),
        field("resources_share", &S::resources_share, RealCodec{.max = 1})
            .says("Of its resources at its peak, what ran; 0 to 1"),
        field("requests_share", &S::requests_share, RealCodec{.max = 1}).says("Of its requests, what ran; 0 to 1"),
        field("unplayed", &S::unplayed)
            .says("Hints that did not run, the most bytes first; empty: only fewer of some ran"),
        field("asked_for", &S::asked_for)
            .says("Whether the command line allows it: --scale-to-fit for the memory limit, --allow-unplayed for the "
                  "rest"),
        field("statement", &S::statement, TextCodec{.min_length = 1}).says("The same in words")};
};

template <>
struct Fields<ScenarioVolatile> {
    using S = ScenarioVolatile;
    static constexpr std::string_view kName = "scenario_volatile";
    static constexpr auto list = std::tuple{
        field("allocate", &S::allocate).says("Times of allocating: the place in a chunk and any chunk taken for it"),
        field("free", &S::free).says("Times of freeing"),
        field("create", &S::create).says("Times of creating a resource as a whole, the API's create and bind included"),
        field("worst_frame_ns", &S::worst_frame_ns)
            .says("What the longest frame after the load spent on memory; 0: there were no frames"),
        field("p99_frame_ns", &S::p99_frame_ns)
            .says("What 99 frames of 100 spent on memory, at most; absent: too few frames"),
        field("slowest_device_call_ns", &S::slowest_device_call_ns)
            .says("The slowest call that took or freed device memory, load included; absent: not measured"),
        field("total_ns", &S::total_ns).says("What the scenario took"),
        field("worst_load_ns", &S::worst_load_ns, Presence::kOptional)
            .says("The longest creation of the load, before the first frame; absent: not measured"),
        field("worst_frames", &S::worst_frames,
              ItemsCodec<RecordCodec<WorstFrame>>{.min_items = 1, .max_items = kMaxWorstFrames}, Presence::kOptional)
            .says("Frames that spent most on memory, the longest first; absent: none"),
        field("bindings", &S::bindings).says("Waits of a scenario of descriptors or uploads; absent: another scenario"),
        field("engine_spans", &S::engine_spans,
              ItemsCodec<RecordCodec<EngineSpan>>{.min_items = 1, .max_items = kMaxEngineSpans}, Presence::kOptional)
            .says("Pieces of work as the engines did them, in part where they are too many; absent: none"),
        field("prepared_chunks", &S::prepared_chunks, Presence::kOptional)
            .says("Chunks allocated ahead of need since the load; absent: the allocator prepares none"),
        field("steadiness", &S::steadiness, Presence::kOptional)
            .says("Whether the frames' times had settled; absent: not judged"),
        field("promises", &S::promises, ItemsCodec<RecordCodec<Promise>>{.min_items = 1}, Presence::kOptional)
            .says("What the policy expects, beside what happened; absent: the scenario does not play the workload")};
};

template <>
struct Fields<BindingFigures> {
    using S = BindingFigures;
    static constexpr std::string_view kName = "binding_figures";
    static constexpr auto list = std::tuple{
        field("descriptors_checked", &S::descriptors_checked)
            .says("Descriptors through which the device itself read, wrote or cleared and that were compared"),
        field("bytes_checked", &S::bytes_checked).says("Bytes that were read back and compared"),
        field("frames", &S::frames).says("Frames that were played"),
        field("command_lists", &S::command_lists).says("Command lists that were submitted"),
        field("recording_contexts", &S::recording_contexts).says("Contexts that recorded at the same time, at most"),
        field("descriptor_form", &S::descriptor_form)
            .says("How the backend keeps shader-visible descriptors, \"descriptor-buffer\"; empty: it has none"),
        field("descriptor_form_reason", &S::descriptor_form_reason).says("Why this form, in words"),
        field("peak_cpu_descriptors", &S::peak_cpu_descriptors)
            .says("Alive at the same time in the CPU heaps of all four types, at most"),
        field("peak_static_descriptors", &S::peak_static_descriptors)
            .says("Alive at the same time in the static part, at most"),
        field("peak_dynamic_descriptors", &S::peak_dynamic_descriptors)
            .says("Alive at the same time in the dynamic part, at most"),
        field("peak_samplers", &S::peak_samplers).says("Distinct samplers alive at the same time, at most"),
        field("descriptors_reached", &S::descriptors_reached)
            .says("Alive at once when a limit or the goal was met; 0: the scenario looks for no limit"),
        field("limits", &S::limits).says("Which limits or bounds were met, in words and with figures; empty: none"),
        field("peak_upload_bytes", &S::peak_upload_bytes).says("In use for uploads at the same time, at most")};
};

template <>
struct Fields<WaitFinding> {
    using S = WaitFinding;
    static constexpr std::string_view kName = "wait_finding";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("wait", &S::wait, TextCodec{.min_length = 1}).says("Who waits for what, \"graphics waits for copied 1\""),
        field("role", &S::role)
            .says("necessary: two accesses have no order without it; throttle: it bounds the host; redundant: others "
                  "order the same"),
        field("shown_by", &S::shown_by)
            .says("The two accesses that a necessary wait orders; empty: the wait has another role")};
};

template <>
struct Fields<ScenarioParameter> {
    using S = ScenarioParameter;
    static constexpr std::string_view kName = "scenario_parameter";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1}).says("\"frames\", \"ring_length\""),
                   field("value", &S::value).says("As the scenario was played")};
};

template <>
struct Fields<EngineFigures> {
    using S = EngineFigures;
    static constexpr std::string_view kName = "engine_figures";
    static constexpr auto list = std::tuple{
        field("engines", &S::engines).says("Engines of the device by name, in the order of the schedule's queues"),
        field("queues", &S::queues).says("Distinct queues behind them; fewer than engines where some share one"),
        field("parameters", &S::parameters).says("Sizes and latencies that the scenario was played with"),
        field("submissions", &S::submissions).says("Submissions to queues"),
        field("early_waits", &S::early_waits).says("Waits that were submitted before their signal"),
        field("bytes_checked", &S::bytes_checked).says("Bytes that were read back and compared"),
        field("waits", &S::waits).says("The distinct waits of one period of the schedule, and why each is there"),
        field("notes", &S::notes).says("What the device lacks and what took its place, in words; empty: nothing")};
};

template <>
struct Fields<ScenarioResult> {
    using S = ScenarioResult;
    static constexpr std::string_view kName = "scenario_result";
    static constexpr auto list = std::tuple{
        field("name", &S::name, TextCodec{.min_length = 1})
            .says("The scenario, as --scenario names it; of a baseline with what took the policy's place"),
        field("seed", &S::seed).says("Of what was drawn; one seed, one sequence of operations"),
        field("verdict", &S::verdict)
            .says("Of this scenario; in part: every check passed of what ran, which is not all of the workload"),
        field("reason", &S::reason).says("The verdict in words"),
        field("stand_in", &S::stand_in, Presence::kOptional)
            .says("What ran where a memory limit forbade the workload; absent: the workload itself ran, or none is "
                  "played"),
        field("part", &S::part, Presence::kOptional)
            .says("How much of the workload ran; absent: all of it, or none is played"),
        field("counts", &S::counts).says("What was done and checked"),
        field("memory", &S::memory).says("What was used and reserved"),
        field("findings", &S::findings, ItemsCodec<RecordCodec<ValidationFinding>>{.max_items = kMaxFindings})
            .says("Faults, the first 64; findings_total counts all"),
        field("findings_total", &S::findings_total).says("Faults that were found; 0: none"),
        field("occupancy", &S::occupancy)
            .says("Heaps and pools over the run, at most 256 samples; absent: not recorded"),
        field("defragmentation_steps", &S::defragmentation_steps,
              ItemsCodec<RecordCodec<DefragmentationStep>>{.min_items = 1, .max_items = kMaxDefragmentationSteps},
              Presence::kOptional)
            .says("What each step of defragmentation gained, the first 256; absent: none"),
        field("bindings", &S::bindings)
            .says("What a scenario of descriptors, lifetimes or uploads checked; absent: another scenario"),
        field("engines", &S::engines, Presence::kOptional)
            .says("What a scenario of several engines checked; absent: another scenario"),
        volatile_field(&S::run).says("What differs from run to run: times, waits and promises")};
};

template <>
struct Fields<DeviceValidation> {
    using S = DeviceValidation;
    static constexpr std::string_view kName = "device_validation";
    static constexpr auto list = std::tuple{
        field("identity", &S::identity).says("The device that the policy was run on"),
        field("replayed", &S::replayed).says("Whether a report stood in for the device"),
        field("interpolated_requirements", &S::interpolated_requirements)
            .says("Distinct resources whose size was told from larger ones of the replayed report's sweep; 0: none"),
        field("assumed_requirements", &S::assumed_requirements, Presence::kOptional)
            .says("Resources whose size and alignment were assumed, because the "
                  "replayed report holds no sweep"),
        field("validation_layers", &S::validation_layers).says("Whether the API's validation layers watched"),
        field("memory_limit_bytes", &S::memory_limit_bytes)
            .says("What all heaps together could take in this run, staging memory included"),
        field("left_out", &S::left_out, Presence::kOptional)
            .says("Hints of the workload left out by plan, because the device lacks what they require; absent: none"),
        field("scenarios", &S::scenarios).says("One entry for each scenario that ran"),
        field("baselines", &S::baselines)
            .says("Scenarios again with another allocator in the policy's place; no part of the verdict; empty: not "
                  "asked for"),
        field("verdict", &S::verdict).says("Of all scenarios together"),
        field("reason", &S::reason).says("The verdict in words")};
};

template <>
struct Fields<Validation> {
    using S = Validation;
    static constexpr std::string_view kName = "validation";
    static constexpr DocumentKind kKind = DocumentKind::kValidation;
    static constexpr std::string_view kPurpose =
        "What happened when a policy was run on its device: what was checked and found, and the figures; `heapwright "
        "validate` writes it";
    static constexpr auto list =
        std::tuple{tool_field<S>(),
                   sources_field<S>(),
                   field("workload_name", &S::workload_name, Presence::kOptional)
                       .says("Of the workload that was played; missing in older validations"),
                   field("devices", &S::devices).says("One entry for each device that was validated"),
                   field("failures", &S::failures, Presence::kOptional)
                       .says("Drivers and devices that failed, so that they have no verdict; absent: none"),
                   volatile_field(&S::run).says("What differs from run to run")};
};

}  // namespace heapwright::model::detail
