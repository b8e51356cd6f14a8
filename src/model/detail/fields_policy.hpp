// Fields of the workload and of the policy.
#pragma once

#include "heapwright/model/detail/fields_report.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<ImageHint> {
    using S = ImageHint;
    static constexpr std::string_view kName = "image_hint";
    static constexpr auto list = std::tuple{
        field("format", &S::format),
        field("tiling", &S::tiling, Presence::kDefaulted),
        field("usage", &S::usage, kImageUsageCodec),
        field("extents", &S::extents, ItemsCodec<TupleCodec<UintCodec, 2>>{.item = kExtentCodec}, Presence::kDefaulted),
        field("smallest_side", &S::smallest_side, kPositiveCodec, Presence::kDefaulted),
        field("largest_side", &S::largest_side, kPositiveCodec, Presence::kDefaulted),
        field("distribution", &S::distribution, Presence::kDefaulted),
        field("full_mips", &S::full_mips, Presence::kDefaulted),
        field("array_layers", &S::array_layers, kPositiveCodec, Presence::kDefaulted),
        field("samples", &S::samples, kSamplesCodec, Presence::kDefaulted),
        field("count", &S::count, kPositiveCodec),
        field("lifetime", &S::lifetime, Presence::kDefaulted),
        field("memory_use", &S::memory_use, Presence::kDefaulted)};
};

template <>
struct Fields<BufferHint> {
    using S = BufferHint;
    static constexpr std::string_view kName = "buffer_hint";
    static constexpr auto list = std::tuple{field("usage", &S::usage, kBufferUsageCodec),
                                            field("smallest_bytes", &S::smallest_bytes, WideCodec{.min = 1}),
                                            field("largest_bytes", &S::largest_bytes, WideCodec{.min = 1}),
                                            field("distribution", &S::distribution, Presence::kDefaulted),
                                            field("count", &S::count, kPositiveCodec),
                                            field("lifetime", &S::lifetime, Presence::kDefaulted),
                                            field("memory_use", &S::memory_use, Presence::kDefaulted)};
};

template <>
struct Fields<BindingHint> {
    using S = BindingHint;
    static constexpr std::string_view kName = "binding_hint";
    static constexpr auto list = std::tuple{
        field("recording_contexts", &S::recording_contexts, UintCodec{.min = 1, .max = 256}, Presence::kDefaulted),
        field("static_descriptors", &S::static_descriptors, Presence::kDefaulted),
        field("dynamic_descriptors_per_frame", &S::dynamic_descriptors_per_frame, Presence::kDefaulted),
        field("dynamic_descriptors_per_draw", &S::dynamic_descriptors_per_draw, kPositiveCodec, Presence::kDefaulted),
        field("static_samplers_visible", &S::static_samplers_visible, Presence::kDefaulted),
        field("dynamic_samplers_per_frame", &S::dynamic_samplers_per_frame, Presence::kDefaulted),
        field("render_target_views", &S::render_target_views, Presence::kDefaulted),
        field("depth_stencil_views", &S::depth_stencil_views, Presence::kDefaulted)};
};

template <>
struct Fields<UploadHint> {
    using S = UploadHint;
    static constexpr std::string_view kName = "upload_hint";
    static constexpr auto list =
        std::tuple{field("bytes_per_frame", &S::bytes_per_frame, WideCodec{.min = 1}, Presence::kDefaulted),
                   field("largest_bytes", &S::largest_bytes, WideCodec{.min = 1}, Presence::kDefaulted)};
};

