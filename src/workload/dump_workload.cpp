#include "workload/dump_workload.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <tuple>
#include <variant>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::workload {

namespace {

namespace image_usage = model::image_usage;
namespace buffer_usage = model::buffer_usage;
namespace property = model::memory_property;
using model::MemoryUse;

constexpr std::uint64_t kTexelBytes = 4;

// D3D12_RESOURCE_FLAGS.
constexpr std::uint64_t kAllowRenderTarget = 0x1;
constexpr std::uint64_t kAllowDepthStencil = 0x2;
constexpr std::uint64_t kAllowUnorderedAccess = 0x4;
constexpr std::uint64_t kDenyShaderResource = 0x8;

model::Flags vulkan_image_usage(std::uint64_t flags) {
    model::Flags usage = image_usage::kTransferSrc | image_usage::kTransferDst;
    if ((flags & kDenyShaderResource) == 0) usage |= image_usage::kSampled;
    if ((flags & kAllowRenderTarget) != 0) usage |= image_usage::kColorAttachment;
    if ((flags & kAllowDepthStencil) != 0) usage |= image_usage::kDepthStencilAttachment;
    if ((flags & kAllowUnorderedAccess) != 0) usage |= image_usage::kStorage;
    return usage;
}

// A buffer of Direct3D 12 may be read as anything.
model::Flags vulkan_buffer_usage(std::uint64_t flags, MemoryUse use) {
    if (use == MemoryUse::kReadback) return buffer_usage::kTransferDst;
    model::Flags usage = buffer_usage::kTransferSrc;
    if (use != MemoryUse::kUpload) {
        usage |= buffer_usage::kTransferDst | buffer_usage::kUniform | buffer_usage::kIndex | buffer_usage::kVertex;
    }
    if ((flags & kAllowUnorderedAccess) != 0) usage |= buffer_usage::kStorage;
    return usage;
}

// As VkImageCreateInfo allows it of the one format: a dump may hold anything.
model::Flags creatable(model::Flags usage) {
    constexpr model::Flags kAttachments =
        image_usage::kColorAttachment | image_usage::kDepthStencilAttachment | image_usage::kInputAttachment;
    if ((usage & image_usage::kDepthStencilAttachment) != 0) usage &= ~image_usage::kColorAttachment;
    const bool is_attachment = (usage & kAttachments) != 0;
    const bool is_more = (usage & ~(kAttachments | image_usage::kTransientAttachment)) != 0;
    if (!is_attachment || is_more) usage &= ~image_usage::kTransientAttachment;
    return usage == 0 ? image_usage::kSampled | image_usage::kTransferDst : usage;
}

struct Extent {
    std::uint32_t layers = 1;
    std::array<std::uint32_t, 2> sides{1, 1};
};

// About square: the width a power of two, the height what is left of the size. Layers where no device has such sides.
Extent extent_of(std::uint64_t size_bytes) {
    constexpr std::uint64_t kLargestSide = 16'384;
    constexpr std::uint64_t kMostLayers = 2'048;
    const std::uint64_t texels = std::max<std::uint64_t>(1, size_bytes / kTexelBytes);
    const std::uint64_t layers =
        std::clamp<std::uint64_t>(div_ceil(texels, kLargestSide * kLargestSide), 1, kMostLayers);
    const std::uint64_t of_layer = texels / layers;
    const auto width = std::uint64_t{1} << (static_cast<unsigned>(std::bit_width(of_layer)) / 2);
    return {.layers = static_cast<std::uint32_t>(layers),
            .sides = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(of_layer / width)}};
}

// tiling, usage, memory use, own memory, layers
using ImageKey = std::tuple<bool, model::Flags, MemoryUse, bool, std::uint32_t>;
// usage, memory use, own memory, doubling of the size
using BufferKey = std::tuple<model::Flags, MemoryUse, bool, int>;
using Extents = std::map<std::array<std::uint32_t, 2>, std::uint32_t>;

struct Sizes {
    std::uint64_t smallest = ~0ull;
    std::uint64_t largest = 0;
    std::uint32_t count = 0;
};

class DumpHints {
public:
    explicit DumpHints(const Dump& dump) {
        for (const DumpAllocation& allocation : dump.allocations) add(dump, allocation);
    }

