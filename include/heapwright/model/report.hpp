// The capability report: what one or more devices said of themselves, as plain values.
// Names in documents are the specifications' own (VkPhysicalDeviceLimits, VkPhysicalDeviceMaintenance3Properties, ...).
// Sizes in bytes, times in nanoseconds. An optional that is empty was not reported by the device or its API.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/creation_measurements.hpp"
#include "heapwright/model/document.hpp"
#include "heapwright/model/engine_measurements.hpp"
#include "heapwright/model/fact_name.hpp"
#include "heapwright/model/observation.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::model {

enum class Api : std::uint8_t { kVulkan, kD3d12 };
enum class DeviceType : std::uint8_t { kOther, kIntegratedGpu, kDiscreteGpu, kVirtualGpu, kCpu };

// Where a report's facts come from.
enum class ReportOrigin : std::uint8_t { kProbe, kImport };

struct PciAddress {
    std::uint32_t domain = 0;
    std::uint32_t bus = 0;
    std::uint32_t device = 0;
    std::uint32_t function = 0;

    friend bool operator==(const PciAddress&, const PciAddress&) = default;
};

struct DeviceIdentity {
    Api api = Api::kVulkan;
    std::string name;
    DeviceType type = DeviceType::kOther;
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::string driver_id;  // VkDriverId's name without VK_DRIVER_ID_; D3D12: the runtime's name
    std::string driver_name;
    std::string driver_info;
    std::uint32_t driver_version = 0;  // as the driver encodes it
    std::string api_version;           // "1.3.230"; D3D12: highest feature level, "12_1"
    std::string conformance_version;   // "1.3.1.1"; empty when unknown
    std::string device_uuid;           // 32 hexadecimal digits, empty when unknown
    std::string driver_uuid;
    std::string luid;  // 16 hexadecimal digits, empty when the device has none
    std::optional<PciAddress> pci;

    friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// Whether both name one device behind one build of one driver: a policy made for the one may run on the other.
[[nodiscard]] bool same_device_and_driver(const DeviceIdentity& a, const DeviceIdentity& b);

struct MemoryHeap {
    std::uint64_t size_bytes = 0;
    Flags flags = 0;  // memory_heap bits
};

enum class D3d12HeapType : std::uint8_t { kNone, kDefault, kUpload, kReadback, kGpuUpload, kCustom };

struct MemoryType {
    std::uint32_t heap_index = 0;
    Flags property_flags = 0;  // memory_property bits
    // D3D12 has heap types, not memory types: one row for each (heap type, resource class) that the device keeps apart.
    D3d12HeapType d3d12_heap_type = D3d12HeapType::kNone;
    std::vector<ResourceClass> resource_classes;  // empty: any class
};

struct QueueFamily {
    Flags flags = 0;  // queue_flag bits
    std::uint32_t queue_count = 0;
    std::uint32_t timestamp_valid_bits = 0;
    std::array<std::uint32_t, 3> min_image_transfer_granularity{1, 1, 1};
};

// A named fact with the specification's own spelling. `group` is the structure that holds it
// ("VkPhysicalDeviceLimits"), so that two structures may use one name. Values are unsigned integers; a VkBool32 is 0
// or 1; a floating-point limit is not an allocation fact and is not kept.
struct Fact {
    std::string group;
    std::string name;
    std::uint64_t value = 0;

    friend bool operator==(const Fact&, const Fact&) = default;
};

// The first of that name, of `group` where one is given; null when the device does not state it.
[[nodiscard]] const Fact* find_fact(const std::vector<Fact>& facts, FactName name, std::string_view group = {});

// A fact that is no number: "optimalTilingLayoutUUID". UUIDs are 32 hexadecimal digits.
struct TextFact {
    std::string group;
    std::string name;
    std::string value;

    friend bool operator==(const TextFact&, const TextFact&) = default;
};

// A structure or group of facts that the probe asks for and this device could not be asked, and why.
struct UnreportedFact {
    std::string name;  // "VkPhysicalDeviceMaintenance7PropertiesKHR"
    std::string reason;

    friend bool operator==(const UnreportedFact&, const UnreportedFact&) = default;
};

struct Extension {
    std::string name;
    std::uint32_t spec_version = 0;
};

// VkSparseImageMemoryRequirements of one aspect.
struct SparseAspect {
    Flags aspects = 0;                                        // image_aspect bits
    Flags flags = 0;                                          // sparse_image_format bits
    std::array<std::uint32_t, 3> image_granularity{1, 1, 1};  // texels of one sparse block
    std::uint32_t mip_tail_first_lod = 0;
    std::uint64_t mip_tail_size_bytes = 0;
    std::uint64_t mip_tail_offset_bytes = 0;
    std::uint64_t mip_tail_stride_bytes = 0;