template <>
struct Fields<Workload> {
    using S = Workload;
    static constexpr std::string_view kName = "workload";
    static constexpr DocumentKind kKind = DocumentKind::kWorkload;
    static constexpr auto list = std::tuple{
        tool_field<S>(Presence::kDefaulted),
        sources_field<S>(Presence::kDefaulted),
        field("name", &S::name, TextCodec{.min_length = 1}),
        field("description", &S::description, Presence::kDefaulted),
        field("seed", &S::seed, Presence::kDefaulted),
        field("frame_budget_ns", &S::frame_budget_ns, WideCodec{.min = 1}, Presence::kDefaulted),
        field("frames_in_flight", &S::frames_in_flight, UintCodec{.min = 1, .max = 16}, Presence::kDefaulted),
        field("steps_per_frame", &S::steps_per_frame, kPositiveCodec, Presence::kDefaulted),
        field("churn_steps", &S::churn_steps, Presence::kDefaulted),
        field("reserve_share", &S::reserve_share, RealCodec{.max = 1}, Presence::kDefaulted),
        field("images", &S::images),
        field("buffers", &S::buffers),
        field("bindings", &S::bindings, Presence::kDefaulted),
        field("uploads", &S::uploads, Presence::kDefaulted)};
};

template <>
struct Fields<DecisionInput> {
    using S = DecisionInput;
    static constexpr std::string_view kName = "decision_input";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("document", &S::document), field("path", &S::path), field("value", &S::value)};
};

template <>
struct Fields<Alternative> {
    static constexpr std::string_view kName = "alternative";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("value", &Alternative::value), field("reason", &Alternative::reason)};
};

template <>
struct Fields<ExcludedMemoryType> {
    using S = ExcludedMemoryType;
    static constexpr std::string_view kName = "excluded_memory_type";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("memory_type", &S::memory_type, kMemoryTypeIndexCodec), field("reason", &S::reason)};
};

template <>
struct Fields<MemoryUsePolicy> {
    using S = MemoryUsePolicy;
    using Types = ItemsCodec<UintCodec>;
    static constexpr std::string_view kName = "memory_use_policy";
    static constexpr auto list =
        std::tuple{field("use", &S::use),
                   field("memory_types", &S::memory_types,
                         DecidedCodec<Types>{.value = {.item = kMemoryTypeIndexCodec, .max_items = kMaxMemoryTypes}}),
                   field("excluded", &S::excluded)};
};

template <>
struct Fields<HeapPolicy> {
    using S = HeapPolicy;
    static constexpr std::string_view kName = "heap_policy";
    static constexpr auto list = std::tuple{
        field("heap", &S::heap, kHeapIndexCodec),
        field("size_bytes", &S::size_bytes),  // 0 where the report has a heap of no size
        field("base_bytes", &S::base_bytes),
        field("usable_bytes", &S::usable_bytes),
        field("parts", &S::parts, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("reserve_share", &S::reserve_share, DecidedCodec<RealCodec>{.value = {.max = 1}}, Presence::kOptional)};
};

template <>
struct Fields<ChunkGrowth> {
    using S = ChunkGrowth;
    static constexpr std::string_view kName = "chunk_growth";
    static constexpr auto list =
        std::tuple{field("first_chunk_bytes", &S::first_chunk_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}}),
                   field("divisor", &S::divisor, DecidedCodec<WideCodec>{.value = {.min = 1}})};
};

