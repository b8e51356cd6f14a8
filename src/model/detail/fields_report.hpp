// Fields of the capability report.
#pragma once

#include "heapwright/model/report.hpp"
#include "model/detail/fields_engines.hpp"
#include "model/detail/fields_sweep.hpp"

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
    return Field<decltype(kToolVersion<D>), ToolCodec>{"tool", kToolVersion<D>, ToolCodec{}, presence}.says(
        "The program that wrote the document");
}
template <class D>
constexpr auto sources_field(Presence presence = Presence::kRequired) {
    using Codec = ItemsCodec<RecordCodec<SourceDocument>>;
    return Field<decltype(kSources<D>), Codec>{"sources", kSources<D>, Codec{}, presence}.says(
        "The documents that it was made from; empty: none");
}

template <>
struct Fields<MemoryHeap> {
    static constexpr std::string_view kName = "memory_heap";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("size_bytes", &MemoryHeap::size_bytes)
            .says("size of VkMemoryHeap; 0: unknown, and the finding zero-size-heap says so"),
        field("flags", &MemoryHeap::flags, kMemoryHeapCodec)
            .says(
                "VkMemoryHeapFlagBits without prefix and _BIT; empty: none, such as system memory of a discrete GPU")};
};

template <>
struct Fields<MemoryType> {
    using S = MemoryType;
    static constexpr std::string_view kName = "memory_type";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("heap_index", &S::heap_index, kHeapIndexCodec).says("Index into heaps"),
        field("property_flags", &S::property_flags, kMemoryPropertyCodec)
            .says("VkMemoryPropertyFlagBits without prefix and _BIT; Direct3D 12: what the heap type amounts to"),
        field("d3d12_heap_type", &S::d3d12_heap_type).says("D3D12_HEAP_TYPE; none on Vulkan"),
        field("resource_classes", &S::resource_classes).says("Classes of resources that it may hold; empty: any")};
};

template <>
struct Fields<QueueFamily> {
    using S = QueueFamily;
    static constexpr std::string_view kName = "queue_family";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("flags", &S::flags, kQueueFlagsCodec).says("VkQueueFlagBits without prefix and _BIT: what its queues do"),
        field("queue_count", &S::queue_count)
            .says("Queues that a program may have of it; 1 on Direct3D 12, which states none"),
        field("timestamp_valid_bits", &S::timestamp_valid_bits, UintCodec{.max = 64})
            .says("timestampValidBits of VkQueueFamilyProperties; 0: no timestamps, or not stated"),
        field("min_image_transfer_granularity", &S::min_image_transfer_granularity)
            .says("Width, height and depth in texels that partial copies keep to; 0: whole levels alone")};
};

template <>
struct Fields<Extension> {
    static constexpr std::string_view kName = "extension";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &Extension::name, TextCodec{.min_length = 1})
                       .says("The Vulkan extension, \"VK_EXT_memory_budget\""),
                   field("spec_version", &Extension::spec_version).says("Its specVersion, as the device states it")};
};

template <>
struct Fields<TextFact> {
    using S = TextFact;
    static constexpr std::string_view kName = "text_fact";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("group", &S::group, TextCodec{.min_length = 1})
            .says("The specification's structure that holds it, \"VkPhysicalDeviceHostImageCopyProperties\""),
        field("name", &S::name, TextCodec{.min_length = 1}).says("The structure's member, \"optimalTilingLayoutUUID\""),
        field("value", &S::value).says("As text; a UUID as 32 hexadecimal digits")};
};

template <>
struct Fields<UnreportedFact> {
    using S = UnreportedFact;
    static constexpr std::string_view kName = "unreported_fact";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("name", &S::name, TextCodec{.min_length = 1})
                       .says("The structure or group of facts, \"VkPhysicalDeviceMaintenance7PropertiesKHR\""),
                   field("reason", &S::reason, TextCodec{.min_length = 1}).says("Why the device could not be asked")};
};

