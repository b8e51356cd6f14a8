// Fields of the workload and of the policy.
#pragma once

#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"
#include "model/detail/fields_report.hpp"

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
    static constexpr std::string_view kPurpose =
        "What an application asks for: kinds of images and buffers, their sizes, counts and lifetimes; written by "
        "hand, from `heapwright workload --example` or a preset";
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
        std::tuple{field("use", &S::use)
                       .says("Who touches the memory: device_only, upload, readback or streaming, as in workloads"),
                   field("memory_types", &S::memory_types,
                         DecidedCodec<Types>{.value = {.item = kMemoryTypeIndexCodec, .max_items = kMaxMemoryTypes}})
                       .says("Indexes into memory_types, the best first"),
                   field("excluded", &S::excluded)
                       .says("Memory types that this use does not take, each with why; empty: it takes all")};
};

template <>
struct Fields<HeapPolicy> {
    using S = HeapPolicy;
    static constexpr std::string_view kName = "heap_policy";
    static constexpr auto list = std::tuple{
        field("heap", &S::heap, kHeapIndexCodec).says("Index into the report's heaps"),
        field("size_bytes", &S::size_bytes)
            .says("The heap's size as the report has it; 0: the report does not know it"),  // 0 where the report has a
                                                                                            // heap of no size
        field("base_bytes", &S::base_bytes)
            .says("What usable_bytes was taken from: the smaller of the size and the budget"),
        field("usable_bytes", &S::usable_bytes).says("What the application may reserve of the heap"),
        field("parts", &S::parts, DecidedCodec<WideCodec>{.value = {.min = 1}})
            .says("Into how many chunks the heap is divided: K of the memory article's rule"),
        field("reserve_share", &S::reserve_share, DecidedCodec<RealCodec>{.value = {.max = 1}}, Presence::kOptional)
            .says("Share of the device's budget at run time that is left to other processes; absent: none")};
};

template <>
struct Fields<ChunkGrowth> {
    using S = ChunkGrowth;
    static constexpr std::string_view kName = "chunk_growth";
    static constexpr auto list =
        std::tuple{field("first_chunk_bytes", &S::first_chunk_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})
                       .says("Size of the first chunk; later ones take a power of two times this"),
                   field("divisor", &S::divisor, DecidedCodec<WideCodec>{.value = {.min = 1}})
                       .says("A new chunk takes at most what the bucket's chunks hold now divided by this")};
};

template <>
struct Fields<BucketPolicy> {
    using S = BucketPolicy;
    static constexpr std::string_view kName = "bucket_policy";
    static constexpr auto list = std::tuple{
        field("id", &S::id, TextCodec{.min_length = 1})
            .says("Resource class, alignment and memory type: \"optimal/65536/0\""),
        field("resource_classes", &S::resource_classes, ItemsCodec<NameCodec<ResourceClass>>{.min_items = 1})
            .says("Classes of resources that share its chunks"),
        field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{})
            .says("What every resource in it needs at most: the memory article's S"),
        field("memory_type", &S::memory_type, kMemoryTypeIndexCodec)
            .says("Index into memory_types: the memory article's T"),
        field("chunk_size_bytes", &S::chunk_size_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})
            .says("Size of its chunks, at most; only one request that is larger gets a larger chunk"),
        field("growth", &S::growth)
            .says("How chunks grow with what the bucket holds; absent: every chunk takes chunk_size_bytes"),
        field("dedicated_threshold_bytes", &S::dedicated_threshold_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})
            .says("A larger resource gets a device allocation of its own; absent: size is no reason for one"),
        field("chunk_choice", &S::chunk_choice)
            .says("Which chunk with room takes a request: the fullest, or the one with the tightest free range"),
        field("suballocator", &S::suballocator)
            .says("What divides its chunks: tlsf, fixed_blocks, slots, linear or ring"),
        field("granule_bytes", &S::granule_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})
            .says("Offsets and sizes in its chunks are multiples of this"),
        field("chunks_ahead", &S::chunks_ahead, Presence::kOptional)
            .says("Chunks that the background keeps allocated beyond those in use; absent: none"),
        field("priority", &S::priority, DecidedCodec<RealCodec>{.value = {.max = 1}}, Presence::kOptional)
            .says("Of its memory, 0 to 1, for VK_EXT_memory_priority; absent: 0.5, the API's own"),
        field("expected_bytes", &S::expected_bytes)
            .says("Bytes that the workload has alive here at its peak; 0: it waits for what no hint names")};
};

