// Fields of the capability report.
#pragma once

#include "heapwright/model/detail/fields_engines.hpp"
#include "heapwright/model/detail/fields_sweep.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::model::detail {

// A document's header lies beside its body: "tool" and "sources" are keys of the document itself.
template <class D>
inline constexpr auto kToolVersion = [](auto& document) -> auto& {
    return document.header.tool_version;
};
template <class D>
inline constexpr auto kSources = [](auto& document) -> auto& {
    return document.header.sources;
};

template <class D>
constexpr auto tool_field(Presence presence = Presence::kRequired) {
    return Field<decltype(kToolVersion<D>), ToolCodec>{"tool", kToolVersion<D>, ToolCodec{}, presence};
}
template <class D>
constexpr auto sources_field(Presence presence = Presence::kRequired) {
    using Codec = ItemsCodec<RecordCodec<SourceDocument>>;
    return Field<decltype(kSources<D>), Codec>{"sources", kSources<D>, Codec{}, presence};
}

template <>
struct Fields<MemoryHeap> {
    static constexpr std::string_view kName = "memory_heap";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &MemoryHeap::size_bytes), field("flags", &MemoryHeap::flags, kMemoryHeapCodec)};
};

template <>
struct Fields<MemoryType> {
    using S = MemoryType;
    static constexpr std::string_view kName = "memory_type";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("heap_index", &S::heap_index, kHeapIndexCodec),
                   field("property_flags", &S::property_flags, kMemoryPropertyCodec),
                   field("d3d12_heap_type", &S::d3d12_heap_type), field("resource_classes", &S::resource_classes)};
};

template <>
struct Fields<QueueFamily> {
    using S = QueueFamily;
    static constexpr std::string_view kName = "queue_family";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("flags", &S::flags, kQueueFlagsCodec), field("queue_count", &S::queue_count),
                   field("timestamp_valid_bits", &S::timestamp_valid_bits, UintCodec{.max = 64}),
                   field("min_image_transfer_granularity", &S::min_image_transfer_granularity)};
};

template <>
struct Fields<Extension> {
    static constexpr std::string_view kName = "extension";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &Extension::name, TextCodec{.min_length = 1}),
                                            field("spec_version", &Extension::spec_version)};
};

template <>
struct Fields<TextFact> {
    using S = TextFact;
    static constexpr std::string_view kName = "text_fact";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("group", &S::group, TextCodec{.min_length = 1}),
                   field("name", &S::name, TextCodec{.min_length = 1}), field("value", &S::value)};
};

template <>
struct Fields<UnreportedFact> {
    using S = UnreportedFact;
    static constexpr std::string_view kName = "unreported_fact";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name, TextCodec{.min_length = 1}),
                                            field("reason", &S::reason, TextCodec{.min_length = 1})};
};

template <>
struct Fields<LayeredApi> {
    using S = LayeredApi;
    static constexpr std::string_view kName = "layered_api";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("api", &S::api, TextCodec{.min_length = 1}), field("vendor_id", &S::vendor_id),
                   field("device_id", &S::device_id), field("name", &S::name)};
};

template <>
struct Fields<SparseAspect> {
    using S = SparseAspect;
    static constexpr std::string_view kName = "sparse_aspect";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("aspects", &S::aspects, kImageAspectCodec),
                                            field("flags", &S::flags, kSparseImageFormatCodec),
                                            field("image_granularity", &S::image_granularity),
                                            field("mip_tail_first_lod", &S::mip_tail_first_lod),
                                            field("mip_tail_size_bytes", &S::mip_tail_size_bytes),
                                            field("mip_tail_offset_bytes", &S::mip_tail_offset_bytes),
                                            field("mip_tail_stride_bytes", &S::mip_tail_stride_bytes)};
};

template <>
struct Fields<SparseImage> {
    using S = SparseImage;
    static constexpr std::string_view kName = "sparse_image";
    static constexpr auto list = std::tuple{field("description", &S::description),
                                            field("requirements", &S::requirements), field("aspects", &S::aspects)};
};

template <>
struct Fields<SparseBuffer> {
    using S = SparseBuffer;
    static constexpr std::string_view kName = "sparse_buffer";
    static constexpr auto list =
        std::tuple{field("description", &S::description), field("requirements", &S::requirements)};
};