    friend bool operator==(const SparseAspect&, const SparseAspect&) = default;
};

// What a partially resident image of one format, tiling, dimension and sample count asks for. The alignment of a sparse
// resource is its bind granularity. A combination of the sweep that is not here has no sparse residency.
struct SparseImage {
    ImageDescription description;
    MemoryRequirements requirements;
    std::vector<SparseAspect> aspects;
};

struct SparseBuffer {
    BufferDescription description;
    MemoryRequirements requirements;
};

// VkImageCompressionPropertiesEXT of one format, tiling and usage of the sweep.
struct ImageCompression {
    Format format = Format::kR8G8B8A8Unorm;
    ImageTiling tiling = ImageTiling::kOptimal;
    ImageDimension dimension = ImageDimension::k2d;
    Flags usage = 0;
    Flags default_flags = 0;     // image_compression bits of an image that asks for nothing; 0: the driver's default
    Flags fixed_rate_flags = 0;  // image_compression_fixed_rate bits that an image may ask for

    friend bool operator==(const ImageCompression&, const ImageCompression&) = default;
};

// An API that this device is a layer over (VK_KHR_maintenance7).
struct LayeredApi {
    std::string api;  // VkPhysicalDeviceLayeredApiKHR's name without its prefix: "D3D12"
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::string name;

