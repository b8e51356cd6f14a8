// Fields of the validation.
#pragma once

#include "heapwright/model/detail/fields_policy.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<ValidationFinding> {
    using S = ValidationFinding;
    static constexpr std::string_view kName = "validation_finding";
    static constexpr auto list = std::tuple{field("fault", &S::fault), field("step", &S::step),
                                            field("resource", &S::resource), field("statement", &S::statement)};
};

template <>
struct Fields<ScenarioCounts> {
    using S = ScenarioCounts;
    static constexpr std::string_view kName = "scenario_counts";
    static constexpr auto list = std::tuple{field("operations", &S::operations),
                                            field("failures", &S::failures),
                                            field("peak_images", &S::peak_images),
                                            field("peak_buffers", &S::peak_buffers),
                                            field("verified_resources", &S::verified_resources),
                                            field("verified_bytes", &S::verified_bytes),
                                            field("dedicated_allocations", &S::dedicated_allocations),
                                            field("device_allocations", &S::device_allocations),
                                            field("device_allocation_calls", &S::device_allocation_calls)};
};

template <>
struct Fields<ScenarioMemory> {
    using S = ScenarioMemory;
    static constexpr std::string_view kName = "scenario_memory";
    static constexpr auto list =
        std::tuple{field("peak_used_bytes", &S::peak_used_bytes), field("peak_reserved_bytes", &S::peak_reserved_bytes),
                   field("mean_waste", &S::mean_waste), field("peak_waste", &S::peak_waste),
                   field("mean_fragmentation", &S::mean_fragmentation, RealCodec{.max = 1})};
};

template <class C>
constexpr auto samples(C item) {
    return ItemsCodec<C>{.item = item, .max_items = kMaxOccupancySamples};
}

template <>
struct Fields<OccupancySeries> {
    using S = OccupancySeries;
    static constexpr std::string_view kName = "occupancy_series";
    static constexpr auto list = std::tuple{field("name", &S::name, TextCodec{.min_length = 1}),
                                            field("used_bytes", &S::used_bytes, samples(WideCodec{})),
                                            field("reserved_bytes", &S::reserved_bytes, samples(WideCodec{})),
                                            field("largest_free_bytes", &S::largest_free_bytes, samples(WideCodec{})),
                                            field("fragmentation", &S::fragmentation, samples(RealCodec{.max = 1})),
                                            field("chunks", &S::chunks, samples(WideCodec{}))};
};

template <>
struct Fields<MappedChunk> {
    using S = MappedChunk;
    static constexpr std::string_view kName = "mapped_chunk";
    static constexpr auto list =
        std::tuple{field("pool", &S::pool, TextCodec{.min_length = 1}),
                   field("size_bytes", &S::size_bytes, WideCodec{.min = 1}),
                   field("used_bytes", &S::used_bytes),
                   field("free_bytes", &S::free_bytes),
                   field("largest_free_bytes", &S::largest_free_bytes),
                   field("free_ranges", &S::free_ranges),
                   field("suballocations", &S::suballocations),
                   field("internal_waste_bytes", &S::internal_waste_bytes),
                   field("fragmentation", &S::fragmentation, RealCodec{.max = 1}),
                   field("free_ranges_by_size", &S::free_ranges_by_size, ItemsCodec<WideCodec>{.max_items = 64}),
                   field("used_percent", &S::used_percent,
                         ItemsCodec<UintCodec>{.item = {.max = 100}, .min_items = 1, .max_items = kMaxMapCells})};
};

template <>
struct Fields<ChunkMap> {
    using S = ChunkMap;
    static constexpr std::string_view kName = "chunk_map";
    static constexpr auto list =
        std::tuple{field("moment", &S::moment, TextCodec{.min_length = 1}), field("step", &S::step),
                   field("chunks", &S::chunks, ItemsCodec<RecordCodec<MappedChunk>>{.max_items = kMaxMappedChunks}),
                   field("chunks_left_out", &S::chunks_left_out)};
};

template <>
struct Fields<Occupancy> {
    using S = Occupancy;
    static constexpr std::string_view kName = "occupancy";
    static constexpr auto list = std::tuple{
        field("steps", &S::steps, samples(WideCodec{})), field("heaps", &S::heaps), field("pools", &S::pools),
        field("maps", &S::maps, ItemsCodec<RecordCodec<ChunkMap>>{.min_items = 1, .max_items = kMaxChunkMaps},
              Presence::kOptional)};
};

template <>
struct Fields<DefragmentationStep> {
    using S = DefragmentationStep;
    static constexpr std::string_view kName = "defragmentation_step";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("step", &S::step),
                                            field("pool", &S::pool),
                                            field("moves", &S::moves),
                                            field("abandoned_moves", &S::abandoned_moves),
                                            field("copied_bytes", &S::copied_bytes),
                                            field("freed_chunks", &S::freed_chunks),
                                            field("reserved_before_bytes", &S::reserved_before_bytes),
                                            field("reserved_after_bytes", &S::reserved_after_bytes),
                                            field("largest_free_before_bytes", &S::largest_free_before_bytes),
                                            field("largest_free_after_bytes", &S::largest_free_after_bytes)};
};