    void write(model::Workload& workload) const {
        for (const auto& [key, extents] : images_) write_images(key, extents, workload);
        for (const auto& [key, sizes] : buffers_) {
            const auto& [usage, use, own, doubling] = key;
            model::BufferHint hint;
            hint.usage = usage;
            hint.smallest_bytes = sizes.smallest;
            hint.largest_bytes = sizes.largest;
            hint.distribution = model::SizeDistribution::kUniform;
            hint.count = sizes.count;
            hint.lifetime = model::Lifetime::kPersistent;
            hint.memory_use = use;
            if (own) hint.dedicated = model::OwnMemory::kAlways;
            workload.buffers.push_back(std::move(hint));
        }
    }

private:
    void add(const Dump& dump, const DumpAllocation& allocation) {
        const DumpResource listed = resource_of(dump, allocation);
        const bool own = dump.blocks[allocation.block].is_dedicated;
        if (const auto* buffer = std::get_if<model::BufferDescription>(&listed.resource)) {
            Sizes& sizes = buffers_[{buffer->usage, listed.use, own, std::bit_width(buffer->size_bytes)}];
            sizes.smallest = std::min(sizes.smallest, buffer->size_bytes);
            sizes.largest = std::max(sizes.largest, buffer->size_bytes);
            ++sizes.count;
            return;
        }
        const auto& image = std::get<model::ImageDescription>(listed.resource);
        const bool is_linear = image.tiling == model::ImageTiling::kLinear;
        ++images_[{is_linear, image.usage, listed.use, own, image.array_layers}][{image.width, image.height}];
    }

    // Up to 64 distinct extents a hint, each as often as its share of the places says.
    static void write_images(const ImageKey& key, const Extents& extents, model::Workload& workload) {
        constexpr std::size_t kMostExtents = 64;
        for (auto next = extents.begin(); next != extents.end();) {
            auto end = next;
            std::size_t distinct = 0;
            std::uint64_t count = 0;
            for (; end != extents.end() && distinct < kMostExtents; ++end, ++distinct) count += end->second;
            const auto& [is_linear, usage, use, own, layers] = key;
            model::ImageHint hint;
            const bool is_depth = (usage & image_usage::kDepthStencilAttachment) != 0;
            hint.format = is_depth ? model::Format::kD32Sfloat : model::Format::kR8G8B8A8Unorm;
            hint.tiling = is_linear ? model::ImageTiling::kLinear : model::ImageTiling::kOptimal;
            hint.usage = usage;
            hint.array_layers = layers;
            hint.count = static_cast<std::uint32_t>(count);
            hint.lifetime = model::Lifetime::kPersistent;
            hint.memory_use = use;
            if (own) hint.dedicated = model::OwnMemory::kAlways;
            const std::uint64_t spare = distinct == 1 ? 0 : kMostExtents - distinct;
            for (; next != end; ++next) {
                const std::uint64_t more = std::min<std::uint64_t>(spare * next->second / count, next->second - 1);
                hint.extents.insert(hint.extents.end(), 1 + more, next->first);
            }
            workload.images.push_back(std::move(hint));
        }
    }

    std::map<ImageKey, Extents> images_;
    std::map<BufferKey, Sizes> buffers_;
};

}  // namespace

MemoryUse use_of_properties(model::Flags properties) {
    if ((properties & property::kHostVisible) == 0) return MemoryUse::kDeviceOnly;
    if ((properties & property::kHostCached) != 0) return MemoryUse::kReadback;
    return (properties & property::kDeviceLocal) != 0 ? MemoryUse::kStreaming : MemoryUse::kUpload;
}

bool is_direct3d(const Dump& dump) {
    return dump.format == DumpFormat::kD3d12ma1 || dump.format == DumpFormat::kD3d12ma2;
}