template <>
struct Fields<ImageCompression> {
    using S = ImageCompression;
    static constexpr std::string_view kName = "image_compression";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("format", &S::format),
                                            field("tiling", &S::tiling),
                                            field("dimension", &S::dimension),
                                            field("usage", &S::usage, kImageUsageCodec),
                                            field("default_flags", &S::default_flags, kImageCompressionCodec),
                                            field("fixed_rate_flags", &S::fixed_rate_flags, kFixedRateCodec)};
};

template <>
struct Fields<Finding> {
    using S = Finding;
    static constexpr std::string_view kName = "finding";
    static constexpr auto list =
        std::tuple{field("id", &S::id, TextCodec{.min_length = 1}), field("severity", &S::severity),
                   field("statement", &S::statement), field("clause", &S::clause, Presence::kOptional),
                   field("evidence", &S::evidence)};
};

template <>
struct Fields<HeapBudget> {
    static constexpr std::string_view kName = "heap_budget";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("budget_bytes", &HeapBudget::budget_bytes), field("usage_bytes", &HeapBudget::usage_bytes)};
};

template <>
struct Fields<MemoryCostPoint> {
    using S = MemoryCostPoint;
    static constexpr std::string_view kName = "memory_cost_point";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes, WideCodec{.min = 1}),
                   field("samples", &S::samples, kPositiveCodec),
                   field("steadiness", &S::steadiness, Presence::kOptional)
                       .says("Whether allocating and freeing had settled; missing in older reports"),
                   field("allocate_ns", &S::allocate_ns),
                   field("allocate_min_ns", &S::allocate_min_ns),
                   field("allocate_p90_ns", &S::allocate_p90_ns),
                   field("allocate_worst_ns", &S::allocate_worst_ns),
                   field("touch_ns", &S::touch_ns),
                   field("touch_min_ns", &S::touch_min_ns),
                   field("touch_p90_ns", &S::touch_p90_ns),
                   field("touch_worst_ns", &S::touch_worst_ns),
                   field("free_ns", &S::free_ns),
                   field("free_min_ns", &S::free_min_ns),
                   field("free_p90_ns", &S::free_p90_ns),
                   field("free_worst_ns", &S::free_worst_ns),
                   field("allocate_outliers_ns", &S::allocate_outliers_ns, Presence::kOptional)
                       .says("The few that took far longer than all others, which the figures leave out"),
                   field("touch_outliers_ns", &S::touch_outliers_ns, Presence::kOptional),
                   field("free_outliers_ns", &S::free_outliers_ns, Presence::kOptional)};
};

template <>
struct Fields<MemoryCostFit> {
    using S = MemoryCostFit;
    static constexpr std::string_view kName = "memory_cost_fit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("fixed_ns", &S::fixed_ns), field("ns_per_mib", &S::ns_per_mib),
                   field("largest_relative_error", &S::largest_relative_error),
                   field("least_ratio", &S::least_ratio, RealCodec{.max = 1}, Presence::kOptional)
                       .says("The quickest sample over the median, as the middle one of the points has it"),
                   field("late_ratio", &S::late_ratio, RealCodec{.min = 1, .max = 1000}, Presence::kOptional)
                       .says("The 90th percentile over the median, as the middle one of the points has it")};
};

template <>
struct Fields<HostBandwidth> {
    using S = HostBandwidth;
    static constexpr std::string_view kName = "host_bandwidth";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("bytes_each", &S::bytes_each, WideCodec{.min = 1}), field("samples", &S::samples, kPositiveCodec),
        field("write_bytes_per_s", &S::write_bytes_per_s), field("read_bytes_per_s", &S::read_bytes_per_s)};
};

template <>
struct Fields<AllocationCount> {
    using S = AllocationCount;
    static constexpr std::string_view kName = "allocation_count";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("reached", &S::reached), field("bytes_each", &S::bytes_each, WideCodec{.min = 1}),
                   field("limit_hit", &S::limit_hit), field("stopped_by", &S::stopped_by)};
};

template <>
struct Fields<RefusedAllocation> {
    using S = RefusedAllocation;
    static constexpr std::string_view kName = "refused_allocation";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes, WideCodec{.min = 1}), field("reason", &S::reason)};
};

template <>
struct Fields<SizeLeftOut> {
    using S = SizeLeftOut;
    static constexpr std::string_view kName = "size_left_out";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("size_bytes", &S::size_bytes, WideCodec{.min = 1}),
                                            field("dedicated_image", &S::dedicated_image), field("reason", &S::reason)};
};