template <>
struct Fields<HeapFeasibility> {
    using S = HeapFeasibility;
    static constexpr std::string_view kName = "heap_feasibility";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("heap", &S::heap, kHeapIndexCodec).says("Index into the report's heaps"),
        field("buckets", &S::buckets).says("Buckets in use whose memory type lies on this heap"),
        field("one_chunk_each_bytes", &S::one_chunk_each_bytes)
            .says("What one chunk for each of these buckets takes together"),
        field("usable_bytes", &S::usable_bytes).says("What the application may reserve of the heap"),
        field("fits", &S::fits).says("Whether one chunk for each fits, so that no bucket is starved by the others")};
};

template <>
struct Fields<HeapCapacity> {
    using S = HeapCapacity;
    static constexpr std::string_view kName = "heap_capacity";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("heap", &S::heap, kHeapIndexCodec).says("Index into the report's heaps"),
        field("usable_bytes", &S::usable_bytes).says("What the application may reserve of the heap"),
        field("wanted_bytes", &S::wanted_bytes).says("At the peak, of the hints whose first memory type lies here"),
        field("expected_bytes", &S::expected_bytes)
            .says("At the peak, planned here from this heap's hints and others'; at most usable_bytes")};
};

template <>
struct Fields<HintMoved> {
    using S = HintMoved;
    static constexpr std::string_view kName = "hint_moved";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}).says("Its place in the workload: \"images/2\""),
                   field("from_memory_type", &S::from_memory_type, kMemoryTypeIndexCodec)
                       .says("The first memory type of its use, which has no room: index into memory_types"),
                   field("to_memory_type", &S::to_memory_type, kMemoryTypeIndexCodec)
                       .says("Where its resources go instead: index into memory_types"),
                   field("bytes", &S::bytes).says("Of the resources that move")};
};

template <>
struct Fields<ExceededLimit> {
    using S = ExceededLimit;
    static constexpr std::string_view kName = "exceeded_limit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("limit", &S::limit, TextCodec{.min_length = 1})
                       .says("The limit's name, \"maxMemoryAllocationSize\", or \"heap 0\""),
                   field("limit_bytes", &S::limit_bytes).says("The limit's value"),
                   field("size_bytes", &S::size_bytes).says("Of the largest resource, which exceeds it")};
};

template <>
struct Fields<HintSplit> {
    using S = HintSplit;
    static constexpr std::string_view kName = "hint_split";
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}).says("Its place in the workload: \"buffers/0\""),
                   field("exceeded", &S::exceeded).says("The limit that the largest of its buffers passes in whole"),
                   field("parts", &S::parts, WideCodec{.min = 2}).says("Buffers that one of them is made of"),
                   field("part_bytes", &S::part_bytes, DecidedCodec<WideCodec>{.value = {.min = 1}})
                       .says("Size of each part of the largest of its buffers")};
};

template <>
struct Fields<HintUnfit> {
    using S = HintUnfit;
    static constexpr std::string_view kName = "hint_unfit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("hint", &S::hint, TextCodec{.min_length = 1}).says("Its place in the workload: \"buffers/0\""),
                   field("bytes", &S::bytes).says("Of its resources, those that have no place"),
                   field("exceeded", &S::exceeded, Presence::kOptional)
                       .says("The limit that one of its resources alone exceeds; absent: each fits by itself")};
};

