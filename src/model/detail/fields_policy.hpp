// Fields of the workload and of the policy.
#pragma once

#include "heapwright/model/detail/fields_report.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model::detail {

// What the hints of images and of buffers say alike.
template <class S>
constexpr auto lifetime_fields() {
    return std::tuple{
        field("lifetime", &S::lifetime, Presence::kDefaulted)
            .says("persistent: lives as long as the application; level: comes and goes in groups; streaming: comes and "
                  "goes one by one; frame: lives for one frame"),
        field("memory_use", &S::memory_use, Presence::kDefaulted)
            .says("device_only: the device alone reads and writes; upload: the host writes once, the device copies; "
                  "readback: the device writes, the host reads; streaming: the host writes every frame, the device "
                  "reads in place")};
}

template <class S>
constexpr auto wish_fields() {
    return std::tuple{
        field("host_access", &S::host_access)
            .says("How the host touches memory that it sees. sequential: it writes in ascending order and never reads; "
                  "random: it reads or writes here and there, so the memory must be cached and is ranked as readback. "
                  "Without it as memory_use says"),
        field("dedicated", &S::dedicated, Presence::kOptional)
            .says("auto: as the driver and the policy say; always: each resource has a device allocation of its own; "
                  "never: in chunks unless the driver requires its own. Without it auto"),
        field("importance", &S::importance, UintCodec{.max = 100})
            .says("Where memory is short, the least important moves to slower memory first. Without it by lifetime "
                  "and use"),
        field("requires", &S::needs, Presence::kOptional)
            .says("What only some devices or APIs have: a device that lacks one of these leaves the hint out by plan, "
                  "and policy and verdict say so first. Without it what the device lacks stays out, too, and the "
                  "verdict is in "
                  "part")};
}

template <>
struct Fields<ImageHint> {
    using S = ImageHint;
    static constexpr std::string_view kName = "image_hint";
    static constexpr bool kStatesDefaults = true;
    static constexpr auto list = std::tuple_cat(
        std::tuple{
            field("format", &S::format).says("VkFormat without VK_FORMAT_"),
            field("tiling", &S::tiling, Presence::kDefaulted).says("How texels lie in memory: VkImageTiling"),
            field("usage", &S::usage, kImageUsageCodec)
                .says("VkImageUsageFlagBits without prefix and _BIT; BIT_n for a bit without a name here"),
            field("extents", &S::extents, ItemsCodec<TupleCodec<UintCodec, 2>>{.item = kExtentCodec},
                  Presence::kDefaulted)
                .says("Exact widths and heights in texels, each equally likely; none: sides are drawn between "
                      "smallest_side and largest_side"),
            field("smallest_side", &S::smallest_side, kPositiveCodec, Presence::kDefaulted)
                .says("In texels; width and height are drawn independently. Of no effect beside extents"),
            field("largest_side", &S::largest_side, kPositiveCodec, Presence::kDefaulted)
                .says("In texels. Of no effect beside extents"),
            field("distribution", &S::distribution, Presence::kDefaulted)
                .says("Between the bounds: uniform makes every value equally likely, log_uniform every doubling, "
                      "powers_of_two every power of two"),
            field("full_mips", &S::full_mips, Presence::kDefaulted)
                .says("Every image has its full mip chain; else one level, or mip_levels"),
            field("array_layers", &S::array_layers, kPositiveCodec, Presence::kDefaulted)
                .says("Of each image; a cube has 6"),
            field("samples", &S::samples, kSamplesCodec, Presence::kDefaulted).says("Samples per texel"),
            field("count", &S::count, kPositiveCodec).says("Alive at the same time, at the peak")},
        lifetime_fields<S>(),
        std::tuple{field("depth", &S::depth, kPositiveCodec)
                       .says("Slices of a 3D image. Without it images are two-dimensional"),
                   field("mip_levels", &S::mip_levels, kMipLevelsCodec)
                       .says("Mip levels, at most: a smaller extent has its full chain. Not beside full_mips"),
                   field("flags", &S::flags, kImageCreationCodec, Presence::kOptional)
                       .says("VkImageCreateFlagBits without prefix and _BIT. Carried out: MUTABLE_FORMAT, "
                             "CUBE_COMPATIBLE, 2D_ARRAY_COMPATIBLE, BLOCK_TEXEL_VIEW_COMPATIBLE, EXTENDED_USAGE, "
                             "ALIAS; others are refused. Without it none")},
        wish_fields<S>());
};