template <>
struct Fields<LayeredApi> {
    using S = LayeredApi;
    static constexpr std::string_view kName = "layered_api";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("api", &S::api, TextCodec{.min_length = 1})
                       .says("VkPhysicalDeviceLayeredApiKHR without its prefix, \"D3D12\""),
                   field("vendor_id", &S::vendor_id).says("vendorID of the device beneath, decimal"),
                   field("device_id", &S::device_id).says("deviceID of the device beneath, decimal"),
                   field("name", &S::name).says("deviceName of the device beneath")};
};

template <>
struct Fields<SparseAspect> {
    using S = SparseAspect;
    static constexpr std::string_view kName = "sparse_aspect";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("aspects", &S::aspects, kImageAspectCodec)
            .says("VkImageAspectFlagBits without prefix and _BIT that the rest is about"),
        field("flags", &S::flags, kSparseImageFormatCodec)
            .says("VkSparseImageFormatFlagBits without prefix and _BIT; empty: none"),
        field("image_granularity", &S::image_granularity)
            .says("Width, height and depth in texels of one sparse block: imageGranularity"),
        field("mip_tail_first_lod", &S::mip_tail_first_lod)
            .says("The first mip level of the mip tail: imageMipTailFirstLod"),
        field("mip_tail_size_bytes", &S::mip_tail_size_bytes).says("imageMipTailSize; 0: there is no mip tail"),
        field("mip_tail_offset_bytes", &S::mip_tail_offset_bytes)
            .says("Where the mip tail begins in the resource: imageMipTailOffset"),
        field("mip_tail_stride_bytes", &S::mip_tail_stride_bytes)
            .says("From one array layer's mip tail to the next one's: imageMipTailStride")};
};

template <>
struct Fields<SparseImage> {
    using S = SparseImage;
    static constexpr std::string_view kName = "sparse_image";
    static constexpr auto list = std::tuple{
        field("description", &S::description).says("The partially resident image that was asked about"),
        field("requirements", &S::requirements).says("What it asks for; the alignment is its bind granularity"),
        field("aspects", &S::aspects).says("VkSparseImageMemoryRequirements, one entry for each")};
};

template <>
struct Fields<SparseBuffer> {
    using S = SparseBuffer;
    static constexpr std::string_view kName = "sparse_buffer";
    static constexpr auto list = std::tuple{
        field("description", &S::description).says("The partially resident buffer that was asked about"),
        field("requirements", &S::requirements).says("What it asks for; the alignment is its bind granularity")};
};

template <>
struct Fields<ImageCompression> {
    using S = ImageCompression;
    static constexpr std::string_view kName = "image_compression";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("format", &S::format).says("VkFormat without VK_FORMAT_"),
        field("tiling", &S::tiling).says("How texels lie in memory: VkImageTiling"),
        field("dimension", &S::dimension).says("VkImageType: 2d or 3d"),
        field("usage", &S::usage, kImageUsageCodec).says("VkImageUsageFlagBits without prefix and _BIT"),
        field("default_flags", &S::default_flags, kImageCompressionCodec)
            .says("VkImageCompressionFlagBitsEXT of an image that asks for nothing; empty: the driver's default"),
        field("fixed_rate_flags", &S::fixed_rate_flags, kFixedRateCodec)
            .says("VkImageCompressionFixedRateFlagBitsEXT that an image may ask for; empty: none")};
};

template <>
struct Fields<Finding> {
    using S = Finding;
    static constexpr std::string_view kName = "finding";
    static constexpr auto list =
        std::tuple{field("id", &S::id, TextCodec{.min_length = 1})
                       .says("A name that stays from version to version, \"image-memory-type-bits-differ\""),
                   field("severity", &S::severity)
                       .says("note: worth knowing; warning: a part failed; violation: it breaks the specification"),
                   field("statement", &S::statement).says("What was found, in words and with values"),
                   field("clause", &S::clause, Presence::kOptional)
                       .says("The specification's clause or VUID; absent: none applies"),
                   field("evidence", &S::evidence)
                       .says("The report's entries that show it, as JSON pointers from the device or in words")};
};

template <>
struct Fields<HeapBudget> {
    static constexpr std::string_view kName = "heap_budget";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("budget_bytes", &HeapBudget::budget_bytes)
            .says("What this process may use of the heap: heapBudget of VK_EXT_memory_budget, Budget of DXGI"),
        field("usage_bytes", &HeapBudget::usage_bytes)
            .says("What this process uses of it already: heapUsage, CurrentUsage")};
};