template <>
struct Fields<LatencyFigures> {
    using S = LatencyFigures;
    static constexpr std::string_view kName = "latency_figures";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("samples", &S::samples), field("p50_ns", &S::p50_ns), field("p99_ns", &S::p99_ns),
                   field("p999_ns", &S::p999_ns), field("worst_ns", &S::worst_ns)};
};

template <>
struct Fields<WorstFrame> {
    using S = WorstFrame;
    static constexpr std::string_view kName = "worst_frame";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("frame", &S::frame),
                                            field("ns", &S::ns),
                                            field("allocations", &S::allocations),
                                            field("frees", &S::frees),
                                            field("device_allocations", &S::device_allocations),
                                            field("device_frees", &S::device_frees, Presence::kOptional),
                                            field("device_ns", &S::device_ns)};
};

template <>
struct Fields<BindingVolatile> {
    using S = BindingVolatile;
    static constexpr std::string_view kName = "binding_volatile";
    static constexpr auto list =
        std::tuple{field("upload_stalls", &S::upload_stalls), field("upload_stalled_ns", &S::upload_stalled_ns),
                   field("descriptor_stalls", &S::descriptor_stalls, Presence::kOptional)};
};

template <>
struct Fields<EngineSpan> {
    using S = EngineSpan;
    static constexpr std::string_view kName = "engine_span";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("engine", &S::engine, TextCodec{.min_length = 1}),
                                            field("name", &S::name, TextCodec{.min_length = 1}),
                                            field("begin_ns", &S::begin_ns), field("end_ns", &S::end_ns)};
};

template <>
struct Fields<PreparedChunks> {
    using S = PreparedChunks;
    static constexpr std::string_view kName = "prepared_chunks";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("prepared", &S::prepared), field("taken_ready", &S::taken_ready),
                                            field("taken_late", &S::taken_late), field("given_back", &S::given_back),
                                            field("failed", &S::failed)};
};

template <>
struct Fields<Promise> {
    using S = Promise;
    static constexpr std::string_view kName = "promise";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name, TextCodec{.min_length = 1}),
                                            field("predicted", &S::predicted),
                                            field("measured", &S::measured),
                                            field("least", &S::least),
                                            field("most", &S::most),
                                            field("tolerance", &S::tolerance),
                                            field("verdict", &S::verdict),
                                            field("reason", &S::reason)};
};

template <>
struct Fields<StandIn> {
    using S = StandIn;
    static constexpr std::string_view kName = "stand_in";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("bytes_share", &S::bytes_share), field("resources_left_out", &S::resources_left_out),
                   field("statement", &S::statement)};
};

template <>
struct Fields<UnplayedHint> {
    using S = UnplayedHint;
    static constexpr std::string_view kName = "unplayed_hint";
    static constexpr auto list = std::tuple{
        field("hint", &S::hint, TextCodec{.min_length = 1}), field("reason", &S::reason, TextCodec{.min_length = 1}),
        field("bytes_share", &S::bytes_share, RealCodec{.max = 1}), field("requests", &S::requests)};
};

template <>
struct Fields<PlayedPart> {
    using S = PlayedPart;
    static constexpr std::string_view kName = "played_part";
    static constexpr auto list = std::tuple{field("bytes_share", &S::bytes_share, RealCodec{.max = 1}),
                                            field("resources_share", &S::resources_share, RealCodec{.max = 1}),
                                            field("requests_share", &S::requests_share, RealCodec{.max = 1}),
                                            field("unplayed", &S::unplayed),
                                            field("asked_for", &S::asked_for),
                                            field("statement", &S::statement, TextCodec{.min_length = 1})};
};

template <>
struct Fields<ScenarioVolatile> {
    using S = ScenarioVolatile;
    static constexpr std::string_view kName = "scenario_volatile";
    static constexpr auto list = std::tuple{
        field("allocate", &S::allocate),
        field("free", &S::free),
        field("create", &S::create),
        field("worst_frame_ns", &S::worst_frame_ns),
        field("p99_frame_ns", &S::p99_frame_ns),
        field("slowest_device_call_ns", &S::slowest_device_call_ns),
        field("total_ns", &S::total_ns),
        field("worst_load_ns", &S::worst_load_ns, Presence::kOptional),
        field("worst_frames", &S::worst_frames,
              ItemsCodec<RecordCodec<WorstFrame>>{.min_items = 1, .max_items = kMaxWorstFrames}, Presence::kOptional),
        field("bindings", &S::bindings),
        field("engine_spans", &S::engine_spans,
              ItemsCodec<RecordCodec<EngineSpan>>{.min_items = 1, .max_items = kMaxEngineSpans}, Presence::kOptional),
        field("prepared_chunks", &S::prepared_chunks, Presence::kOptional),
        field("steadiness", &S::steadiness, Presence::kOptional),
        field("promises", &S::promises, ItemsCodec<RecordCodec<Promise>>{.min_items = 1}, Presence::kOptional)};
};

