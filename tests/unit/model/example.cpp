#include "example.hpp"

#include <algorithm>
#include <bit>

#include "model/claims.hpp"

namespace heapwright::model::example {
namespace {

DocumentHeader header() {
    return {.tool_version = "0.1.0",
            .sources = {{.kind = DocumentKind::kReport, .stable_hash = "0123456789abcdef0123456789abcdef"},
                        {.kind = DocumentKind::kWorkload, .stable_hash = "fedcba9876543210fedcba9876543210"}}};
}

DocumentVolatile run() {
    return {.created_utc = "2026-11-21T14:00:00Z", .host = "Linux 6.1, x86-64, 2 processors"};
}

DeviceIdentity identity() {
    return {.api = Api::kVulkan,
            .name = "Synthetic GPU \"A\"",
            .type = DeviceType::kDiscreteGpu,
            .vendor_id = 0x10005,
            .device_id = 0x1234,
            .driver_id = "MESA_LLVMPIPE",
            .driver_name = "synthetic",
            .driver_info = "Version 1.2.3 (\xC3\xA9t\xC3\xA9)",
            .driver_version = 4194307,
            .api_version = "1.3.230",
            .conformance_version = "1.3.1.1",
            .device_uuid = "00112233445566778899aabbccddeeff",
            .driver_uuid = "ffeeddccbbaa99887766554433221100",
            .luid = "0123456789abcdef",
            .pci = PciAddress{.domain = 0, .bus = 3, .device = 0, .function = 1}};
}

template <class T>
Decided<T> decided(T value) {
    return {.value = std::move(value),
            .why = {.reason =
                        std::vector<Claim>{claim<ClaimId::kBoundByHeap>(count(0), bytes(8ull << 30), bytes(1ull << 30)),
                                           Claim("because of the inputs")},
                    .inputs = {{.document = DocumentKind::kReport,
                                .path = "/devices/0/heaps/0/size_bytes",
                                .value = bytes(8589934592)}},
                    .alternatives = {{.value = "1", .reason = "too small"}}}};
}

ImageSweep image_sweep() {
    const ImageDescription point{.format = Format::kR8G8B8A8Unorm,
                                 .usage = image_usage::kSampled | image_usage::kTransferDst,
                                 .width = 333,
                                 .height = 77,
                                 .flags = image_creation::kAlias};
    return {.grid = {.widths = {1, 2, 4}, .heights = {1, 2}, .extra = {{1920, 1080}}},
            .requirements = {{.alignment_bytes = 256, .memory_type_bits = 0x7, .dedicated = Dedicated::kNone},
                             {.alignment_bytes = 65536, .memory_type_bits = 0x1, .dedicated = Dedicated::kPreferred}},
            .tables = {{.size_bytes = {256, 256, 256, 256, 256, 512, 8388608}, .requirement = {0, 0, 0, 0, 0, 0, 1}},
                       {.size_bytes = {1024, 1024, 1024, 2048, 2048, 4096, 0}, .requirement = {1, 1, 1, 1, 0, 1, 0}}},
            .cases = {{.format = Format::kR8G8B8A8Unorm, .usage = image_usage::kSampled, .table = 0},
                      {.format = Format::kD32Sfloat,
                       .usage = image_usage::kDepthStencilAttachment | 0x80000000u,
                       .full_mips = true,
                       .array_layers = 6,
                       .samples = 4,
                       .table = 1},
                      {.format = Format::kAstc4x4UnormBlock,
                       .tiling = ImageTiling::kLinear,
                       .dimension = ImageDimension::k3d,
                       .usage = image_usage::kStorage,
                       .not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED",
                       .depth = 16,
                       .mip_levels = 3,
                       .flags = image_creation::k2dArrayCompatible}},
            .points = {{.description = point,
                        .requirements = MemoryRequirements{.size_bytes = 106496,
                                                           .alignment_bytes = 256,
                                                           .memory_type_bits = 0x7,
                                                           .dedicated = Dedicated::kNone}},
                       {.description = point, .not_supported = "extent beyond the limit"}},
            .odd_answers = {{.description = point,
                             .answer = {{.size_bytes = 102564, .alignment_bytes = 3, .memory_type_bits = 0}},
                             .count = 17}}};
}

BufferSweep buffer_sweep() {
    return {.sizes = {1, 16, 100, 65536},
            .requirements = {{.alignment_bytes = 16, .memory_type_bits = 0x7, .dedicated = Dedicated::kNone}},
            .tables = {{.size_bytes = {16, 16, 112, 65536}, .requirement = {0, 0, 0, 0}}},
            .cases = {{.usage = buffer_usage::kVertex | buffer_usage::kTransferDst, .table = 0},
                      {.usage = buffer_usage::kShaderDeviceAddress, .not_supported = "feature not enabled"}},
            .points = {{.description = {.size_bytes = 12345, .usage = buffer_usage::kIndex},
                        .requirements = MemoryRequirements{.size_bytes = 12352,
                                                           .alignment_bytes = 16,
                                                           .memory_type_bits = 0x7,
                                                           .dedicated = Dedicated::kRequired}},
                       {.description = {.size_bytes = 1ull << 60, .usage = buffer_usage::kIndex},
                        .not_supported = "beyond maxBufferSize"}},
            .odd_answers = {{.description = {.size_bytes = 16, .usage = buffer_usage::kUniform},
                             .answer = {{.size_bytes = 0,
                                         .alignment_bytes = 0,
                                         .memory_type_bits = 0x80000000u,
                                         .dedicated = Dedicated::kPreferred}},
                             .count = 1}}};
}

Observations observations() {
    return {.images = {{.table = 0,
                        .alignments = {256, 65536},
                        .smallest_size_bytes = 256,
                        .sizes_are_powers_of_two = true,
                        .alignment_rule = AlignmentRule{.condition = AlignmentCondition::kBothSidesAtLeast,
                                                        .below_alignment_bytes = 256,
                                                        .steps = {{.threshold = 128, .alignment_bytes = 65536}},
                                                        .found_on_points = 150,
                                                        .held_out_points = 75},
                        .equal_cost = {{.along_width = false, .from = 1, .to = 8}},
                        .overhead = {.smallest = 1, .median = 1.25, .largest = 64.1, .largest_at = {1, 1}},
                        .statement = "alignment 65536 exactly when both sides are at least 128"}},
            .buffers = {{.table = 0,
                         .alignments = {16},
                         .minimum_size_bytes = 16,
                         .rounding_bytes = 16,
                         .exact_from_bytes = 65536,
                         .statement = "rounded up to 16"}},
            .buffer_usage_changes_size = false,
            .buffer_usage_changes_alignment = true,
            .buffer_usage_changes_memory_types = false,
            .statements = {"linear and optimal resources share every memory type"}};
}

MeasurementSteadiness steadiness() {
    return {.answer = Steadiness::kSteady,
            .decided_by = SteadinessSource::kDriver,
            .passes = 5,
            .note = "the driver wants no more measurements"};
}

EngineMeasurements engines() {
    const MeasuredTime spread{
        .ns = 20000, .min_ns = 18000, .p90_ns = 25000, .clock = MeasuredBy::kDevice, .host_ns = 30000};
    return {
        .engines = {{.name = "graphics", .kind = "graphics", .priority = "normal"},
                    {.name = "copy",
                     .kind = "copy",
                     .queue_family = 1,
                     .queue = 1,
                     .dedicated = true,
                     .priority = "high",
                     .priority_note = "the family has one queue",
                     .no_timestamps = "its queue family has timestampValidBits 0"}},
        .overlaps = {{.first = "graphics",
                      .second = "copy",
                      .first_work = "compute",
                      .second_work = "copy",
                      .samples = 16,
                      .first_alone = spread,
                      .second_alone = spread,
                      .serial = spread,
                      .concurrent = spread,
                      .gained = -0.125,
                      .disturbed = "copy alone took 900 ns at first and 1200 ns at the end"}},
        .copies = {{.engine = "copy",
                    .direction = CopyDirection::kDownload,
                    .bytes_each = 64 << 20,
                    .samples = 8,
                    .time = spread,
                    .bytes_per_s = 25'000'000'000}},
        .copy_curves =
            {{.engine = "copy",
              .direction = CopyDirection::kUpload,
              .means = CopyMeans::kShader,
              .mapped = true,
              .points = {{.bytes = 65536, .in_a_row = 16, .samples = 5, .time = spread, .bytes_per_s = 3'276'800'000},
                         {.bytes = 262144, .in_a_row = 4, .samples = 3, .time = spread, .bytes_per_s = 13'107'200'000}},
              .fit = CopyFit{.latency_ns = 2500, .bytes_per_s = 25'000'000'000, .largest_relative_error = 0.125},
              .left_out = {{.bytes = 1 << 20, .reason = std::string(kLongerThanItsShare)}}}},
        .signal_latencies = {{.from = "copy", .to = "host", .samples = 32, .time = spread}},
        .pipelines = {{.name = "compute-graphics",
                       .points = {{.cpu_latency = 2, .engine_latency = 1, .samples = 64, .frame = spread}},
                       .best_cpu_latency = 2,
                       .best_engine_latency = 1,
                       .statement = "a longer pipeline gains less than the spread",
                       .unsettled = "two samples of the shortest"}},
        .steadiness = steadiness(),
        .load = MachineLoad{.others_share = 0.25, .waiting_share = 0.125},
        .total_ns = 123456789,
        .skipped = {"compute-high: the device has no second compute queue"}};
}

CreationMeasurements creations() {
    const CreationPoint one{.threads = 1,
                            .samples = 5,
                            .pairs_per_s = 1'329'000,
                            .least_pairs_per_s = 1'200'000,
                            .most_pairs_per_s = 1'400'000};
    const CreationPoint many{
        .threads = 16, .samples = 5, .pairs_per_s = 2'100, .least_pairs_per_s = 2'000, .most_pairs_per_s = 2'200};
    return {.processors = 16,
            .curves = {{.object = CreatedObject::kImage, .description = "2D image", .points = {one, many}},
                       {.object = CreatedObject::kBuffer,
                        .description = "buffer of 64 KiB",
                        .memory_priority = true,
                        .points = {one}}},
            .load = MachineLoad{.others_share = 0.5, .waiting_share = 0.25},
            .total_ns = 2345678,
            .skipped = {"memory by 16 threads: the time was up"}};
}

DeviceReport device_report() {
    DeviceReport device{
        .origin = ReportOrigin::kProbe,
        .identity = identity(),
        .heaps = {{.size_bytes = 8ull << 30, .flags = memory_heap::kDeviceLocal},
                  {.size_bytes = 16ull << 30, .flags = 0},
                  {.size_bytes = 0, .flags = memory_heap::kDeviceLocal}},
        .memory_types = {{.heap_index = 0, .property_flags = memory_property::kDeviceLocal},
                         {.heap_index = 1,
                          .property_flags = memory_property::kHostVisible | memory_property::kHostCoherent,
                          .d3d12_heap_type = D3d12HeapType::kUpload,
                          .resource_classes = {ResourceClass::kLinear, ResourceClass::kOptimalRenderTarget}},
                         {.heap_index = 2, .property_flags = memory_property::kDeviceLocal | 0x400u}},
        .limits = {{.group = "VkPhysicalDeviceLimits", .name = "maxImageDimension2D", .value = 16384},
                   {.group = "VkPhysicalDeviceLimits", .name = "bufferImageGranularity", .value = 1024},
                   {.group = "VkPhysicalDeviceMaintenance4Properties",
                    .name = "maxBufferSize",
                    .value = 0xFFFFFFFFFFFFFFFFull}},
        .features = {{.group = "VkPhysicalDeviceFeatures", .name = "textureCompressionBC", .value = 1}},
        .queue_families = {{.flags = queue_flag::kGraphics | queue_flag::kCompute,
                            .queue_count = 16,
                            .timestamp_valid_bits = 64}},
        .extensions = {{.name = "VK_EXT_memory_budget", .spec_version = 1}},
        .texts = {{.group = "VkPhysicalDeviceHostImageCopyProperties",
                   .name = "optimalTilingLayoutUUID",
                   .value = "00112233445566778899aabbccddeeff"}},
        .unreported = {{.name = "VkPhysicalDevicePortabilitySubsetFeaturesKHR",
                        .reason = "the device has no VK_KHR_portability_subset"}},
        .layered_apis = {{.api = "D3D12", .vendor_id = 0x1002, .device_id = 0x744c, .name = "Lower"}},
        .sparse_images = {{.description = {.usage = image_usage::kSampled,
                                           .width = 1024,
                                           .height = 1024,
                                           .flags = image_creation::kMutableFormat},
                           .requirements = {.size_bytes = 4 << 20, .alignment_bytes = 65536, .memory_type_bits = 0x1},
                           .aspects = {{.aspects = image_aspect::kColor | image_aspect::kMetadata,
                                        .flags = sparse_image_format::kSingleMiptail,
                                        .image_granularity = {128, 128, 1},
                                        .mip_tail_first_lod = 4,
                                        .mip_tail_size_bytes = 65536,
                                        .mip_tail_offset_bytes = 1ull << 60,
                                        .mip_tail_stride_bytes = 131072}}}},
        .sparse_buffers = {{.description = {.size_bytes = 65536, .usage = buffer_usage::kStorage},
                            .requirements = {.size_bytes = 65536, .alignment_bytes = 65536, .memory_type_bits = 0x7}}},
        .image_compression = {{.usage = image_usage::kSampled,
                               .default_flags = image_compression::kDisabled,
                               .fixed_rate_flags = 0x3}},
        .image_sweep = image_sweep(),
        .buffer_sweep = buffer_sweep(),
        .observations = observations(),
        .findings = {{.id = std::string(kZeroSizeHeapFinding),
                      .severity = FindingSeverity::kViolation,
                      .statement = "heap 2 has no size",
                      .clause = "VkMemoryHeap",
                      .evidence = {"/heaps/2"}}},
        .absent = {"/volatile/memory_cost"},
    };
    device.run = {
        .heap_budgets = {{.budget_bytes = 7ull << 30, .usage_bytes = 1 << 20},
                         {.budget_bytes = 15ull << 30, .usage_bytes = 0},
                         {.budget_bytes = 0, .usage_bytes = 0}},
        .memory_cost = {{.memory_type = 1,
                         .points = {{.size_bytes = 65536,
                                     .samples = 16,
                                     .steadiness = Steadiness::kDidNotSettle,
                                     .allocate_ns = 400000,
                                     .allocate_min_ns = 390000,
                                     .allocate_p90_ns = 450000,
                                     .allocate_worst_ns = 500000,
                                     .touch_ns = 1000,
                                     .touch_min_ns = 900,
                                     .touch_p90_ns = 1500,
                                     .touch_worst_ns = 1600,
                                     .free_ns = 2000,
                                     .free_min_ns = 1900,
                                     .free_p90_ns = 2500,
                                     .free_worst_ns = 3000,
                                     .allocate_outliers_ns = {38'000'000},
                                     .touch_outliers_ns = {90'000},
                                     .free_outliers_ns = {70'000, 80'000}}},
                         .dedicated_image_points = {{.size_bytes = 131072,
                                                     .samples = 8,
                                                     .steadiness = Steadiness::kSteady,
                                                     .allocate_ns = 200000,
                                                     .allocate_min_ns = 190000,
                                                     .allocate_p90_ns = 220000,
                                                     .allocate_worst_ns = 230000,
                                                     .free_ns = 4000,
                                                     .free_min_ns = 3900,
                                                     .free_p90_ns = 4500,
                                                     .free_worst_ns = 5000,
                                                     .allocate_outliers_ns = {900000},
                                                     .touch_outliers_ns = {60000},
                                                     .free_outliers_ns = {80000}}},
                         .dedicated_image_fit =
                             MemoryCostFit{.fixed_ns = 190000, .least_ratio = 0.75, .late_ratio = 1.5},
                         .dedicated_image_refused =
                             RefusedAllocation{.size_bytes = 524288, .reason = "vkAllocateMemory: -2"},
                         .allocate_fit = MemoryCostFit{.fixed_ns = 380000.5,
                                                       .ns_per_mib = 27343.75,
                                                       .largest_relative_error = 0.125,
                                                       .least_ratio = 0.9375,
                                                       .late_ratio = 1.25},
                         .touch_fit = MemoryCostFit{.ns_per_mib = 16000, .least_ratio = 0.5, .late_ratio = 2},
                         .host_bandwidth = HostBandwidth{.bytes_each = 4 << 20,
                                                         .samples = 9,
                                                         .write_bytes_per_s = 11'000'000'000,
                                                         .read_bytes_per_s = 90'000'000},
                         .allocation_count = AllocationCount{.reached = 4096,
                                                             .bytes_each = 4096,
                                                             .limit_hit = true,
                                                             .stopped_by = "VK_ERROR_TOO_MANY_OBJECTS"},
                         .refused = RefusedAllocation{.size_bytes = 1ull << 33,
                                                      .reason = "vkMapMemory: VK_ERROR_MEMORY_MAP_FAILED"},
                         .left_out = {{.size_bytes = 1ull << 20, .dedicated_image = true, .reason = "the time was up"}},
                         .steadiness = steadiness(),
                         .load = MachineLoad{.others_share = 0.5, .waiting_share = 0.0625}}},
        .engines = engines(),
        .creations = creations(),
        .timing = {.sweep_queries = 1234, .sweep_ns = 567890, .total_ns = 1234567},
        .device_index = 1};
    return device;
}

}  // namespace

Report report() {
    return {.header = header(),
            .devices = {device_report()},
            .failures = {{.driver = "/usr/share/vulkan/icd.d/broken.json",
                          .api = Api::kVulkan,
                          .last_call = "vkCreateInstance",
                          .reason = "the driver crashed",
                          .code = -11},
                         {.driver = "a device",
                          .api = Api::kVulkan,
                          .device = device_report().identity,
                          .step = "image sweep",
                          .last_call = "vkCreateImage",
                          .kind = FailureKind::kCrash,
                          .reason = "the driver crashed"}},
            .run = run()};
}

Workload workload() {
    return {
        .header = header(),
        .name = "synthetic",
        .description = "a little of everything",
        .seed = 0xFEDCBA9876543210ull,
        .images = {{.extents = {{1920, 1080}, {64, 64}}, .full_mips = true, .count = 20}},
        .buffers = {{.count = 50, .lifetime = Lifetime::kLevel, .memory_use = MemoryUse::kUpload, .splittable = true}},
        .bindings = {.recording_contexts = 16, .static_descriptors = 1'000'000},
        .uploads = {.bytes_per_frame = 1 << 20, .largest_bytes = 4 << 20}};
}

Policy policy() {
    DevicePolicy device{
        .identity = identity(),
        .heaps = {{.heap = 0,
                   .size_bytes = 8ull << 30,
                   .base_bytes = 8ull << 30,
                   .usable_bytes = decided<std::uint64_t>(7ull << 30),
                   .parts = decided<std::uint64_t>(62),
                   .reserve_share = decided(0.125)}},
        .memory_types = {{.heap_index = 0, .property_flags = memory_property::kDeviceLocal},
                         {.heap_index = 0,
                          .property_flags = memory_property::kHostVisible | memory_property::kHostCoherent},
                         {.heap_index = 0, .property_flags = 0x8000'0000}},
        .memory_uses = {{.use = MemoryUse::kUpload,
                         .memory_types = decided<std::vector<std::uint32_t>>({1, 0}),
                         .excluded = {{.memory_type = 2, .reason = "its heap has no size"}}}},
        .largest_ordinary_bytes = decided<std::uint64_t>(67108864),
        .humongous_threshold_bytes = decided<std::uint64_t>(67108864),
        .humongous = decided(HumongousRule::kOwnMemory),
        .largest_buffer_bytes = decided<std::uint64_t>(1073741824),
        .largest_storage_buffer_bytes = decided<std::uint64_t>(134217728),
        .dedicated = decided(DedicatedRule::kWhenPreferred),
        .separate_linear_and_optimal = decided(true),
        .max_chunks = decided<std::uint64_t>(4096),
        .buckets = {{.id = "optimal/65536/0",
                     .resource_classes = {ResourceClass::kOptimal},
                     .alignment_bytes = 65536,
                     .memory_type = 0,
                     .chunk_size_bytes = decided<std::uint64_t>(138547332),
                     .growth = ChunkGrowth{.first_chunk_bytes = decided<std::uint64_t>(4194304),
                                           .divisor = decided<std::uint64_t>(8)},
                     .dedicated_threshold_bytes = decided<std::uint64_t>(67108863),
                     .chunk_choice = decided(ChunkChoice::kTightest),
                     .suballocator = decided(SuballocatorKind::kFixedBlocks),
                     .granule_bytes = decided<std::uint64_t>(65536),
                     .chunks_ahead = decided<std::uint64_t>(2),
                     .priority = decided(0.75),
                     .expected_bytes = 1 << 30}},
        .feasibility =
            {{.heap = 0, .buckets = 1, .one_chunk_each_bytes = 138547332, .usable_bytes = 7ull << 30, .fits = true}},
        .left_out = {{.hint = "buffers/2",
                      .lacks = {Capability::kAccelerationStructures},
                      .bytes_share = 0.25,
                      .resources = 200}},
        .capacity =
            CapacityPlan{
                .fits = false,
                .needed_bytes = (7ull << 30) + (1 << 20),
                .missing_bytes = 3 << 20,
                .statement = "does not fit: needs 1 MiB more than the device has",
                .reason = "the workload needs 1 MiB more than the device has",
                .heaps =
                    {{.heap = 0, .usable_bytes = 7ull << 30, .wanted_bytes = 8ull << 30, .expected_bytes = 6ull << 30}},
                .moved = {{.hint = "images/0", .from_memory_type = 0, .to_memory_type = 1, .bytes = 1ull << 30}},
                .unfit = {{.hint = "buffers/0",
                           .bytes = 1 << 20,
                           .exceeded = ExceededLimit{.limit = "maxMemoryAllocationSize",
                                                     .limit_bytes = 1 << 30,
                                                     .size_bytes = 2ull << 30}}},
                .refused =
                    {{.hint = "images/0",
                      .bytes = 2 << 20,
                      .exceeded =
                          ExceededLimit{.limit = "maxBufferSize", .limit_bytes = 1 << 20, .size_bytes = 2 << 20}}}},
        .expectations = Expectations{.mean_waste = decided(0.0625),
                                     .mean_waste_interval = Interval{0.03125, 0.125},
                                     .peak_waste = decided(0.25),
                                     .peak_waste_interval = Interval{0.125, 0.5},
                                     .device_allocations = decided<std::uint64_t>(48),
                                     .device_allocations_interval = Interval{40, 56},
                                     .p99_frame_ns = decided<std::uint64_t>(250'000),
                                     .p99_frame_ns_interval = Interval{125'000, 500'000},
                                     .worst_frame_ns = decided<std::uint64_t>(1'500'000),
                                     .worst_frame_ns_interval = Interval{1'000'000, 2'000'000},
                                     .most_calls_of_frame = 4,
                                     .worst_load_ns = decided<std::uint64_t>(9'000'000),
                                     .worst_load_ns_interval = Interval{8'000'000, 10'000'000},
                                     .late_chunks = decided<std::uint64_t>(3),
                                     .late_chunks_interval = Interval{0, 5},
                                     .heaps = {{.heap = 0,
                                                .peak_reserved_bytes = decided<std::uint64_t>(6ull << 30),
                                                .peak_reserved_bytes_interval = Interval{5ull << 30, 7ull << 30}}},
                                     .failed_requests = 7,
                                     .estimated_share = 0.125},
        .frames_in_flight = decided<std::uint64_t>(3),
        .descriptors = {.cbv_srv_uav_page = decided<std::uint64_t>(4096),
                        .sampler_page = decided<std::uint64_t>(256),
                        .rtv_page = decided<std::uint64_t>(128),
                        .dsv_page = decided<std::uint64_t>(64),
                        .cpu_suballocator = decided(SuballocatorKind::kTlsf),
                        .resources = {.capacity = decided<std::uint64_t>(262144),
                                      .dynamic_capacity = decided<std::uint64_t>(131072),
                                      .dynamic_chunk = decided<std::uint64_t>(256),
                                      .static_suballocator = decided(SuballocatorKind::kFixedBlocks),
                                      .dynamic_suballocator = decided(SuballocatorKind::kSlots)},
                        .samplers = {.capacity = decided<std::uint64_t>(2048),
                                     .dynamic_capacity = decided<std::uint64_t>(1024),
                                     .dynamic_chunk = decided<std::uint64_t>(16),
                                     .static_suballocator = decided(SuballocatorKind::kTlsf),
                                     .dynamic_suballocator = decided(SuballocatorKind::kRing)}},
        .uploads = {.ring_bytes = decided<std::uint64_t>(32 << 20), .page_bytes = decided<std::uint64_t>(4 << 20)},
        .engines = EnginePolicy{.assignments = {{.work = "uploads", .engine = decided<std::string>("copy")}},
                                .async_copy = decided(true),
                                .async_compute = decided(false),
                                .copy_ring_length = decided<std::uint64_t>(3),
                                .cpu_latency = decided<std::uint64_t>(2),
                                .compute_graphics_latency = decided<std::uint64_t>(1),
                                .buffer_moves = decided(CopyMeans::kShader),
                                .direct_uploads = decided(false)},
        .creations = CreationPolicy{.image_threads = decided<std::uint64_t>(1),
                                    .buffer_threads = decided<std::uint64_t>(16),
                                    .descriptor_threads = decided<std::uint64_t>(2),
                                    .memory_priority = decided(false)},
        .assumed = "the costs of device memory: 400 us a call",
        .warnings = "no latency curve"};
    HintSplit& split = device.split.emplace_back();
    split.hint = "buffers/0";
    split.exceeded = {.limit = "maxMemoryAllocationSize", .limit_bytes = 1 << 30, .size_bytes = 3ull << 30};
    split.parts = 3;
    split.part_bytes = decided<std::uint64_t>(1 << 30);
    return {
        .header = header(), .workload_name = "synthetic", .workload = workload(), .devices = {device}, .run = run()};
}

Validation validation() {
    ScenarioResult scenario{.name = "mixed",
                            .seed = 42,
                            .verdict = Verdict::kFailed,
                            .reason = "one overlap",
                            .findings = {{.fault = Fault::kOverlap,
                                          .step = 17,
                                          .resource = "buffer 5",
                                          .statement = "bytes 0-15 hold the pattern of buffer 4"}},
                            .findings_total = 1};
    const OccupancySeries series{.name = "heap 0",
                                 .used_bytes = {0, 1000},
                                 .reserved_bytes = {0, 1500},
                                 .largest_free_bytes = {0, 400},
                                 .fragmentation = {0, 0.2},
                                 .chunks = {0, 1}};
    const MappedChunk chunk{.pool = "optimal/65536/0",
                            .size_bytes = 1024,
                            .used_bytes = 768,
                            .free_bytes = 256,
                            .largest_free_bytes = 128,
                            .free_ranges = 2,
                            .suballocations = 3,
                            .internal_waste_bytes = 24,
                            .fragmentation = 0.5,
                            .free_ranges_by_size = {0, 0, 0, 0, 0, 0, 0, 2},
                            .used_percent = {100, 100, 50, 50}};
    scenario.occupancy = Occupancy{.steps = {0, 17},
                                   .heaps = {series},
                                   .pools = {series},
                                   .maps = {{.moment = "end", .step = 18, .chunks = {chunk}, .chunks_left_out = 1}}};
    scenario.defragmentation_steps = {{.step = 17,
                                       .pool = "optimal/65536/0",
                                       .moves = 2,
                                       .abandoned_moves = 1,
                                       .copied_bytes = 512,
                                       .freed_chunks = 1,
                                       .reserved_before_bytes = 1500,
                                       .reserved_after_bytes = 1000,
                                       .largest_free_before_bytes = 100,
                                       .largest_free_after_bytes = 200}};
    scenario.run.worst_frames = {{.frame = 3,
                                  .ns = 90000,
                                  .allocations = 5,
                                  .frees = 4,
                                  .device_allocations = 1,
                                  .device_frees = 2,
                                  .device_ns = 60000}};
    scenario.run.p99_frame_ns = 80000;
    scenario.run.slowest_device_call_ns = 50000;
    scenario.run.worst_load_ns = 250000;
    scenario.run.promises = {{.name = {PromiseKind::kMeanWaste},
                              .predicted = 0.25,
                              .measured = 0.5,
                              .least = 0.125,
                              .most = 0.375,
                              .tolerance = "what the policy's own plays span, twice as wide",
                              .verdict = PromiseVerdict::kBroken,
                              .reason = "the measured figure is larger"}};
    scenario.stand_in = StandIn{.bytes_share = 0.5, .resources_left_out = 3, .statement = "a stand-in ran"};
    scenario.part = PlayedPart{
        .bytes_share = 0.5,
        .resources_share = 0.625,
        .requests_share = 0.75,
        .unplayed = {{.hint = "images/1", .reason = "the device has none", .bytes_share = 0.5, .requests = 12}},
        .asked_for = true,
        .statement = "a part ran"};
    scenario.memory = {.peak_used_bytes = 1000,
                       .peak_reserved_bytes = 1500,
                       .mean_waste = 0.5,
                       .peak_waste = 0.375,
                       .mean_fragmentation = 0.125};
    scenario.bindings = BindingFigures{.descriptors_checked = 4096,
                                       .bytes_checked = 1 << 20,
                                       .frames = 64,
                                       .command_lists = 512,
                                       .recording_contexts = 8,
                                       .descriptor_form = "descriptor-buffer",
                                       .descriptor_form_reason = "VK_EXT_descriptor_buffer is present",
                                       .peak_cpu_descriptors = 8192,
                                       .peak_static_descriptors = 1024,
                                       .peak_dynamic_descriptors = 2048,
                                       .peak_samplers = 16,
                                       .descriptors_reached = 1'000'000,
                                       .limits = "samplers: 2048 of 2048",
                                       .peak_upload_bytes = 1 << 20};
    scenario.engines = EngineFigures{.engines = {"graphics", "copy"},
                                     .queues = 2,
                                     .parameters = {{.name = "ring_length", .value = 3}},
                                     .submissions = 24,
                                     .early_waits = 8,
                                     .bytes_checked = 1 << 20,
                                     .waits = {{.wait = "graphics waits for copied 1",
                                                .role = WaitRole::kNecessary,
                                                .shown_by = "copy writes ring 0, graphics reads it"}},
                                     .notes = {"no compute queue of its own: graphics takes its place"}};
    scenario.run.engine_spans = {
        {.engine = "copy", .name = "upload 0", .begin_ns = 100, .end_ns = 2000, .clock = MeasuredBy::kDevice}};
    scenario.run.prepared_chunks =
        PreparedChunks{.prepared = 9, .taken_ready = 7, .taken_late = 1, .given_back = 2, .failed = 3};
    scenario.run.steadiness = steadiness();
    scenario.run.bindings = BindingVolatile{.upload_stalls = 2, .upload_stalled_ns = 12345, .descriptor_stalls = 3};
    return {.header = header(),
            .workload_name = "synthetic",
            .devices = {{.identity = identity(),
                         .replayed = true,
                         .interpolated_requirements = 3,
                         .assumed_requirements = 2,
                         .validation_layers = false,
                         .memory_limit_bytes = 1ull << 30,
                         .left_out = {{.hint = "images/4",
                                       .lacks = {Capability::kTextureCompressionAstc},
                                       .bytes_share = 0.125,
                                       .resources = 20}},
                         .scenarios = {scenario},
                         .baselines = {scenario},
                         .verdict = Verdict::kFailed,
                         .reason = "scenario \"mixed\" failed"}},
            .failures = {{.driver = "broken_icd.json",
                          .api = Api::kVulkan,
                          .device = device_report().identity,
                          .step = "streaming",
                          .last_call = "vkCreateInstance",
                          .kind = FailureKind::kCrash,
                          .reason = "the driver crashed with SIGSEGV (signal 11)",
                          .code = 11}},
            .run = run()};
}

Report large_report(std::uint32_t cases) {
    Report large = report();
    ImageSweep& sweep = large.devices[0].image_sweep;
    sweep = {};
    for (std::uint32_t side = 1; side <= 16384; side *= 2) {
        sweep.grid.widths.push_back(side);
        sweep.grid.heights.push_back(side);
    }
    sweep.grid.extra = {{1920, 1080}, {2560, 1440}, {3840, 2160}, {100, 100}, {1000, 1000}};
    sweep.requirements = {{.alignment_bytes = 256, .memory_type_bits = 1},
                          {.alignment_bytes = 4096, .memory_type_bits = 1}};
    constexpr std::uint32_t kCasesPerTable = 5;
    for (std::uint32_t i = 0; i < cases; ++i) {
        if (i % kCasesPerTable == 0) {
            SweepTable table;
            for (std::size_t point = 0; point < sweep.grid.point_count(); ++point) {
                const auto [width, height] = sweep.grid.point(point);
                const std::uint64_t packed = 4ull * width * height * (1 + i % 16);
                table.size_bytes.push_back(std::max<std::uint64_t>(256, packed));
                table.requirement.push_back(std::min(width, height) >= 128 ? 1 : 0);
            }
            sweep.tables.push_back(std::move(table));
        }
        sweep.cases.push_back({.format = static_cast<Format>(i % kSweptFormatCount),
                               .usage = image_usage::kSampled | image_usage::kTransferDst,
                               .array_layers = 1 + i,
                               .table = i / kCasesPerTable});
    }
    large.devices[0].observations.images.clear();
    return large;
}

}  // namespace heapwright::model::example