template <>
struct Fields<MemoryCostPoint> {
    using S = MemoryCostPoint;
    static constexpr std::string_view kName = "memory_cost_point";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("size_bytes", &S::size_bytes, WideCodec{.min = 1}).says("Size of each allocation of this point"),
        field("samples", &S::samples, kPositiveCodec)
            .says("Times that it was allocated, touched and freed, outliers included"),
        field("steadiness", &S::steadiness, Presence::kOptional)
            .says("Whether allocating and freeing had settled; missing in older reports"),
        field("allocate_ns", &S::allocate_ns).says("Allocating (vkAllocateMemory, CreateHeap): the median"),
        field("allocate_min_ns", &S::allocate_min_ns).says("The quickest sample of allocating"),
        field("allocate_p90_ns", &S::allocate_p90_ns).says("What 90% of the samples of allocating do not exceed"),
        field("allocate_worst_ns", &S::allocate_worst_ns).says("The longest sample of allocating that is no outlier"),
        field("touch_ns", &S::touch_ns)
            .says("Mapping and the first write to every page: the median; 0 where the host cannot map the memory"),
        field("touch_min_ns", &S::touch_min_ns).says("The quickest sample of touching"),
        field("touch_p90_ns", &S::touch_p90_ns).says("What 90% of the samples of touching do not exceed"),
        field("touch_worst_ns", &S::touch_worst_ns).says("The longest sample of touching that is no outlier"),
        field("free_ns", &S::free_ns).says("Freeing (vkFreeMemory, Release): the median"),
        field("free_min_ns", &S::free_min_ns).says("The quickest sample of freeing"),
        field("free_p90_ns", &S::free_p90_ns).says("What 90% of the samples of freeing do not exceed"),
        field("free_worst_ns", &S::free_worst_ns).says("The longest sample of freeing that is no outlier"),
        field("allocate_outliers_ns", &S::allocate_outliers_ns, Presence::kOptional)
            .says("The few that took far longer than all others, which the figures leave out"),
        field("touch_outliers_ns", &S::touch_outliers_ns, Presence::kOptional)
            .says("The same of touching; absent: none"),
        field("free_outliers_ns", &S::free_outliers_ns, Presence::kOptional).says("The same of freeing; absent: none")};
};

template <>
struct Fields<MemoryCostFit> {
    using S = MemoryCostFit;
    static constexpr std::string_view kName = "memory_cost_fit";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("fixed_ns", &S::fixed_ns)
                       .says("Of the line fixed_ns + ns_per_mib * MiB through the medians, what any size costs"),
                   field("ns_per_mib", &S::ns_per_mib).says("What each MiB adds"),
                   field("largest_relative_error", &S::largest_relative_error)
                       .says("The largest |line - median| / median over the curve's points; 0.1 is 10%"),
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
        field("bytes_each", &S::bytes_each, WideCodec{.min = 1}).says("Size of one copy"),
        field("samples", &S::samples, kPositiveCodec).says("Copies in each direction; the figures are their medians"),
        field("write_bytes_per_s", &S::write_bytes_per_s)
            .says("Copying by the host from ordinary memory into this memory"),
        field("read_bytes_per_s", &S::read_bytes_per_s)
            .says("Copying by the host from this memory into ordinary memory")};
};

template <>
struct Fields<AllocationCount> {
    using S = AllocationCount;
    static constexpr std::string_view kName = "allocation_count";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("reached", &S::reached).says("Small allocations that were alive at the same time"),
        field("bytes_each", &S::bytes_each, WideCodec{.min = 1}).says("Size of one of them"),
        field("limit_hit", &S::limit_hit)
            .says("Whether the device refused the next one although its heap had memory left"),
        field("stopped_by", &S::stopped_by).says("The device's error, or the bound of the probe that came first")};
};

template <>
struct Fields<RefusedAllocation> {
    using S = RefusedAllocation;
    static constexpr std::string_view kName = "refused_allocation";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("size_bytes", &S::size_bytes, WideCodec{.min = 1})
            .says("The smallest size that the device refused to allocate or map though it should have fitted"),
        field("reason", &S::reason).says("The call and the device's error")};
};