template <>
struct Fields<BufferHint> {
    using S = BufferHint;
    static constexpr std::string_view kName = "buffer_hint";
    static constexpr bool kStatesDefaults = true;
    static constexpr auto list = std::tuple_cat(
        std::tuple{
            field("usage", &S::usage, kBufferUsageCodec)
                .says("VkBufferUsageFlagBits without prefix and _BIT; BIT_n for a bit without a name here"),
            field("smallest_bytes", &S::smallest_bytes, WideCodec{.min = 1}).says("Size of the smallest"),
            field("largest_bytes", &S::largest_bytes, WideCodec{.min = 1}).says("Size of the largest"),
            field("distribution", &S::distribution, Presence::kDefaulted)
                .says("Between the bounds: uniform makes every value equally likely, log_uniform every doubling, "
                      "powers_of_two every power of two"),
            field("count", &S::count, kPositiveCodec).says("Alive at the same time, at the peak")},
        lifetime_fields<S>(), wish_fields<S>(),
        std::tuple{field("splittable", &S::splittable, Presence::kOptional)
                       .says("Where one is larger than the device allows, the application makes it as several buffers "
                             "of one size that hold the same data; the policy says how many and how large. Without it "
                             "false")});
};

template <>
struct Fields<BindingHint> {
    using S = BindingHint;
    static constexpr std::string_view kName = "binding_hint";
    static constexpr bool kStatesDefaults = true;
    static constexpr auto list = std::tuple{
        field("recording_contexts", &S::recording_contexts, UintCodec{.min = 1, .max = 256}, Presence::kDefaulted)
            .says("Threads that record commands at the same time"),
        field("static_descriptors", &S::static_descriptors, Presence::kDefaulted)
            .says("CBV, SRV and UAV in shader-visible heaps, of static and mutable variables"),
        field("dynamic_descriptors_per_frame", &S::dynamic_descriptors_per_frame, Presence::kDefaulted)
            .says("CBV, SRV and UAV of one frame, of all contexts together"),
        field("dynamic_descriptors_per_draw", &S::dynamic_descriptors_per_draw, kPositiveCodec, Presence::kDefaulted)
            .says("Descriptors in a row that one draw or dispatch takes"),
        field("static_samplers_visible", &S::static_samplers_visible, Presence::kDefaulted)
            .says("Distinct samplers in shader-visible heaps"),
        field("dynamic_samplers_per_frame", &S::dynamic_samplers_per_frame, Presence::kDefaulted)
            .says("Samplers of one frame, of all contexts together"),
        field("render_target_views", &S::render_target_views, Presence::kDefaulted).says("Alive at the same time"),
        field("depth_stencil_views", &S::depth_stencil_views, Presence::kDefaulted).says("Alive at the same time")};
};

template <>
struct Fields<UploadHint> {
    using S = UploadHint;
    static constexpr std::string_view kName = "upload_hint";
    static constexpr bool kStatesDefaults = true;
    static constexpr auto list = std::tuple{
        field("bytes_per_frame", &S::bytes_per_frame, WideCodec{.min = 1}, Presence::kOptional)
            .says("What the host writes in a frame for the device to copy or read. Without it what a frame renews of "
                  "the resources that are copied to, from 1 to 8 MiB"),
        field("largest_bytes", &S::largest_bytes, WideCodec{.min = 1}, Presence::kDefaulted).says("Of one upload")};
};

template <>
struct Fields<MemoryCaps> {
    using S = MemoryCaps;
    static constexpr std::string_view kName = "memory_caps";
    static constexpr auto list =
        std::tuple{field("device_local_bytes", &S::device_local_bytes, WideCodec{.min = 1}, Presence::kOptional)
                       .says("Of all device local heaps together. Without it no cap"),
                   field("host_bytes", &S::host_bytes, WideCodec{.min = 1}, Presence::kOptional)
                       .says("Of all other heaps together. Without it no cap")};
};