template <>
struct Fields<BucketPolicy> {
    using S = BucketPolicy;
    static constexpr std::string_view kName = "bucket_policy";
    static constexpr auto list = std::tuple{
        field("id", &S::id, TextCodec{.min_length = 1}),
        field("resource_classes", &S::resource_classes, ItemsCodec<NameCodec<ResourceClass>>{.min_items = 1}),
        field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{}),
        field("memory_type", &S::memory_type, kMemoryTypeIndexCodec),
        field("chunk_size_bytes", &S::chunk_size_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("growth", &S::growth),
        field("dedicated_threshold_bytes", &S::dedicated_threshold_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("chunk_choice", &S::chunk_choice),
        field("suballocator", &S::suballocator),
        field("granule_bytes", &S::granule_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("chunks_ahead", &S::chunks_ahead, Presence::kOptional),
        field("priority", &S::priority, DecidedCodec<RealCodec>{.value = {.max = 1}}, Presence::kOptional),
        field("expected_bytes", &S::expected_bytes)};
};

template <>
struct Fields<HeapFeasibility> {
    using S = HeapFeasibility;
    static constexpr std::string_view kName = "heap_feasibility";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("heap", &S::heap, kHeapIndexCodec), field("buckets", &S::buckets),
                                            field("one_chunk_each_bytes", &S::one_chunk_each_bytes),
                                            field("usable_bytes", &S::usable_bytes), field("fits", &S::fits)};
};

template <>
struct Fields<HeapCapacity> {
    using S = HeapCapacity;
    static constexpr std::string_view kName = "heap_capacity";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("heap", &S::heap, kHeapIndexCodec),
                                            field("usable_bytes", &S::usable_bytes),
                                            field("wanted_bytes", &S::wanted_bytes),
                                            field("expected_bytes", &S::expected_bytes)};
};

template <>
struct Fields<HintMoved> {
    using S = HintMoved;
    static constexpr std::string_view kName = "hint_moved";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}),
                                            field("from_memory_type", &S::from_memory_type, kMemoryTypeIndexCodec),
                                            field("to_memory_type", &S::to_memory_type, kMemoryTypeIndexCodec),
                                            field("bytes", &S::bytes)};
};

template <>
struct Fields<HintUnfit> {
    using S = HintUnfit;
    static constexpr std::string_view kName = "hint_unfit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}), field("bytes", &S::bytes)};
};

template <>
struct Fields<CapacityPlan> {
    using S = CapacityPlan;
    static constexpr std::string_view kName = "capacity_plan";
    static constexpr auto list = std::tuple{
        field("fits", &S::fits),
        field("missing_bytes", &S::missing_bytes),
        field("reason", &S::reason),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapCapacity>>{.max_items = kMaxHeaps}),
        field("moved", &S::moved),
        field("unfit", &S::unfit)};
};

template <>
struct Fields<HeapExpectation> {
    using S = HeapExpectation;
    static constexpr std::string_view kName = "heap_expectation";
    static constexpr auto list = std::tuple{field("heap", &S::heap, kHeapIndexCodec),
                                            field("peak_reserved_bytes", &S::peak_reserved_bytes)};
};

template <>
struct Fields<Expectations> {
    using S = Expectations;
    static constexpr std::string_view kName = "expectations";
    static constexpr auto list =
        std::tuple{field("mean_waste", &S::mean_waste),
                   field("device_allocations", &S::device_allocations),
                   field("worst_frame_ns", &S::worst_frame_ns, Presence::kOptional),
                   field("worst_load_ns", &S::worst_load_ns, Presence::kOptional),
                   field("late_chunks", &S::late_chunks, Presence::kOptional),
                   field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapExpectation>>{.max_items = kMaxHeaps})};
};

inline constexpr DecidedCodec<WideCodec> kDecidedPositiveCodec{.value = {.min = 1}};

template <>
struct Fields<VisibleHeapPolicy> {
    using S = VisibleHeapPolicy;
    static constexpr std::string_view kName = "visible_heap_policy";
    static constexpr auto list = std::tuple{field("capacity", &S::capacity, kDecidedPositiveCodec),
                                            field("dynamic_capacity", &S::dynamic_capacity, kDecidedPositiveCodec),
                                            field("dynamic_chunk", &S::dynamic_chunk, kDecidedPositiveCodec),
                                            field("static_suballocator", &S::static_suballocator),
                                            field("dynamic_suballocator", &S::dynamic_suballocator)};
};