template <>
struct Fields<CapacityPlan> {
    using S = CapacityPlan;
    static constexpr std::string_view kName = "capacity_plan";
    static constexpr auto list = std::tuple{
        field("fits", &S::fits).says("Whether every request of the workload finds memory when the policy is simulated"),
        field("needed_bytes", &S::needed_bytes, WideCodec{.min = 1}, Presence::kOptional)
            .says("At the peak, chunks included, of the heaps that are short, else of all; absent: only estimated"),
        field("missing_bytes", &S::missing_bytes).says("The sum of unfit and refused; 0: everything has a place"),
        field("statement", &S::statement, Presence::kOptional)
            .says("The answer in words, \"fits: needs 1.7 GiB of 1.8 GiB usable\"; absent: older policies"),
        field("reason", &S::reason).says("By which rule heaps are filled and resources move, in words"),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapCapacity>>{.max_items = kMaxHeaps})
            .says("One entry for each heap of the report, in its order"),
        field("moved", &S::moved).says("Resources that do not go to the first memory type of their use; empty: none"),
        field("unfit", &S::unfit).says("Resources for which no memory type has room; empty: none"),
        field("refused", &S::refused, Presence::kOptional)
            .says("Resources that the device does not have, whatever its memory; absent: none")};
};

template <>
struct Fields<Interval> {
    using S = Interval;
    static constexpr std::string_view kName = "interval";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("least", &S::least).says("The least that runs of the workload show, in the unit of the figure"),
        field("most", &S::most).says("The most that runs of the workload show, in the unit of the figure")};
};

template <>
struct Fields<HeapExpectation> {
    using S = HeapExpectation;
    static constexpr std::string_view kName = "heap_expectation";
    static constexpr auto list =
        std::tuple{field("heap", &S::heap, kHeapIndexCodec).says("Index into the report's heaps"),
                   field("peak_reserved_bytes", &S::peak_reserved_bytes)
                       .says("Taken from the device at the peak, chunks and dedicated allocations together"),
                   field("peak_reserved_bytes_interval", &S::peak_reserved_bytes_interval)
                       .says("What a run of the workload may take; absent: older policies")};
};

template <>
struct Fields<Expectations> {
    using S = Expectations;
    static constexpr std::string_view kName = "expectations";
    static constexpr auto list = std::tuple{
        field("mean_waste", &S::mean_waste)
            .says("(reserved - used) / used over the whole run, of the sums over the ends of frames; 0.1 is 10%"),
        field("mean_waste_interval", &S::mean_waste_interval)
            .says("What a run of the workload may waste on average; absent: older policies"),
        field("peak_waste", &S::peak_waste)
            .says("The same at the end of the frame that has most reserved; absent: older policies"),
        field("peak_waste_interval", &S::peak_waste_interval)
            .says("What a run of the workload may waste there; absent: older policies"),
        field("device_allocations", &S::device_allocations)
            .says("Alive at the peak, dedicated ones and chunks kept ready included"),
        field("device_allocations_interval", &S::device_allocations_interval)
            .says("What a run of the workload may have alive; absent: older policies"),
        field("p99_frame_ns", &S::p99_frame_ns)
            .says("What 99 frames of 100 after the load spend on memory, at most; absent: the report has no costs"),
        field("p99_frame_ns_interval", &S::p99_frame_ns_interval)
            .says("What a run of the workload may show for it; absent: no costs, or older policies"),
        field("worst_frame_ns", &S::worst_frame_ns)
            .says("What the longest frame after the load spends on memory; absent: the report has no costs"),
        field("worst_frame_ns_interval", &S::worst_frame_ns_interval)
            .says("What a run of the workload may show for it; absent: no costs, or older policies"),
        field("most_calls_of_frame", &S::most_calls_of_frame)
            .says("Calls of one frame that take or free device memory, one of the background that the frame "
                  "waits for included"),
        field("worst_load_ns", &S::worst_load_ns)
            .says("The longest creation of the load, before the first frame; absent: the report has no costs"),
        field("worst_load_ns_interval", &S::worst_load_ns_interval)
            .says("What a run of the workload may show for it; absent: no costs, or older policies"),
        field("late_chunks", &S::late_chunks)
            .says("Requests after the load that find none of the chunks ahead ready; absent: older policies"),
        field("late_chunks_interval", &S::late_chunks_interval)
            .says("What a run of the workload may show for it; absent: older policies"),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapExpectation>>{.max_items = kMaxHeaps})
            .says("One entry for each heap of the report, in its order"),
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
    static constexpr auto list = std::tuple{
        field("capacity", &S::capacity, kDecidedPositiveCodec)
            .says("Descriptors in the heap: static ones first, then dynamic ones"),
        field("dynamic_capacity", &S::dynamic_capacity, kDecidedPositiveCodec)
            .says("Of these, descriptors at the heap's end for tables of one frame"),
        field("dynamic_chunk", &S::dynamic_chunk, kDecidedPositiveCodec)
            .says("Dynamic descriptors that one recording context takes at once"),
        field("static_suballocator", &S::static_suballocator).says("What divides the static part; absent: tlsf"),
        field("dynamic_suballocator", &S::dynamic_suballocator)
            .says("What gives out the dynamic chunks; absent: slots")};
};