template <>
struct Fields<Workload> {
    using S = Workload;
    static constexpr std::string_view kName = "workload";
    static constexpr DocumentKind kKind = DocumentKind::kWorkload;
    static constexpr bool kStatesDefaults = true;
    static constexpr auto list = std::tuple{
        tool_field<S>(Presence::kDefaulted).says("The program that wrote the document; not needed by hand"),
        sources_field<S>(Presence::kDefaulted).says("The documents that it was made from; not needed by hand"),
        field("name", &S::name, TextCodec{.min_length = 1}).says("Stands in policies and messages"),
        field("description", &S::description, Presence::kDefaulted).says("What application this is, for people"),
        field("seed", &S::seed, Presence::kDefaulted).says("Of what is drawn: one seed, one sequence"),
        field("frame_budget_ns", &S::frame_budget_ns, WideCodec{.min = 1}, Presence::kDefaulted)
            .says("Nanoseconds of one frame; 16666667 is 60 Hz"),
        field("frames_in_flight", &S::frames_in_flight, UintCodec{.min = 1, .max = 16}, Presence::kDefaulted)
            .says("Frames that the host has submitted and the device has not finished"),
        field("steps_per_frame", &S::steps_per_frame, kPositiveCodec, Presence::kDefaulted)
            .says("Level and streaming resources destroyed and created again in one frame"),
        field("churn_steps", &S::churn_steps, Presence::kDefaulted).says("The same, in all; 0: nothing comes and goes"),
        field("reserve_share", &S::reserve_share, RealCodec{.max = 1}, Presence::kDefaulted)
            .says("Share of each heap's budget that is left to other processes; left twice over where several heaps of "
                  "an integrated device are one RAM"),
        field("images", &S::images).says("One hint for each kind of image"),
        field("buffers", &S::buffers).says("One hint for each kind of buffer"),
        field("bindings", &S::bindings, Presence::kDefaulted).says("Descriptors that the application binds"),
        field("uploads", &S::uploads, Presence::kDefaulted).says("What goes through the upload ring"),
        field("caps", &S::caps).says("Bytes that the application takes at most, whatever the budget allows")};
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
    static constexpr auto list =
        std::tuple{field("heap", &S::heap, kHeapIndexCodec), field("usable_bytes", &S::usable_bytes),
                   field("wanted_bytes", &S::wanted_bytes), field("expected_bytes", &S::expected_bytes)};
};

template <>
struct Fields<HintMoved> {
    using S = HintMoved;
    static constexpr std::string_view kName = "hint_moved";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}),
                   field("from_memory_type", &S::from_memory_type, kMemoryTypeIndexCodec),
                   field("to_memory_type", &S::to_memory_type, kMemoryTypeIndexCodec), field("bytes", &S::bytes)};
};

template <>
struct Fields<ExceededLimit> {
    using S = ExceededLimit;
    static constexpr std::string_view kName = "exceeded_limit";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("limit", &S::limit, TextCodec{.min_length = 1}),
                                            field("limit_bytes", &S::limit_bytes), field("size_bytes", &S::size_bytes)};
};

template <>
struct Fields<HintSplit> {
    using S = HintSplit;
    static constexpr std::string_view kName = "hint_split";
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}),
                   field("exceeded", &S::exceeded).says("The limit that the largest of its buffers passes in whole"),
                   field("parts", &S::parts, WideCodec{.min = 2}).says("Buffers that one of them is made of"),
                   field("part_bytes", &S::part_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})};
};

template <>
struct Fields<HintUnfit> {
    using S = HintUnfit;
    static constexpr std::string_view kName = "hint_unfit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}), field("bytes", &S::bytes),
                   field("exceeded", &S::exceeded, Presence::kOptional)};
};

template <>
struct Fields<CapacityPlan> {
    using S = CapacityPlan;
    static constexpr std::string_view kName = "capacity_plan";
    static constexpr auto list =
        std::tuple{field("fits", &S::fits),
                   field("needed_bytes", &S::needed_bytes, WideCodec{.min = 1}, Presence::kOptional),
                   field("missing_bytes", &S::missing_bytes),
                   field("statement", &S::statement, Presence::kOptional),
                   field("reason", &S::reason),
                   field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapCapacity>>{.max_items = kMaxHeaps}),
                   field("moved", &S::moved),
                   field("unfit", &S::unfit),
                   field("refused", &S::refused, Presence::kOptional)};
};

template <>
struct Fields<Interval> {
    using S = Interval;
    static constexpr std::string_view kName = "interval";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("least", &S::least), field("most", &S::most)};
};