DumpResource resource_of(const Dump& dump, const DumpAllocation& allocation) {
    const MemoryUse use = use_of_properties(dump.memory_types[dump.blocks[allocation.block].memory_type].properties);
    const auto bits = static_cast<model::Flags>(allocation.usage & 0xffff'ffff);
    if (allocation.kind == AllocationKind::kBuffer || allocation.kind == AllocationKind::kUnknown) {
        model::Flags usage = bits;
        if (is_direct3d(dump)) usage = vulkan_buffer_usage(allocation.usage, use);
        if (usage == 0 || allocation.kind == AllocationKind::kUnknown) {
            usage = buffer_usage::kTransferSrc | buffer_usage::kTransferDst;
        }
        return {.resource = model::BufferDescription{.size_bytes = allocation.size_bytes, .usage = usage}, .use = use};
    }
    const Extent extent = extent_of(allocation.size_bytes);
    model::ImageDescription image;
    image.usage = creatable(is_direct3d(dump) ? vulkan_image_usage(allocation.usage) : bits);
    if ((image.usage & image_usage::kDepthStencilAttachment) != 0) image.format = model::Format::kD32Sfloat;
    if (allocation.kind == AllocationKind::kImageLinear) image.tiling = model::ImageTiling::kLinear;
    image.array_layers = extent.layers;
    image.width = extent.sides[0];
    image.height = extent.sides[1];
    return {.resource = image, .use = use};
}

model::Workload workload_from_dump(const Dump& dump, std::string_view name) {
    model::Workload workload;
    workload.name = name;
    workload.description = fmt::format(
        "Derived from the dump {} of {}{}{}. A dump has no order and no times, so everything is persistent; images "
        "have "
        "the dump's sizes and made-up extents",
        name, to_string(dump.format), dump.device_name.empty() ? "" : " on ", dump.device_name);
    workload.churn_steps = 0;
    workload.steps_per_frame = 1;
    DumpHints(dump).write(workload);
    return workload;
}

namespace {

using detail::DumpJson;
using detail::kMostBytes;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

struct KindName {
    std::string_view name;
    AllocationKind kind;
};

constexpr KindName kKindNames[] = {{"UNKNOWN", AllocationKind::kUnknown},
                                   {"BUFFER", AllocationKind::kBuffer},
                                   {"IMAGE_UNKNOWN", AllocationKind::kImageOfUnknownTiling},
                                   {"IMAGE_LINEAR", AllocationKind::kImageLinear},
                                   {"IMAGE_OPTIMAL", AllocationKind::kImageOptimal},
                                   {"TEXTURE1D", AllocationKind::kImageOptimal},
                                   {"TEXTURE2D", AllocationKind::kImageOptimal},
                                   {"TEXTURE3D", AllocationKind::kImageOptimal}};

constexpr std::uint32_t kRowMajor = 1;  // D3D12_TEXTURE_LAYOUT_ROW_MAJOR

Result<std::uint64_t> size_of(const DumpJson& object, std::string_view key) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t size, object.require_number(key, kMostBytes));
    if (size == 0) return object.error(fmt::format("\"{}\" is 0", key), ErrorCode::kOutOfRange, 0, kMostBytes);
    return size;
}

}  // namespace

Result<DumpAllocation> MapReader::read_allocation(const DumpJson& item) {
    DumpAllocation allocation;
    HEAPWRIGHT_ASSIGN(allocation.size_bytes, size_of(item, "Size"));
    HEAPWRIGHT_ASSIGN(const DumpJson type, item.require("Type"));
    const auto text = type.text();
    if (!text) return type.error("expected a text");
    const auto known = std::find_if(std::begin(kKindNames), std::end(kKindNames),
                                    [&](const KindName& entry) { return entry.name == *text; });
    if (known == std::end(kKindNames)) {
        findings_->add("an allocation's type is none that is known; it counts as a buffer", type.pointer());
    } else {
        allocation.kind = known->kind;
    }
    // D3D12MA 1 wrote "Flags".
    HEAPWRIGHT_ASSIGN(const auto usage, item.number_of("Usage", kMost));
    HEAPWRIGHT_ASSIGN(const auto flags, item.number_of("Flags", kMost));
    allocation.usage = usage.value_or(flags.value_or(0));
    HEAPWRIGHT_ASSIGN(const auto layout, item.number_of("Layout", std::numeric_limits<std::uint32_t>::max()));
    if (layout) {
        allocation.layout = static_cast<std::uint32_t>(*layout);
        if (*layout == kRowMajor && allocation.kind == AllocationKind::kImageOptimal) {
            allocation.kind = AllocationKind::kImageLinear;
        }
    }
    allocation.name = item.text_of("Name");
    if (allocation.name.empty()) allocation.name = item.text_of("UserData");
    allocation.block = static_cast<std::uint32_t>(dump_->blocks.size() - 1);
    return allocation;
}

void MapReader::look_for_overlaps(std::size_t first, const DumpJson& block) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (std::size_t i = first; i < dump_->allocations.size(); ++i) {
        const DumpAllocation& allocation = dump_->allocations[i];
        ranges.emplace_back(allocation.offset_bytes, allocation.offset_bytes + allocation.size_bytes);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].first >= ranges[i - 1].second) continue;
        findings_->add("two allocations of a block overlap", block.pointer());
        return;
    }
}