template <>
struct Fields<MemoryCostCurve> {
    using S = MemoryCostCurve;
    static constexpr std::string_view kName = "memory_cost_curve";
    static constexpr auto list =
        std::tuple{field("memory_type", &S::memory_type, kMemoryTypeIndexCodec),
                   field("points", &S::points),
                   field("dedicated_image_points", &S::dedicated_image_points, Presence::kOptional)
                       .says("Of memory dedicated to one image, a render target"),
                   field("dedicated_image_fit", &S::dedicated_image_fit, Presence::kOptional),
                   field("dedicated_image_refused", &S::dedicated_image_refused, Presence::kOptional),
                   field("allocate_fit", &S::allocate_fit, Presence::kOptional),
                   field("touch_fit", &S::touch_fit, Presence::kOptional),
                   field("host_bandwidth", &S::host_bandwidth, Presence::kOptional),
                   field("allocation_count", &S::allocation_count, Presence::kOptional),
                   field("refused", &S::refused, Presence::kOptional),
                   field("left_out", &S::left_out, Presence::kOptional)
                       .says("Sizes that were not measured, through no fault of the device"),
                   field("steadiness", &S::steadiness, Presence::kOptional),
                   field("load", &S::load, Presence::kOptional)};
};

template <>
struct Fields<ProbeTiming> {
    using S = ProbeTiming;
    static constexpr std::string_view kName = "probe_timing";
    static constexpr auto list = std::tuple{field("sweep_queries", &S::sweep_queries), field("sweep_ns", &S::sweep_ns),
                                            field("total_ns", &S::total_ns)};
};

template <>
struct Fields<DeviceVolatile> {
    using S = DeviceVolatile;
    static constexpr std::string_view kName = "device_volatile";
    static constexpr auto list = std::tuple{
        field("heap_budgets", &S::heap_budgets, ItemsCodec<RecordCodec<HeapBudget>>{.max_items = kMaxHeaps}),
        field("memory_cost", &S::memory_cost, ItemsCodec<RecordCodec<MemoryCostCurve>>{.max_items = kMaxMemoryTypes}),
        field("engines", &S::engines, Presence::kOptional), field("timing", &S::timing),
        field("device_index", &S::device_index)};
};

template <>
struct Fields<DeviceReport> {
    using S = DeviceReport;
    static constexpr std::string_view kName = "device_report";
    static constexpr auto list = std::tuple{
        field("origin", &S::origin),
        field("identity", &S::identity),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<MemoryHeap>>{.max_items = kMaxHeaps}),
        field("memory_types", &S::memory_types, ItemsCodec<RecordCodec<MemoryType>>{.max_items = kMaxMemoryTypes}),
        field("limits", &S::limits, FactsCodec{}),
        field("features", &S::features, FactsCodec{.max = 1}),
        field("queue_families", &S::queue_families),
        field("extensions", &S::extensions),
        field("texts", &S::texts, Presence::kOptional),
        field("unreported", &S::unreported, Presence::kOptional),
        field("layered_apis", &S::layered_apis, Presence::kOptional),
        field("sparse_images", &S::sparse_images, Presence::kOptional),
        field("sparse_buffers", &S::sparse_buffers, Presence::kOptional),
        field("image_compression", &S::image_compression, Presence::kOptional),
        field("image_sweep", &S::image_sweep),
        field("buffer_sweep", &S::buffer_sweep),
        field("observations", &S::observations),
        field("findings", &S::findings),
        field("absent", &S::absent),
        volatile_field(&S::run)};
};

template <>
struct Fields<ProbeFailure> {
    using S = ProbeFailure;
    static constexpr std::string_view kName = "probe_failure";
    static constexpr auto list = std::tuple{field("driver", &S::driver),
                                            field("api", &S::api),
                                            field("device", &S::device, Presence::kOptional),
                                            field("step", &S::step, Presence::kOptional),
                                            field("last_call", &S::last_call),
                                            field("kind", &S::kind, Presence::kOptional),
                                            field("reason", &S::reason),
                                            field("code", &S::code)};
};

template <>
struct Fields<Report> {
    static constexpr std::string_view kName = "report";
    static constexpr DocumentKind kKind = DocumentKind::kReport;
    static constexpr auto list =
        std::tuple{tool_field<Report>(), sources_field<Report>(), field("devices", &Report::devices),
                   field("failures", &Report::failures), volatile_field(&Report::run)};
};

}  // namespace heapwright::model::detail
