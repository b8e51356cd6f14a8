// A small report with round numbers: what the replay tests run on.
//   heap 0: 64 GiB device local; heap 1: 1 GiB host. Types: 0 device local, 1 host coherent, 2 device local + host.
//   Optimal images: alignment 1024 (65536 once both sides are 128), size rounded up to the alignment.
//   Buffers: rounded up to 16.
#pragma once

#include <algorithm>

#include "core/checked.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kMib = 1 << 20;
inline constexpr std::uint64_t kGib = 1 << 30;

inline model::ImageDescription sampled_image(std::uint32_t width, std::uint32_t height, bool mips = false) {
    return {.format = model::Format::kR8G8B8A8Unorm,
            .usage = model::image_usage::kSampled | model::image_usage::kTransferDst | model::image_usage::kTransferSrc,
            .width = width,
            .height = height,
            .mip_levels = mips ? model::full_mip_chain(width, height) : 1};
}

inline constexpr model::Flags kBufferUsage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;

inline void add_image_case(model::ImageSweep& sweep, model::Format format, model::Flags usage, bool full_mips,
                           std::uint32_t layers = 1, std::uint32_t samples = 1) {
    model::ImageCase entry{.format = format,
                           .usage = usage,
                           .full_mips = full_mips,
                           .array_layers = layers,
                           .samples = samples,
                           .table = static_cast<std::uint32_t>(sweep.tables.size())};
    model::SweepTable table;
    for (std::size_t i = 0; i < sweep.grid.point_count(); ++i) {
        const auto [width, height] = sweep.grid.point(i);
        const bool large = std::min(width, height) >= 128;
        const std::uint64_t packed = model::packed_size_bytes(entry.description(width, height));
        table.size_bytes.push_back(align_up(packed, large ? 65536 : 1024));
        table.requirement.push_back(large ? 1 : 0);
    }
    sweep.tables.push_back(std::move(table));
    sweep.cases.push_back(std::move(entry));
}

inline model::DeviceReport small_report() {
    using namespace model;
    DeviceReport report;
    report.identity = {.api = Api::kVulkan, .name = "Replayed test device"};
    report.heaps = {{.size_bytes = 64 * kGib, .flags = memory_heap::kDeviceLocal}, {.size_bytes = 1 * kGib}};
    constexpr Flags kHost = memory_property::kHostVisible | memory_property::kHostCoherent;
    report.memory_types = {{.heap_index = 0, .property_flags = memory_property::kDeviceLocal},
                           {.heap_index = 1, .property_flags = kHost},
                           {.heap_index = 0, .property_flags = memory_property::kDeviceLocal | kHost}};
    report.limits = {{"VkPhysicalDeviceLimits", "maxMemoryAllocationCount", 64},
                     {"VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize", 32 * kGib}};
    constexpr Flags kAll = queue_flag::kGraphics | queue_flag::kCompute | queue_flag::kTransfer;
    report.queue_families = {{.flags = kAll, .queue_count = 4},
                             {.flags = queue_flag::kTransfer, .queue_count = 1},
                             {.flags = queue_flag::kCompute | queue_flag::kTransfer, .queue_count = 1}};

    ImageSweep& images = report.image_sweep;
    images.grid = {.widths = {1, 2, 16, 64, 128, 256}, .heights = {1, 2, 16, 64, 128, 256}, .extra = {{100, 60}}};
    images.requirements = {{.alignment_bytes = 1024, .memory_type_bits = 0b101},
                           {.alignment_bytes = 65536, .memory_type_bits = 0b101, .dedicated = Dedicated::kPreferred}};
    const Flags sampled = sampled_image(1, 1).usage;
    constexpr Flags kTransfer = image_usage::kTransferDst | image_usage::kTransferSrc;
    add_image_case(images, Format::kR8G8B8A8Unorm, sampled, false);
    add_image_case(images, Format::kR8G8B8A8Unorm, sampled, true);
    add_image_case(images, Format::kR8G8B8A8Unorm, sampled, false, 4);
    add_image_case(images, Format::kR8G8B8A8Unorm, image_usage::kColorAttachment | kTransfer, false, 1, 4);
    add_image_case(images, Format::kBc1RgbaUnormBlock, sampled, true);
    add_image_case(images, Format::kD24UnormS8Uint, image_usage::kDepthStencilAttachment | kTransfer, false);
    images.cases.push_back({.format = Format::kAstc4x4UnormBlock, .usage = sampled, .not_supported = "no ASTC here"});
    images.tables[0].size_bytes.back() = 0;  // (100, 60) is beyond the first case
    images.points = {
        {.description = sampled_image(33, 77),
         .requirements = MemoryRequirements{.size_bytes = 11264, .alignment_bytes = 2048, .memory_type_bits = 0b001}}};

    BufferSweep& buffers = report.buffer_sweep;
    buffers.sizes = {1, 16, 256, 4096, 65536, kMib, 16 * kMib};
    buffers.requirements = {{.alignment_bytes = 16, .memory_type_bits = 0b111}};
    SweepTable table;
    for (const std::uint64_t size : buffers.sizes) {
        table.size_bytes.push_back(align_up(size, 16));
        table.requirement.push_back(0);
    }
    buffers.tables = {table};
    buffers.cases = {{.usage = kBufferUsage, .table = 0},
                     {.usage = kBufferUsage | buffer_usage::kVertex, .table = 0},
                     {.usage = kBufferUsage | buffer_usage::kStorage, .table = 0}};

    report.run.heap_budgets = {{.budget_bytes = 40 * kGib}, {.budget_bytes = kGib / 2}};
    report.run.memory_cost = {
        {.memory_type = 0,
         .points = {{.size_bytes = 64 * 1024, .samples = 5, .allocate_ns = 400'000},
                    {.size_bytes = 64 * kMib, .samples = 5, .allocate_ns = 1'900'000, .free_ns = 100'000},
                    {.size_bytes = kGib, .samples = 5, .allocate_ns = 28'000'000}}}};
    return report;
}

}  // namespace heapwright::test