template <>
struct Fields<DescriptorPolicy> {
    using S = DescriptorPolicy;
    static constexpr std::string_view kName = "descriptor_policy";
    static constexpr auto list = std::tuple{field("cbv_srv_uav_page", &S::cbv_srv_uav_page, kDecidedPositiveCodec),
                                            field("sampler_page", &S::sampler_page, kDecidedPositiveCodec),
                                            field("rtv_page", &S::rtv_page, kDecidedPositiveCodec),
                                            field("dsv_page", &S::dsv_page, kDecidedPositiveCodec),
                                            field("cpu_suballocator", &S::cpu_suballocator),
                                            field("resources", &S::resources),
                                            field("samplers", &S::samplers)};
};

template <>
struct Fields<UploadPolicy> {
    using S = UploadPolicy;
    static constexpr std::string_view kName = "upload_policy";
    static constexpr auto list = std::tuple{field("ring_bytes", &S::ring_bytes, kDecidedPositiveCodec),
                                            field("page_bytes", &S::page_bytes, kDecidedPositiveCodec)};
};

template <>
struct Fields<EngineAssignment> {
    using S = EngineAssignment;
    static constexpr std::string_view kName = "engine_assignment";
    static constexpr auto list =
        std::tuple{field("work", &S::work, TextCodec{.min_length = 1}),
                   field("engine", &S::engine, DecidedCodec<TextCodec>{.value = {.min_length = 1}})};
};

template <>
struct Fields<EnginePolicy> {
    using S = EnginePolicy;
    static constexpr std::string_view kName = "engine_policy";
    static constexpr auto list =
        std::tuple{field("assignments", &S::assignments),
                   field("async_copy", &S::async_copy),
                   field("async_compute", &S::async_compute),
                   field("copy_ring_length", &S::copy_ring_length, kDecidedPositiveCodec),
                   field("cpu_latency", &S::cpu_latency, kDecidedPositiveCodec),
                   field("compute_graphics_latency", &S::compute_graphics_latency, kDecidedPositiveCodec)};
};

template <>
struct Fields<DevicePolicy> {
    using S = DevicePolicy;
    static constexpr std::string_view kName = "device_policy";
    static constexpr auto list = std::tuple{
        field("identity", &S::identity),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapPolicy>>{.max_items = kMaxHeaps}),
        field("memory_types", &S::memory_types, ItemsCodec<RecordCodec<MemoryType>>{.max_items = kMaxMemoryTypes}),
        field("frame_budget_ns", &S::frame_budget_ns, WideCodec{.min = 1}),
        field("unanswered_points", &S::unanswered_points),
        field("memory_uses", &S::memory_uses, ItemsCodec<RecordCodec<MemoryUsePolicy>>{.max_items = 4}),
        field("largest_ordinary_bytes", &S::largest_ordinary_bytes),
        field("humongous_threshold_bytes", &S::humongous_threshold_bytes),
        field("humongous", &S::humongous, Presence::kOptional),
        field("largest_buffer_bytes", &S::largest_buffer_bytes, kDecidedPositiveCodec, Presence::kOptional),
        field("dedicated", &S::dedicated),
        field("separate_linear_and_optimal", &S::separate_linear_and_optimal),
        field("max_chunks", &S::max_chunks, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("buckets", &S::buckets),
        field("feasibility", &S::feasibility),
        field("capacity", &S::capacity, Presence::kOptional),
        field("expectations", &S::expectations, Presence::kOptional),
        field("frames_in_flight", &S::frames_in_flight, kDecidedPositiveCodec),
        field("descriptors", &S::descriptors),
        field("uploads", &S::uploads),
        field("engines", &S::engines, Presence::kOptional),
        field("warnings", &S::warnings)};
};

template <>
struct Fields<Policy> {
    using S = Policy;
    static constexpr std::string_view kName = "policy";
    static constexpr DocumentKind kKind = DocumentKind::kPolicy;
    static constexpr auto list = std::tuple{tool_field<S>(), sources_field<S>(),
                                            field("workload_name", &S::workload_name, TextCodec{.min_length = 1}),
                                            field("devices", &S::devices), volatile_field(&S::run)};
};

}  // namespace heapwright::model::detail