    friend bool operator==(const LayeredApi&, const LayeredApi&) = default;
};

// A deviation from the specification, or a part of the probe that the driver refused.
enum class FindingSeverity : std::uint8_t { kNote, kWarning, kViolation };

struct Finding {
    std::string id;  // stable, "image-memory-type-bits-differ"
    FindingSeverity severity = FindingSeverity::kNote;
    std::string statement;
    std::string clause;                 // specification clause or VUID, empty when none applies
    std::vector<std::string> evidence;  // the entries that show it
};

// Findings of a device without a measurement: warnings where the device itself failed, else notes.
inline constexpr const char* kCostNotMeasured = "memory-cost-not-measured";
inline constexpr const char* kEnginesNotMeasured = "engines-not-measured";
inline constexpr const char* kCreationsNotMeasured = "creations-not-measured";
// Notes of one that the probe had no time left for.
inline constexpr const char* kCostOutOfTime = "memory-cost-out-of-time";
inline constexpr const char* kEnginesOutOfTime = "engines-out-of-time";
inline constexpr const char* kCreationsOutOfTime = "creations-out-of-time";

// The finding that a heap of no size needs beside it, with the heap's pointer ("/heaps/2") in its evidence: without it
// a reader takes the heap for a damaged document.
inline constexpr std::string_view kZeroSizeHeapFinding = "zero-size-heap";

struct HeapBudget {
    std::uint64_t budget_bytes = 0;
    std::uint64_t usage_bytes = 0;
};

// One point of the cost-of-memory curve of a memory type. A name without more is the median of its samples; p90 is the
// value that 90% of them do not exceed. Outliers, few samples that took far longer than all others, count for none of
// these, the worst included. Where the system tells it, the time for which the call waited for a processor is
// taken off.
struct MemoryCostPoint {
    std::uint64_t size_bytes = 0;
    std::uint32_t samples = 0;             // outliers included
    std::optional<Steadiness> steadiness;  // of allocating and freeing; empty: not judged
    std::uint64_t allocate_ns = 0;
    std::uint64_t allocate_min_ns = 0;
    std::uint64_t allocate_p90_ns = 0;
    std::uint64_t allocate_worst_ns = 0;
    std::uint64_t touch_ns = 0;  // mapping, and the first write to every page; 0 when not host visible
    std::uint64_t touch_min_ns = 0;
    std::uint64_t touch_p90_ns = 0;
    std::uint64_t touch_worst_ns = 0;
    std::uint64_t free_ns = 0;
    std::uint64_t free_min_ns = 0;
    std::uint64_t free_p90_ns = 0;
    std::uint64_t free_worst_ns = 0;
    std::vector<std::uint64_t> allocate_outliers_ns;  // as they came
    std::vector<std::uint64_t> touch_outliers_ns;
    std::vector<std::uint64_t> free_outliers_ns;
};

// cost = fixed_ns + ns_per_mib * size, fitted to the medians of a curve.
struct MemoryCostFit {
    double fixed_ns = 0;
    double ns_per_mib = 0;
    double largest_relative_error = 0;  // over the curve's points, |fit - median| / median
    // The spread of the samples about their point's median, as the middle one of the points has it: of the quickest
    // sample, and of the 90th percentile. Empty: no point has enough samples.
    std::optional<double> least_ratio;
    std::optional<double> late_ratio;
};

// Copies between ordinary host memory and mapped memory; medians.
struct HostBandwidth {
    std::uint64_t bytes_each = 0;
    std::uint32_t samples = 0;
    std::uint64_t write_bytes_per_s = 0;
    std::uint64_t read_bytes_per_s = 0;
};

// How many small allocations lived at the same time.
struct AllocationCount {
    std::uint64_t reached = 0;
    std::uint64_t bytes_each = 0;
    bool limit_hit = false;  // the device refused the next one, though its heap had memory left
    std::string stopped_by;  // the device's error, or the bound that came first
};

// The smallest size of a memory type that the device refused to allocate or map, though it should have fitted.
struct RefusedAllocation {
    std::uint64_t size_bytes = 0;
    std::string reason;  // the call and the device's error
};

// A size of the curve that was not measured, through no fault of the device: no time or no memory was left for it.
struct SizeLeftOut {
    std::uint64_t size_bytes = 0;
    bool dedicated_image = false;  // of dedicated_image_points
    std::string reason;
};

struct MemoryCostCurve {
    std::uint32_t memory_type = 0;
    std::vector<MemoryCostPoint> points;  // ascending in size
    // The same of memory dedicated to an image, a render target, which some drivers take otherwise: vkAllocateMemory
    // with VkMemoryDedicatedAllocateInfo and the binding; Direct3D 12: CreateCommittedResource. Empty: not measured, or
    // no such image may lie in the memory type.
    std::vector<MemoryCostPoint> dedicated_image_points;
    std::optional<MemoryCostFit> dedicated_image_fit;
    std::optional<RefusedAllocation> dedicated_image_refused;
    std::optional<MemoryCostFit> allocate_fit;  // empty with fewer than two points
    std::optional<MemoryCostFit> touch_fit;
    std::optional<HostBandwidth> host_bandwidth;  // empty when not host visible
    std::optional<AllocationCount> allocation_count;
    std::optional<RefusedAllocation> refused;
    std::vector<SizeLeftOut> left_out;
    std::optional<MeasurementSteadiness> steadiness;
    std::optional<MachineLoad> load;  // empty where the system does not say
};

struct ProbeTiming {
    std::uint64_t sweep_queries = 0;
    std::uint64_t sweep_ns = 0;
    std::uint64_t total_ns = 0;
};

struct DeviceVolatile {
    std::vector<HeapBudget> heap_budgets;  // one per heap; empty when the device reports none
    std::vector<MemoryCostCurve> memory_cost;
    std::optional<EngineMeasurements> engines;
    std::optional<CreationMeasurements> creations;
    ProbeTiming timing;
    std::uint32_t device_index = 0;  // position in the driver's enumeration
};

struct DeviceReport {
    ReportOrigin origin = ReportOrigin::kProbe;
    DeviceIdentity identity;
    std::vector<MemoryHeap> heaps;
    std::vector<MemoryType> memory_types;
    std::vector<Fact> limits;    // in the specification's order
    std::vector<Fact> features;  // relevant features, 0 or 1
    std::vector<QueueFamily> queue_families;
    std::vector<Extension> extensions;  // sorted by name
    std::vector<TextFact> texts;
    std::vector<UnreportedFact> unreported;  // in the order of asking
    std::vector<LayeredApi> layered_apis;
    std::vector<SparseImage> sparse_images;
    std::vector<SparseBuffer> sparse_buffers;
    std::vector<ImageCompression> image_compression;
    ImageSweep image_sweep;
    BufferSweep buffer_sweep;
    Observations observations;
    std::vector<Finding> findings;
    std::vector<std::string> absent;  // JSON pointers, relative to the device, of parts that the origin cannot give
    DeviceVolatile run;               // "volatile" in documents

    [[nodiscard]] std::optional<std::uint64_t> limit(FactName name, std::string_view group = {}) const;
    [[nodiscard]] bool feature(FactName name) const;
};

enum class FailureKind : std::uint8_t {
    kError,  // a call gave an error, or an answer that makes no document
    kExit,   // the driver ended the process
    kCrash,
    kHang,
};

// A device or driver that could not be probed, or in a validation, that could not be validated. Two are the same
// failure where device (else driver), step, last call and kind are.
struct ProbeFailure {
    std::string driver;  // ICD or library, or the adapter's name
    Api api = Api::kVulkan;
    std::optional<DeviceIdentity> device;  // empty: the driver itself
    std::string step;                      // "image sweep", "memory cost"; empty: none was under way
    std::string last_call;                 // the API call that was running
    std::optional<FailureKind> kind;       // empty in older reports
    std::string reason;
    std::optional<std::int64_t> code;  // native code, or the signal of a crash
};

struct Report {
    DocumentHeader header;
    std::vector<DeviceReport> devices;
    std::vector<ProbeFailure> failures;
    DocumentVolatile run;
};

}  // namespace heapwright::model