template <>
struct Fields<BindingFigures> {
    using S = BindingFigures;
    static constexpr std::string_view kName = "binding_figures";
    static constexpr auto list = std::tuple{field("descriptors_checked", &S::descriptors_checked),
                                            field("bytes_checked", &S::bytes_checked),
                                            field("frames", &S::frames),
                                            field("command_lists", &S::command_lists),
                                            field("recording_contexts", &S::recording_contexts),
                                            field("descriptor_form", &S::descriptor_form),
                                            field("descriptor_form_reason", &S::descriptor_form_reason),
                                            field("peak_cpu_descriptors", &S::peak_cpu_descriptors),
                                            field("peak_static_descriptors", &S::peak_static_descriptors),
                                            field("peak_dynamic_descriptors", &S::peak_dynamic_descriptors),
                                            field("peak_samplers", &S::peak_samplers),
                                            field("descriptors_reached", &S::descriptors_reached),
                                            field("limits", &S::limits),
                                            field("peak_upload_bytes", &S::peak_upload_bytes)};
};

template <>
struct Fields<WaitFinding> {
    using S = WaitFinding;
    static constexpr std::string_view kName = "wait_finding";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("wait", &S::wait, TextCodec{.min_length = 1}),
                                            field("role", &S::role), field("shown_by", &S::shown_by)};
};

template <>
struct Fields<ScenarioParameter> {
    using S = ScenarioParameter;
    static constexpr std::string_view kName = "scenario_parameter";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1}), field("value", &S::value)};
};

template <>
struct Fields<EngineFigures> {
    using S = EngineFigures;
    static constexpr std::string_view kName = "engine_figures";
    static constexpr auto list = std::tuple{field("engines", &S::engines),
                                            field("queues", &S::queues),
                                            field("parameters", &S::parameters),
                                            field("submissions", &S::submissions),
                                            field("early_waits", &S::early_waits),
                                            field("bytes_checked", &S::bytes_checked),
                                            field("waits", &S::waits),
                                            field("notes", &S::notes)};
};

template <>
struct Fields<ScenarioResult> {
    using S = ScenarioResult;
    static constexpr std::string_view kName = "scenario_result";
    static constexpr auto list = std::tuple{
        field("name", &S::name, TextCodec{.min_length = 1}),
        field("seed", &S::seed),
        field("verdict", &S::verdict),
        field("reason", &S::reason),
        field("stand_in", &S::stand_in, Presence::kOptional),
        field("part", &S::part, Presence::kOptional),
        field("counts", &S::counts),
        field("memory", &S::memory),
        field("findings", &S::findings, ItemsCodec<RecordCodec<ValidationFinding>>{.max_items = kMaxFindings}),
        field("findings_total", &S::findings_total),
        field("occupancy", &S::occupancy),
        field("defragmentation_steps", &S::defragmentation_steps,
              ItemsCodec<RecordCodec<DefragmentationStep>>{.min_items = 1, .max_items = kMaxDefragmentationSteps},
              Presence::kOptional),
        field("bindings", &S::bindings),
        field("engines", &S::engines, Presence::kOptional),
        volatile_field(&S::run)};
};

template <>
struct Fields<DeviceValidation> {
    using S = DeviceValidation;
    static constexpr std::string_view kName = "device_validation";
    static constexpr auto list = std::tuple{field("identity", &S::identity),
                                            field("replayed", &S::replayed),
                                            field("interpolated_requirements", &S::interpolated_requirements),
                                            field("assumed_requirements", &S::assumed_requirements, Presence::kOptional)
                                                .says("Resources whose size and alignment were assumed, because the "
                                                      "replayed report holds no sweep"),
                                            field("validation_layers", &S::validation_layers),
                                            field("memory_limit_bytes", &S::memory_limit_bytes),
                                            field("left_out", &S::left_out, Presence::kOptional),
                                            field("scenarios", &S::scenarios),
                                            field("baselines", &S::baselines),
                                            field("verdict", &S::verdict),
                                            field("reason", &S::reason)};
};

template <>
struct Fields<Validation> {
    using S = Validation;
    static constexpr std::string_view kName = "validation";
    static constexpr DocumentKind kKind = DocumentKind::kValidation;
    static constexpr auto list = std::tuple{tool_field<S>(),
                                            sources_field<S>(),
                                            field("workload_name", &S::workload_name, Presence::kOptional)
                                                .says("Of the workload that was played; missing in older validations"),
                                            field("devices", &S::devices),
                                            field("failures", &S::failures, Presence::kOptional),
                                            volatile_field(&S::run)};
};

}  // namespace heapwright::model::detail