template <>
struct Fields<DescriptorPolicy> {
    using S = DescriptorPolicy;
    static constexpr std::string_view kName = "descriptor_policy";
    static constexpr auto list = std::tuple{
        field("cbv_srv_uav_page", &S::cbv_srv_uav_page, kDecidedPositiveCodec)
            .says("Descriptors that the CPU heap of CBV, SRV and UAV grows by"),
        field("sampler_page", &S::sampler_page, kDecidedPositiveCodec)
            .says("Descriptors that the CPU heap of samplers grows by"),
        field("rtv_page", &S::rtv_page, kDecidedPositiveCodec)
            .says("Descriptors that the CPU heap of render target views grows by"),
        field("dsv_page", &S::dsv_page, kDecidedPositiveCodec)
            .says("Descriptors that the CPU heap of depth stencil views grows by"),
        field("cpu_suballocator", &S::cpu_suballocator).says("What divides the pages of all four; absent: tlsf"),
        field("resources", &S::resources).says("The shader-visible heap of CBV, SRV and UAV"),
        field("samplers", &S::samplers).says("The shader-visible heap of samplers")};
};

template <>
struct Fields<UploadPolicy> {
    using S = UploadPolicy;
    static constexpr std::string_view kName = "upload_policy";
    static constexpr auto list =
        std::tuple{field("ring_bytes", &S::ring_bytes, kDecidedPositiveCodec)
                       .says("Size of the upload ring: the frames in flight and the one that is written"),
                   field("page_bytes", &S::page_bytes, kDecidedPositiveCodec)
                       .says("What the ring grows by; a larger upload gets a page of its own")};
};

template <>
struct Fields<EngineAssignment> {
    using S = EngineAssignment;
    static constexpr std::string_view kName = "engine_assignment";
    static constexpr auto list =
        std::tuple{field("work", &S::work, TextCodec{.min_length = 1})
                       .says("Kind of work: draws, frame-compute, background-compute, uploads, downloads; "
                             "buffer-moves and image-moves within device memory, where copies by size were measured"),
                   field("engine", &S::engine, DecidedCodec<TextCodec>{.value = {.min_length = 1}})
                       .says("The engine that does it, by its name in the report")};
};