template <>
struct Fields<SizeLeftOut> {
    using S = SizeLeftOut;
    static constexpr std::string_view kName = "size_left_out";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes, WideCodec{.min = 1}).says("Size of the point that is missing"),
                   field("dedicated_image", &S::dedicated_image)
                       .says("Whether it is one of dedicated_image_points; else of points"),
                   field("reason", &S::reason).says("Why: no time or no memory was left for it")};
};

template <>
struct Fields<MemoryCostCurve> {
    using S = MemoryCostCurve;
    static constexpr std::string_view kName = "memory_cost_curve";
    static constexpr auto list = std::tuple{
        field("memory_type", &S::memory_type, kMemoryTypeIndexCodec).says("Index into memory_types"),
        field("points", &S::points).says("One entry for each size, ascending; empty: no allocation succeeded"),
        field("dedicated_image_points", &S::dedicated_image_points, Presence::kOptional)
            .says("Of memory dedicated to one image, a render target"),
        field("dedicated_image_fit", &S::dedicated_image_fit, Presence::kOptional)
            .says("A line through allocating of dedicated_image_points; absent: fewer than two points"),
        field("dedicated_image_refused", &S::dedicated_image_refused, Presence::kOptional)
            .says("The smallest size for one image that failed though it should have fitted; absent: none did"),
        field("allocate_fit", &S::allocate_fit, Presence::kOptional)
            .says("A line through allocate_ns; absent: fewer than two points"),
        field("touch_fit", &S::touch_fit, Presence::kOptional)
            .says("A line through touch_ns; absent: fewer than two points, or the host cannot map the memory"),
        field("host_bandwidth", &S::host_bandwidth, Presence::kOptional)
            .says("How fast the host copies; absent: the host cannot map the memory, or not measured"),
        field("allocation_count", &S::allocation_count, Presence::kOptional)
            .says("How many small allocations live at once; absent: not measured"),
        field("refused", &S::refused, Presence::kOptional)
            .says("The smallest size that failed though it should have fitted; absent: none did"),
        field("left_out", &S::left_out, Presence::kOptional)
            .says("Sizes that were not measured, through no fault of the device"),
        field("steadiness", &S::steadiness, Presence::kOptional)
            .says("Whether the measurements had settled; absent: older reports"),
        field("load", &S::load, Presence::kOptional)
            .says("How busy the machine was meanwhile; absent: the system does not say")};
};

template <>
struct Fields<ProbeTiming> {
    using S = ProbeTiming;
    static constexpr std::string_view kName = "probe_timing";
    static constexpr auto list =
        std::tuple{field("sweep_queries", &S::sweep_queries).says("Questions that the sweep asked the driver"),
                   field("sweep_ns", &S::sweep_ns).says("What the sweep took"),
                   field("total_ns", &S::total_ns).says("What the whole probe of the device took")};
};

template <>
struct Fields<DeviceVolatile> {
    using S = DeviceVolatile;
    static constexpr std::string_view kName = "device_volatile";
    static constexpr auto list = std::tuple{
        field("heap_budgets", &S::heap_budgets, ItemsCodec<RecordCodec<HeapBudget>>{.max_items = kMaxHeaps})
            .says("One entry for each heap; empty: the device reports none"),
        field("memory_cost", &S::memory_cost, ItemsCodec<RecordCodec<MemoryCostCurve>>{.max_items = kMaxMemoryTypes})
            .says("What allocating, touching and freeing cost, a curve a memory type; empty: not measured"),
        field("engines", &S::engines, Presence::kOptional)
            .says("Times of the device's queues, alone and together; absent: not measured"),
        field("creations", &S::creations, Presence::kOptional)
            .says("How many objects are created and destroyed a second, by threads; absent: not measured"),
        field("timing", &S::timing).says("What the probe itself took"),
        field("device_index", &S::device_index).says("The device's place in the driver's enumeration, from 0")};
};

