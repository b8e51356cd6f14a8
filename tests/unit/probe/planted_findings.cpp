#include "planted_findings.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace heapwright::test {
namespace {

using model::DeviceReport;
namespace property = model::memory_property;
namespace image_usage = model::image_usage;
namespace buffer_usage = model::buffer_usage;

// Indices of the cases of sound_device().
constexpr std::size_t kColor = 0;
constexpr std::size_t kOtherColor = 1;
constexpr std::size_t kLinear = 3;
constexpr std::size_t kDepth = 4;
constexpr std::size_t kTransient = 6;

constexpr std::size_t kUniform = 0;
constexpr std::size_t kStorage = 1;
constexpr std::size_t kTexel = 2;
constexpr std::size_t kUniformAndStorage = 3;

constexpr std::uint32_t kBits = 0b0111;

// Every case has a table and a requirement class of its own, so that one can be changed alone.
void add_image(model::ImageSweep& sweep, model::ImageCase entry, std::uint32_t bits) {
    model::SweepTable table;
    for (std::size_t i = 0; i < sweep.grid.point_count(); ++i) {
        const auto [width, height] = sweep.grid.point(i);
        table.size_bytes.push_back(align_up(model::packed_size_bytes(entry.description(width, height)), 64));
        table.requirement.push_back(static_cast<std::uint16_t>(sweep.requirements.size()));
    }
    sweep.requirements.push_back({.alignment_bytes = 64, .memory_type_bits = bits});
    entry.table = static_cast<std::uint32_t>(sweep.tables.size());
    sweep.tables.push_back(std::move(table));
    sweep.cases.push_back(std::move(entry));
}

void add_buffer(model::BufferSweep& sweep, model::Flags usage) {
    model::SweepTable table;
    for (const std::uint64_t size : sweep.sizes) {
        table.size_bytes.push_back(align_up(size, 64));
        table.requirement.push_back(static_cast<std::uint16_t>(sweep.requirements.size()));
    }
    sweep.requirements.push_back({.alignment_bytes = 64, .memory_type_bits = kBits});
    sweep.cases.push_back(
        {.usage = usage, .table = static_cast<std::uint32_t>(sweep.tables.size()), .not_supported = {}});
    sweep.tables.push_back(std::move(table));
}

void set_limit(DeviceReport& device, std::string_view name, std::uint64_t value) {
    for (model::Fact& fact : device.limits) {
        if (fact.name == name) fact.value = value;
    }
}

// A requirement class more, for one grid point of one case.
template <class Sweep>
model::RequirementClass& split(Sweep& sweep, std::size_t index, std::size_t point) {
    model::SweepTable& table = sweep.tables[*sweep.cases[index].table];
    sweep.requirements.push_back(sweep.requirements[table.requirement[point]]);
    table.requirement[point] = static_cast<std::uint16_t>(sweep.requirements.size() - 1);
    return sweep.requirements.back();
}

void set_all_bits(DeviceReport& device, std::uint32_t images, std::uint32_t buffers) {
    for (model::RequirementClass& entry : device.image_sweep.requirements) entry.memory_type_bits = images;
    for (model::RequirementClass& entry : device.buffer_sweep.requirements) entry.memory_type_bits = buffers;
}

PlantedFinding limit_below(std::string name, std::uint64_t value) {
    return {.id = "limit-out-of-range:" + name,
            .plant = [name, value](DeviceReport& device) { set_limit(device, name, value); }};
}

std::vector<PlantedFinding> memory_plants() {
    return {
        {.id = "zero-size-heap", .plant = [](DeviceReport& device) { device.heaps[1].size_bytes = 0; }},
        {.id = "budget-above-heap:1",
         .plant =
             [](DeviceReport& device) {
                 device.run.heap_budgets = {{.budget_bytes = 8ull << 30}, {.budget_bytes = (8ull << 30) + 1}};
             }},
        {.id = "usage-above-budget:0",
         .plant =
             [](DeviceReport& device) {
                 device.run.heap_budgets = {{.budget_bytes = 1ull << 30, .usage_bytes = (1ull << 30) + 1},
                                            {.budget_bytes = 0, .usage_bytes = 8ull << 30}};
             }},
        {.id = "usage-above-heap:1",
         .plant =
             [](DeviceReport& device) {
                 device.run.heap_budgets = {{.budget_bytes = 1ull << 30, .usage_bytes = 1ull << 30},
                                            {.budget_bytes = 1ull << 30, .usage_bytes = (8ull << 30) + 1}};
             }},
        {.id = "memory-type-without-heap",
         .plant = [](DeviceReport& device) { device.memory_types[1].heap_index = 2; }},
        {.id = "memory-type-and-heap-disagree:1",
         .evidence = 2,
         .plant = [](DeviceReport& device) { device.memory_types[1].heap_index = 0; }},
        {.id = "memory-type-flags-not-listed:3",
         .plant = [](DeviceReport& device) { device.memory_types[3].property_flags |= property::kProtected; }},
        {.id = "memory-type-order",
         .evidence = 2,
         .plant =
             [](DeviceReport& device) {
                 // Nothing asks for the host's types alone here, so the swap shows in the order only.
                 std::swap(device.memory_types[1], device.memory_types[2]);
             }},
        {.id = "few-allocations:1",
         .plant =
             [](DeviceReport& device) {
                 device.run.memory_cost = {
                     {.memory_type = 1,
                      .points = {},
                      .allocation_count = model::AllocationCount{.reached = 79,
                                                                 .bytes_each = 4096,
                                                                 .limit_hit = true,
                                                                 .stopped_by = "VK_ERROR_TOO_MANY_OBJECTS"}}};
             }},
    };
}

std::vector<PlantedFinding> limit_plants() {
    return {
        limit_below("maxMemoryAllocationCount", 4095),
        limit_below("minMemoryMapAlignment", 32),
        limit_below("nonCoherentAtomSize", 512),
        limit_below("bufferImageGranularity", 262144),
        limit_below("maxMemoryAllocationSize", (1ull << 30) - 1),
        limit_below("maxBufferSize", 1 << 20),
        limit_below("minImportedHostPointerAlignment", 131072),
        {.id = "limit-not-power-of-two:nonCoherentAtomSize",
         .plant = [](DeviceReport& device) { set_limit(device, "nonCoherentAtomSize", 96); }},
        {.id = "buffer-image-granularity-not-power-of-two",
         .plant = [](DeviceReport& device) { set_limit(device, "bufferImageGranularity", 3000); }},
    };
}

// An answer that the sweep left out.
void add_odd_image(DeviceReport& device, model::MemoryRequirements answer) {
    device.image_sweep.odd_answers = {
        {.description = {.usage = image_usage::kSampled, .width = 64, .height = 64}, .answer = {answer}, .count = 17}};
}

void add_odd_buffer(DeviceReport& device, model::MemoryRequirements answer) {
    device.buffer_sweep.odd_answers = {
        {.description = {.size_bytes = 4096, .usage = buffer_usage::kUniform}, .answer = {answer}, .count = 3}};
}

std::vector<PlantedFinding> image_plants() {
    return {
        {.id = "image-size-zero",
         .plant =
             [](DeviceReport& device) {
                 add_odd_image(device, {.size_bytes = 0, .alignment_bytes = 64, .memory_type_bits = kBits});
             }},
        {.id = "image-memory-types-empty", .plant = [](DeviceReport& device) { set_all_bits(device, 0, kBits); }},
        {.id = "image-memory-types-unknown",
         .plant = [](DeviceReport& device) { set_all_bits(device, kBits | 0x10, kBits); }},
        {.id = "image-without-device-local-type",
         .plant = [](DeviceReport& device) { set_all_bits(device, 0b0010, kBits); }},
        {.id = "image-without-host-coherent-type",
         .plant = [](DeviceReport& device) { device.image_sweep.requirements[kLinear].memory_type_bits = 0b0001; }},
        {.id = "image-in-lazily-allocated-type",
         .plant = [](DeviceReport& device) { set_all_bits(device, 0b1111, kBits); }},
        {.id = "image-alignment-not-power-of-two",
         .plant = [](DeviceReport& device) { device.image_sweep.requirements[kColor].alignment_bytes = 96; }},
        {.id = "image-memory-type-bits-differ:color:optimal",
         .evidence = 2,
         .plant = [](DeviceReport& device) { split(device.image_sweep, kOtherColor, 5).memory_type_bits = 0b0011; }},
        {.id = "image-memory-type-bits-differ:D16_UNORM:optimal",
         .evidence = 2,
         .plant = [](DeviceReport& device) { split(device.image_sweep, kDepth, 3).memory_type_bits = 0b0101; }},
        {.id = "image-size-falls-with-extent",
         .evidence = 2,
         .plant =
             [](DeviceReport& device) {
                 // One extent that is dearer than its larger neighbours.
                 const auto point = device.image_sweep.grid.find(32, 32);
                 device.image_sweep.tables[kColor].size_bytes[point.value()] = 1 << 20;
             }},
    };
}

std::vector<PlantedFinding> buffer_plants() {
    return {
        {.id = "buffer-size-zero",
         .plant =
             [](DeviceReport& device) {
                 add_odd_buffer(device, {.size_bytes = 0, .alignment_bytes = 64, .memory_type_bits = kBits});
             }},
        {.id = "buffer-memory-types-empty", .plant = [](DeviceReport& device) { set_all_bits(device, kBits, 0); }},
        {.id = "buffer-memory-types-unknown",
         .plant = [](DeviceReport& device) { set_all_bits(device, kBits, kBits | 0x8000'0000u); }},
        {.id = "buffer-without-device-local-type",
         .plant = [](DeviceReport& device) { set_all_bits(device, kBits, 0b0010); }},
        {.id = "buffer-without-host-coherent-type",
         .plant = [](DeviceReport& device) { set_all_bits(device, kBits, 0b0001); }},
        {.id = "buffer-in-lazily-allocated-type",
         .plant = [](DeviceReport& device) { set_all_bits(device, kBits, 0b1111); }},
        {.id = "buffer-alignment-not-power-of-two",
         .plant = [](DeviceReport& device) { device.buffer_sweep.requirements[kTexel].alignment_bytes = 192; }},
        {.id = "buffer-memory-type-bits-differ",
         .evidence = 2,
         .plant =
             [](DeviceReport& device) {
                 // The usage that no other one contains, so that only its own sizes can disagree.
                 split(device.buffer_sweep, kTexel, 2).memory_type_bits = 0b0011;
             }},
        {.id = "buffer-alignment-differs",
         .evidence = 2,
         .plant = [](DeviceReport& device) { split(device.buffer_sweep, kTexel, 2).alignment_bytes = 128; }},
        {.id = "buffer-usage-adds-memory-types",
         .evidence = 2,
         .plant = [](DeviceReport& device) { device.buffer_sweep.requirements[kUniform].memory_type_bits = 0b0011; }},
        {.id = "buffer-alignment-below-offset-alignment:minUniformBufferOffsetAlignment",
         .evidence = 2,
         .plant = [](DeviceReport& device) { set_limit(device, "minUniformBufferOffsetAlignment", 128); }},
        {.id = "buffer-alignment-below-offset-alignment:minStorageBufferOffsetAlignment",
         .evidence = 2,
         .plant = [](DeviceReport& device) { set_limit(device, "minStorageBufferOffsetAlignment", 128); }},
        {.id = "buffer-alignment-below-offset-alignment:minTexelBufferOffsetAlignment",
         .evidence = 2,
         .plant = [](DeviceReport& device) { set_limit(device, "minTexelBufferOffsetAlignment", 128); }},
        {.id = "buffer-size-falls-with-request",
         .evidence = 2,
         .plant =
             [](DeviceReport& device) {
                 std::vector<std::uint64_t>& sizes = device.buffer_sweep.tables[kStorage].size_bytes;
                 sizes.back() = sizes[sizes.size() - 2] - 64;
             }},
        {.id = "buffer-size-above-aligned-request",
         .plant = [](DeviceReport& device) { device.buffer_sweep.tables[kUniformAndStorage].size_bytes.back() += 64; }},
    };
}

}  // namespace

model::DeviceReport sound_device() {
    using namespace model;
    DeviceReport device;
    device.identity = {.api = Api::kVulkan,
                       .name = "Sound device",
                       .vendor_id = 0xfade,
                       .device_id = 0xcafe,
                       .driver_name = "Sound driver",
                       .driver_info = "1.0",
                       .api_version = "1.3.0"};
    device.heaps = {{.size_bytes = 8ull << 30, .flags = memory_heap::kDeviceLocal}, {.size_bytes = 8ull << 30}};
    constexpr Flags kHost = property::kHostVisible | property::kHostCoherent;
    device.memory_types = {{.heap_index = 0, .property_flags = property::kDeviceLocal},
                           {.heap_index = 1, .property_flags = kHost},
                           {.heap_index = 0, .property_flags = property::kDeviceLocal | kHost},
                           {.heap_index = 0, .property_flags = property::kDeviceLocal | property::kLazilyAllocated}};
    constexpr const char* kLimits = "VkPhysicalDeviceLimits";
    device.limits = {{kLimits, "maxMemoryAllocationCount", 4096},
                     {kLimits, "bufferImageGranularity", 131072},
                     {kLimits, "minMemoryMapAlignment", 64},
                     {kLimits, "minTexelBufferOffsetAlignment", 16},
                     {kLimits, "minUniformBufferOffsetAlignment", 64},
                     {kLimits, "minStorageBufferOffsetAlignment", 32},
                     {kLimits, "nonCoherentAtomSize", 256},
                     {"VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize", 1ull << 30},
                     {"VkPhysicalDeviceMaintenance4Properties", "maxBufferSize", 1ull << 30},
                     {"VkPhysicalDeviceExternalMemoryHostPropertiesEXT", "minImportedHostPointerAlignment", 4096}};
    device.features = {{"VkPhysicalDeviceMaintenance4Features", "maintenance4", 1}};

    ImageSweep& images = device.image_sweep;
    images.grid = {.widths = {1, 16, 32, 64}, .heights = {1, 16, 32, 64}, .extra = {{100, 20}}};
    constexpr Flags kTexture = image_usage::kSampled | image_usage::kTransferDst;
    constexpr Flags kDepthUsage = image_usage::kDepthStencilAttachment;
    add_image(images, {.format = Format::kR8G8B8A8Unorm, .usage = kTexture}, kBits);
    add_image(images, {.format = Format::kR8Unorm, .usage = image_usage::kColorAttachment}, kBits);
    add_image(images, {.format = Format::kR8G8B8A8Unorm, .usage = kTexture, .full_mips = true}, kBits);
    add_image(images, {.format = Format::kR8G8B8A8Unorm, .tiling = ImageTiling::kLinear, .usage = kTexture}, kBits);
    add_image(images, {.format = Format::kD16Unorm, .usage = kDepthUsage}, kBits);
    // Depth/stencil images of another format may have other memory types, transient ones too.
    add_image(images, {.format = Format::kD32Sfloat, .usage = kDepthUsage}, 0b0001);
    add_image(
        images,
        {.format = Format::kR8G8B8A8Unorm, .usage = image_usage::kColorAttachment | image_usage::kTransientAttachment},
        0b1001);
    images.tables[kTransient].size_bytes.back() = 0;

    BufferSweep& buffers = device.buffer_sweep;
    buffers.sizes = {1, 64, 100, 65536, 65537, 1 << 20};
    add_buffer(buffers, buffer_usage::kUniform);
    add_buffer(buffers, buffer_usage::kStorage);
    add_buffer(buffers, buffer_usage::kUniformTexel);
    add_buffer(buffers, buffer_usage::kUniform | buffer_usage::kStorage);
    return device;
}

std::vector<PlantedFinding> planted_findings() {
    std::vector<PlantedFinding> all;
    for (auto& part : {memory_plants(), limit_plants(), image_plants(), buffer_plants()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace heapwright::test