template <>
struct Fields<EnginePolicy> {
    using S = EnginePolicy;
    static constexpr std::string_view kName = "engine_policy";
    static constexpr auto list = std::tuple{
        field("assignments", &S::assignments).says("Which engine does which kind of work, one entry for each kind"),
        field("async_copy", &S::async_copy).says("Whether copies run beside draws, on an engine of their own"),
        field("async_compute", &S::async_compute).says("Whether compute runs beside draws, on an engine of its own"),
        field("copy_ring_length", &S::copy_ring_length, kDecidedPositiveCodec)
            .says("Buffers of the ring between copy and graphics, one a frame"),
        field("cpu_latency", &S::cpu_latency, kDecidedPositiveCodec)
            .says("Frames that the host may run ahead of the device"),
        field("compute_graphics_latency", &S::compute_graphics_latency, kDecidedPositiveCodec)
            .says("Frames that compute may run ahead of graphics"),
        field("buffer_moves", &S::buffer_moves, Presence::kOptional)
            .says("What copies buffers within device memory, as defragmentation moves them: command or shader; images "
                  "move by commands; absent: not measured"),
        field("direct_uploads", &S::direct_uploads, Presence::kOptional)
            .says("Whether the host writes buffers at their place in device memory that it maps, instead of through "
                  "the upload ring; absent: not measured, or the host maps no device memory")};
};

template <>
struct Fields<CreationPolicy> {
    using S = CreationPolicy;
    static constexpr std::string_view kName = "creation_policy";
    static constexpr auto list = std::tuple{
        field("image_threads", &S::image_threads, kDecidedPositiveCodec, Presence::kOptional)
            .says("Threads of the host that may create images at once: more gain nothing, or lose; absent: not "
                  "measured"),
        field("buffer_threads", &S::buffer_threads, kDecidedPositiveCodec, Presence::kOptional)
            .says("The same of buffers; absent: not measured"),
        field("descriptor_threads", &S::descriptor_threads, kDecidedPositiveCodec, Presence::kOptional)
            .says("The same of descriptor pools, Direct3D 12: descriptor heaps; absent: not measured"),
        field("memory_priority", &S::memory_priority, Presence::kOptional)
            .says("Whether to switch on the feature memoryPriority, which costs some drivers most of the rate of "
                  "creations; absent: the device lacks it, or it was not measured")};
};

template <>
struct Fields<HintLeftOut> {
    using S = HintLeftOut;
    static constexpr std::string_view kName = "hint_left_out";
    static constexpr auto list = std::tuple{
        field("hint", &S::hint, TextCodec{.min_length = 1}).says("Its place in the workload: \"images/3\""),
        field("lacks", &S::lacks).says("Of what the hint requires, what the device lacks"),
        field("bytes_share", &S::bytes_share, RealCodec{.max = 1}).says("Of the workload's packed bytes, 0 to 1"),
        field("resources", &S::resources).says("How many the hint has at its peak")};
};