Status MapReader::read_block(const DumpJson& block, std::uint32_t memory_type, std::string_view pool) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t size, size_of(block, "TotalBytes"));
    HEAPWRIGHT_ASSIGN(const auto stated, block.number_of("Allocations", kMost));
    HEAPWRIGHT_ASSIGN(const auto unused, block.number_of("UnusedBytes", kMost));
    HEAPWRIGHT_ASSIGN(const DumpJson list, block.require("Suballocations"));
    if (!list.is_array()) return list.error("expected a list");
    dump_->blocks.push_back(
        {.memory_type = memory_type, .size_bytes = size, .is_dedicated = false, .pool = std::string(pool)});
    const std::size_t first = dump_->allocations.size();
    std::uint64_t used = 0;
    HEAPWRIGHT_TRY(list.for_each([&](std::string_view, const DumpJson& item) -> Status {
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, item.require_number("Offset", size));
        const bool is_free = item.text_of("Type") == "FREE";
        HEAPWRIGHT_ASSIGN(const std::uint64_t bytes,
                          is_free ? item.require_number("Size", kMostBytes) : size_of(item, "Size"));
        if (bytes > size - offset) {
            return item.error("offset and size lead beyond the block", ErrorCode::kOutOfRange, offset + bytes, size);
        }
        if (is_free) return {};
        HEAPWRIGHT_ASSIGN(DumpAllocation allocation, read_allocation(item));
        allocation.offset_bytes = offset;
        used += bytes;
        dump_->allocations.push_back(std::move(allocation));
        return {};
    }));
    const std::size_t count = dump_->allocations.size() - first;
    if (stated && *stated != count) {
        findings_->add(fmt::format("a block says that it holds {} allocations and lists {}", *stated, count),
                       block.pointer());
    }
    if (unused && (*unused > size || size - *unused < used)) {
        findings_->add(
            fmt::format("a block of {} bytes says that {} are unused and lists {} in use", size, *unused, used),
            block.pointer());
    }
    look_for_overlaps(first, block);
    return {};
}

Status MapReader::read_blocks(const DumpJson& blocks, std::uint32_t memory_type, std::string_view pool) {
    return blocks.for_each(
        [&](std::string_view, const DumpJson& block) { return read_block(block, memory_type, pool); });
}

Status MapReader::read_dedicated(const DumpJson& list, std::uint32_t memory_type, std::string_view pool) {
    return list.for_each([&](std::string_view, const DumpJson& item) -> Status {
        dump_->blocks.push_back(
            {.memory_type = memory_type, .size_bytes = 0, .is_dedicated = true, .pool = std::string(pool)});
        HEAPWRIGHT_ASSIGN(DumpAllocation allocation, read_allocation(item));
        dump_->blocks.back().size_bytes = allocation.size_bytes;
        dump_->allocations.push_back(std::move(allocation));
        return {};
    });
}

Result<DumpTotals> read_statistics(const DumpJson& statistics) {
    DumpTotals totals;
    if (statistics.has("BlockBytes")) {
        HEAPWRIGHT_ASSIGN(totals.block_count, statistics.require_number("BlockCount", kMost));
        HEAPWRIGHT_ASSIGN(totals.block_bytes, statistics.require_number("BlockBytes", kMost));
        HEAPWRIGHT_ASSIGN(totals.allocation_count, statistics.require_number("AllocationCount", kMost));
        HEAPWRIGHT_ASSIGN(totals.allocation_bytes, statistics.require_number("AllocationBytes", kMost));
        return totals;
    }
    constexpr std::uint64_t kMostSum = kMost / 2;
    HEAPWRIGHT_ASSIGN(totals.block_count, statistics.require_number("Blocks", kMost));
    HEAPWRIGHT_ASSIGN(totals.allocation_count, statistics.require_number("Allocations", kMost));
    HEAPWRIGHT_ASSIGN(totals.allocation_bytes, statistics.require_number("UsedBytes", kMostSum));
    HEAPWRIGHT_ASSIGN(const std::uint64_t unused, statistics.require_number("UnusedBytes", kMostSum));
    totals.block_bytes = totals.allocation_bytes + unused;
    return totals;
}

}  // namespace heapwright::workload