template <>
struct Fields<HeapExpectation> {
    using S = HeapExpectation;
    static constexpr std::string_view kName = "heap_expectation";
    static constexpr auto list =
        std::tuple{field("heap", &S::heap, kHeapIndexCodec), field("peak_reserved_bytes", &S::peak_reserved_bytes),
                   field("peak_reserved_bytes_interval", &S::peak_reserved_bytes_interval)};
};

template <>
struct Fields<Expectations> {
    using S = Expectations;
    static constexpr std::string_view kName = "expectations";
    static constexpr auto list = std::tuple{
        field("mean_waste", &S::mean_waste),
        field("mean_waste_interval", &S::mean_waste_interval),
        field("peak_waste", &S::peak_waste),
        field("peak_waste_interval", &S::peak_waste_interval),
        field("device_allocations", &S::device_allocations),
        field("device_allocations_interval", &S::device_allocations_interval),
        field("p99_frame_ns", &S::p99_frame_ns),
        field("p99_frame_ns_interval", &S::p99_frame_ns_interval),
        field("worst_frame_ns", &S::worst_frame_ns),
        field("worst_frame_ns_interval", &S::worst_frame_ns_interval),
        field("most_calls_of_frame", &S::most_calls_of_frame)
            .says("Calls of one frame that take or free device memory, one of the background that the frame "
                  "waits for included"),
        field("worst_load_ns", &S::worst_load_ns),
        field("worst_load_ns_interval", &S::worst_load_ns_interval),
        field("late_chunks", &S::late_chunks),
        field("late_chunks_interval", &S::late_chunks_interval),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapExpectation>>{.max_items = kMaxHeaps}),
        field("failed_requests", &S::failed_requests, Presence::kOptional)
            .says("Requests of one simulated run that found no memory; the other figures are without them"),
        field("estimated_share", &S::estimated_share, RealCodec{.max = 1}, Presence::kOptional)
            .says("Of the bytes that are asked for, those of resources whose sizes nothing in the report tells")};
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
struct Fields<HintLeftOut> {
    using S = HintLeftOut;
    static constexpr std::string_view kName = "hint_left_out";
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}), field("lacks", &S::lacks),
                   field("bytes_share", &S::bytes_share, RealCodec{.max = 1}), field("resources", &S::resources)};
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
        field("largest_storage_buffer_bytes", &S::largest_storage_buffer_bytes, kDecidedPositiveCodec,
              Presence::kOptional)
            .says("The same of storage buffers, where one descriptor sees less than largest_buffer_bytes"),
        field("split", &S::split, Presence::kOptional)
            .says("Buffers of hints that are `splittable` and too large in whole, each made as so many of one size. "
                  "Everything else of the policy is for these parts; `validate` plays them"),
        field("dedicated", &S::dedicated),
        field("separate_linear_and_optimal", &S::separate_linear_and_optimal),
        field("max_chunks", &S::max_chunks, DecidedCodec<WideCodec>{.value = {.min = 1}}),
        field("buckets", &S::buckets),
        field("feasibility", &S::feasibility),
        field("left_out", &S::left_out, Presence::kOptional),
        field("capacity", &S::capacity, Presence::kOptional),
        field("expectations", &S::expectations, Presence::kOptional),
        field("frames_in_flight", &S::frames_in_flight, kDecidedPositiveCodec),
        field("descriptors", &S::descriptors),
        field("uploads", &S::uploads),
        field("engines", &S::engines, Presence::kOptional),
        field("assumed", &S::assumed, Presence::kOptional)
            .says("What was neither asked of the device nor measured but assumed, each with what is assumed"),
        field("warnings", &S::warnings)};
};

template <>
struct Fields<Policy> {
    using S = Policy;
    static constexpr std::string_view kName = "policy";
    static constexpr DocumentKind kKind = DocumentKind::kPolicy;
    static constexpr auto list = std::tuple{tool_field<S>(),
                                            sources_field<S>(),
                                            field("workload_name", &S::workload_name, TextCodec{.min_length = 1}),
                                            field("workload", &S::workload)
                                                .says("The workload that it was made for, whole, which `validate` "
                                                      "plays; missing in older policies"),
                                            field("devices", &S::devices),
                                            volatile_field(&S::run)};
};

}  // namespace heapwright::model::detail
