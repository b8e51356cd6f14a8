#include "workload/dump_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <variant>

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

}  // namespace heapwright::workload