template <>
struct Fields<DeviceReport> {
    using S = DeviceReport;
    static constexpr std::string_view kName = "device_report";
    static constexpr auto list = std::tuple{
        field("origin", &S::origin).says("probe: the device was asked here; import: taken from a file of another tool"),
        field("identity", &S::identity).says("Which device this is, behind which driver"),
        field("heaps", &S::heaps, ItemsCodec<RecordCodec<MemoryHeap>>{.max_items = kMaxHeaps})
            .says("Memory heaps in the API's order; Direct3D 12: its memory segments"),
        field("memory_types", &S::memory_types, ItemsCodec<RecordCodec<MemoryType>>{.max_items = kMaxMemoryTypes})
            .says("Memory types in the API's order; Direct3D 12: each heap type with each class of resources that it "
                  "keeps apart"),
        field("limits", &S::limits, FactsCodec{})
            .says("Limits by structure and member in the specifications' spelling; a VkBool32 is 0 or 1"),
        field("features", &S::features, FactsCodec{.max = 1})
            .says("Features that matter to allocating, by structure and member; 0 or 1"),
        field("queue_families", &S::queue_families)
            .says("Queue families in the API's order; Direct3D 12: its direct, compute and copy queues"),
        field("extensions", &S::extensions).says("Extensions of the device, by name; empty on Direct3D 12"),
        field("texts", &S::texts, Presence::kOptional).says("Facts that are no numbers, such as UUIDs; absent: none"),
        field("unreported", &S::unreported, Presence::kOptional)
            .says("Structures that were not asked for, and why, in the order of asking; absent: none"),
        field("layered_apis", &S::layered_apis, Presence::kOptional)
            .says("APIs that this device is a layer over (VK_KHR_maintenance7); absent: none is known"),
        field("sparse_images", &S::sparse_images, Presence::kOptional)
            .says("What partially resident images ask for; absent: the device has none"),
        field("sparse_buffers", &S::sparse_buffers, Presence::kOptional)
            .says("What partially resident buffers ask for; absent: the device has none"),
        field("image_compression", &S::image_compression, Presence::kOptional)
            .says("VkImageCompressionPropertiesEXT by format, tiling and usage; absent: not reported"),
        field("image_sweep", &S::image_sweep).says("What the driver asks for images, case by case and size by size"),
        field("buffer_sweep", &S::buffer_sweep).says("What the driver asks for buffers, case by case and size by size"),
        field("observations", &S::observations).says("Rules that were found to hold over both sweeps"),
        field("findings", &S::findings)
            .says("Deviations from the specification, and what else deserves a remark; empty: none"),
        field("absent", &S::absent)
            .says("JSON pointers, from the device, of parts that the origin cannot give; empty: it gives all"),
        volatile_field(&S::run).says("What differs from run to run: budgets and times")};
};

template <>
struct Fields<ProbeFailure> {
    using S = ProbeFailure;
    static constexpr std::string_view kName = "probe_failure";
    static constexpr auto list = std::tuple{
        field("driver", &S::driver).says("The Vulkan ICD or library, or the adapter's name"),
        field("api", &S::api).says("The API through which it was asked"),
        field("device", &S::device, Presence::kOptional).says("The device that failed; absent: the driver itself did"),
        field("step", &S::step, Presence::kOptional).says("What was under way, \"image sweep\"; absent: nothing was"),
        field("last_call", &S::last_call).says("The API call that was running; empty: unknown"),
        field("kind", &S::kind, Presence::kOptional)
            .says("error: a call or an answer failed; exit: the driver ended the process; crash; hang; absent: older "
                  "reports"),
        field("reason", &S::reason).says("What happened, in words"),
        field("code", &S::code).says("The API's error code, or the signal of a crash; absent: there is none")};
};

template <>
struct Fields<Report> {
    static constexpr std::string_view kName = "report";
    static constexpr DocumentKind kKind = DocumentKind::kReport;
    static constexpr std::string_view kPurpose =
        "What devices said of their memory and what was measured on them; `heapwright probe` writes it";
    static constexpr auto list = std::tuple{
        tool_field<Report>(), sources_field<Report>(),
        field("devices", &Report::devices).says("One entry for each device, in the drivers' order"),
        field("failures", &Report::failures).says("Drivers and devices that could not be probed; empty: all were"),
        volatile_field(&Report::run).says("What differs from run to run")};
};

}  // namespace heapwright::model::detail