template <>
struct Fields<DevicePolicy> {
    using S = DevicePolicy;
    static constexpr std::string_view kName = "device_policy";
    static constexpr auto list = std::tuple{
        field("identity", &S::identity).says("The device and driver that the policy is for"),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<HeapPolicy>>{.max_items = kMaxHeaps})
            .says("One entry for each heap of the report, in its order"),
        field("memory_types", &S::memory_types, ItemsCodec<RecordCodec<MemoryType>>{.max_items = kMaxMemoryTypes})
            .says("The report's memory types: what every memory type index of the policy means"),
        field("frame_budget_ns", &S::frame_budget_ns, WideCodec{.min = 1})
            .says("The workload's frame budget, under which the decisions stand"),
        field("unanswered_points", &S::unanswered_points)
            .says("Resources of the workload that the report does not answer, whose sizes are computed; 0: none"),
        field("memory_uses", &S::memory_uses, ItemsCodec<RecordCodec<MemoryUsePolicy>>{.max_items = 4})
            .says("Which memory types serve each use, the best first"),
        field("largest_ordinary_bytes", &S::largest_ordinary_bytes)
            .says("The largest resource that a chunk must hold: the memory article's M"),
        field("humongous_threshold_bytes", &S::humongous_threshold_bytes)
            .says("A larger request is humongous: it gets no place in a chunk"),
        field("humongous", &S::humongous, Presence::kOptional)
            .says("What becomes of such a request: own_memory or refuse; absent: refuse"),
        field("largest_buffer_bytes", &S::largest_buffer_bytes, kDecidedPositiveCodec, Presence::kOptional)
            .says(
                "Larger data is split into buffers of this size; absent: older policies, or no memory type serves it"),
        field("largest_storage_buffer_bytes", &S::largest_storage_buffer_bytes, kDecidedPositiveCodec,
              Presence::kOptional)
            .says("The same of storage buffers, where one descriptor sees less than largest_buffer_bytes"),
        field("split", &S::split, Presence::kOptional)
            .says("Buffers of hints that are `splittable` and too large in whole, each made as so many of one size. "
                  "Everything else of the policy is for these parts; `validate` plays them"),
        field("dedicated", &S::dedicated)
            .says("Which resources get a device allocation of their own: when the driver requires it, or also when it "
                  "prefers it"),
        field("separate_linear_and_optimal", &S::separate_linear_and_optimal)
            .says("Whether buffers and optimal images never share a chunk (bufferImageGranularity)"),
        field("max_chunks", &S::max_chunks, DecidedCodec<WideCodec>{.value = {.min = 1}})
            .says("Device allocations that the application may have alive, dedicated ones included"),
        field("buckets", &S::buckets)
            .says("Where resources live: the chunks of one class, alignment and memory type each"),
        field("feasibility", &S::feasibility).says("The proof, heap by heap, that one chunk for each bucket fits"),
        field("left_out", &S::left_out, Presence::kOptional)
            .says("Hints that the device cannot serve and that are left out by plan; absent: none"),
        field("capacity", &S::capacity, Presence::kOptional)
            .says("Whether the workload fits, and what gives way where it does not; absent: older policies"),
        field("expectations", &S::expectations, Presence::kOptional)
            .says("What the workload will show; absent: older policies, or it asks for no memory"),
        field("frames_in_flight", &S::frames_in_flight, kDecidedPositiveCodec)
            .says("Frames that the host has submitted and the device has not finished"),
        field("descriptors", &S::descriptors)
            .says("Sizes of descriptor heaps and what divides them; counts of descriptors"),
        field("uploads", &S::uploads).says("Sizes of the upload ring and of its pages"),
        field("engines", &S::engines, Presence::kOptional)
            .says("How work is spread over the device's engines; absent: the report does not measure them"),
        field("creations", &S::creations, Presence::kOptional)
            .says("By how many threads resources are created; absent: the report does not measure it"),
        field("assumed", &S::assumed, Presence::kOptional)
            .says("What was neither asked of the device nor measured but assumed, each with what is assumed"),
        field("warnings", &S::warnings)
            .says("Missing data and hints that the device cannot serve, in words; empty: none")};
};

template <>
struct Fields<Policy> {
    using S = Policy;
    static constexpr std::string_view kName = "policy";
    static constexpr DocumentKind kKind = DocumentKind::kPolicy;
    static constexpr std::string_view kPurpose =
        "What an engine should do on each device under one workload, every number with its reason; `heapwright advise` "
        "writes it";
    static constexpr auto list =
        std::tuple{tool_field<S>(),
                   sources_field<S>(),
                   field("workload_name", &S::workload_name, TextCodec{.min_length = 1})
                       .says("The workload that it was made for, by name"),
                   field("workload", &S::workload)
                       .says("The workload that it was made for, whole, which `validate` "
                             "plays; missing in older policies"),
                   field("devices", &S::devices).says("One entry for each device that was advised"),
                   volatile_field(&S::run).says("What differs from run to run")};
};

}  // namespace heapwright::model::detail
