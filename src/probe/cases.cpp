#include "probe/cases.hpp"

#include <algorithm>
#include <span>

namespace heapwright::probe {

namespace {

using model::Flags;
using model::Format;
using model::ImageCase;
using model::ImageDimension;
using model::ImageTiling;
namespace usage = model::image_usage;

constexpr Flags kImageTransfer = usage::kTransferSrc | usage::kTransferDst;

constexpr Format kColorFormats[] = {Format::kR8G8B8A8Unorm, Format::kB8G8R8A8Unorm,      Format::kR8Unorm,
                                    Format::kR16Sfloat,     Format::kR16G16B16A16Sfloat, Format::kR32G32B32A32Sfloat};
constexpr Format kCompressedFormats[] = {Format::kBc1RgbaUnormBlock, Format::kBc7UnormBlock,
                                         Format::kAstc4x4UnormBlock};
constexpr Format kDepthFormats[] = {Format::kD16Unorm, Format::kD32Sfloat, Format::kD24UnormS8Uint};

constexpr Flags kTexture = usage::kSampled | usage::kTransferDst;
constexpr Flags kRenderTarget = usage::kColorAttachment | usage::kSampled | usage::kTransferSrc;
constexpr Flags kStorageImage = usage::kStorage | usage::kSampled | kImageTransfer;
constexpr Flags kShadowMap = usage::kDepthStencilAttachment | usage::kSampled;
constexpr Flags kTransientColor = usage::kColorAttachment | usage::kTransientAttachment;
constexpr Flags kTransientDepth = usage::kDepthStencilAttachment | usage::kTransientAttachment;

constexpr Flags kColorUsages[] = {kTexture,
                                  kTexture | usage::kTransferSrc,
                                  usage::kSampled,
                                  kRenderTarget,
                                  usage::kColorAttachment | usage::kSampled,
                                  usage::kColorAttachment,
                                  kTransientColor,
                                  kStorageImage,
                                  usage::kStorage | usage::kSampled,
                                  kImageTransfer};
constexpr Flags kCompressedUsages[] = {kTexture, kTexture | usage::kTransferSrc, usage::kSampled, kImageTransfer};
constexpr Flags kDepthUsages[] = {
    kShadowMap,    kShadowMap | usage::kTransferSrc, usage::kDepthStencilAttachment, kTransientDepth, kTexture,
    kImageTransfer};

namespace buffer_usage = model::buffer_usage;

constexpr std::uint64_t kDenseUpTo = 64;
constexpr std::uint64_t kOddSizes[] = {96,      100,       1000,      1920 * 1080 * 4, 3840 * 2160 * 4, 10'000,
                                       100'000, 1'000'000, 3'000'000, 10'000'000,      100'000'000,     1'000'000'000};

constexpr Flags kBufferTransfer = buffer_usage::kTransferSrc | buffer_usage::kTransferDst;
constexpr Flags kAllButAddress = kBufferTransfer | buffer_usage::kUniformTexel | buffer_usage::kStorageTexel |
                                 buffer_usage::kUniform | buffer_usage::kStorage | buffer_usage::kIndex |
                                 buffer_usage::kVertex | buffer_usage::kIndirect;
constexpr Flags kBufferUsages[] = {buffer_usage::kTransferSrc,
                                   buffer_usage::kTransferDst,
                                   buffer_usage::kUniformTexel,
                                   buffer_usage::kStorageTexel,
                                   buffer_usage::kUniform,
                                   buffer_usage::kStorage,
                                   buffer_usage::kIndex,
                                   buffer_usage::kVertex,
                                   buffer_usage::kIndirect,
                                   buffer_usage::kShaderDeviceAddress,
                                   kBufferTransfer,
                                   buffer_usage::kVertex | buffer_usage::kTransferDst,
                                   buffer_usage::kIndex | buffer_usage::kTransferDst,
                                   buffer_usage::kVertex | buffer_usage::kIndex | buffer_usage::kTransferDst,
                                   buffer_usage::kUniform | buffer_usage::kTransferDst,
                                   buffer_usage::kStorage | buffer_usage::kTransferDst,
                                   buffer_usage::kStorage | kBufferTransfer,
                                   buffer_usage::kStorage | buffer_usage::kIndirect | buffer_usage::kTransferDst,
                                   buffer_usage::kUniformTexel | buffer_usage::kTransferDst,
                                   buffer_usage::kStorage | buffer_usage::kShaderDeviceAddress | kBufferTransfer,
                                   kAllButAddress,
                                   kAllButAddress | buffer_usage::kShaderDeviceAddress};

struct Shape {
    ImageDimension dimension = ImageDimension::k2d;
    bool full_mips = false;
    std::uint32_t array_layers = 1;
    std::uint32_t samples = 1;
};

constexpr Shape kMips{.full_mips = true};
constexpr Shape kCube{.array_layers = 6};
constexpr Shape kCubeWithMips{.full_mips = true, .array_layers = 6};
constexpr Shape kArray{.array_layers = 16};
constexpr Shape kMultisampled{.samples = 4};
constexpr Shape kVolume{.dimension = ImageDimension::k3d};

class CaseList {
public:
    void plain(Format format, std::span<const Flags> usages) {
        for (const ImageTiling tiling : {ImageTiling::kOptimal, ImageTiling::kLinear}) {
            for (const Flags bits : usages) add(format, tiling, bits, {});
        }
    }
    void shapes(Format format, Flags bits, std::initializer_list<Shape> list) {
        for (const Shape& shape : list) add(format, ImageTiling::kOptimal, bits, shape);
    }
    [[nodiscard]] std::vector<ImageCase> take() { return std::move(cases_); }

private:
    void add(Format format, ImageTiling tiling, Flags bits, const Shape& shape) {
        cases_.push_back({.format = format,
                          .tiling = tiling,
                          .dimension = shape.dimension,
                          .usage = bits,
                          .full_mips = shape.full_mips,
                          .array_layers = shape.array_layers,
                          .samples = shape.samples,
                          .table = {},
                          .not_supported = {}});
    }

    std::vector<ImageCase> cases_;
};

}  // namespace

model::ImageGrid image_grid(std::uint32_t max_side) {
    constexpr std::uint32_t kSmallestLargestSide = 4096;
    const std::uint64_t last = std::max(kSmallestLargestSide, max_side);
    model::ImageGrid grid;
    for (std::uint64_t side = 1; side <= last; side *= 2) grid.widths.push_back(static_cast<std::uint32_t>(side));
    grid.heights = grid.widths;
    grid.extra = {{1920, 1080}, {2560, 1440}, {3840, 2160}, {100, 100}, {1000, 1000}};
    return grid;
}

std::vector<model::ImageCase> standard_image_cases() {
    CaseList list;
    for (const Format format : kColorFormats) {
        list.plain(format, kColorUsages);
        list.shapes(format, kTexture, {kMips, kCube, kCubeWithMips, kArray, kVolume});
        list.shapes(format, kRenderTarget, {kMips, kCube, kArray, kMultisampled});
        list.shapes(format, usage::kColorAttachment | usage::kSampled, {kMultisampled});
        list.shapes(format, usage::kColorAttachment, {kMultisampled});
        list.shapes(format, kTransientColor, {kMultisampled});
        list.shapes(format, kStorageImage, {kMips, kArray, kVolume});
    }
    for (const Format format : kCompressedFormats) {
        list.plain(format, kCompressedUsages);
        list.shapes(format, kTexture, {kMips, kCube, kCubeWithMips, kArray, kVolume});
    }
    for (const Format format : kDepthFormats) {
        list.plain(format, kDepthUsages);
        list.shapes(format, kShadowMap, {kMips, kCube, kArray, kMultisampled});
        list.shapes(format, usage::kDepthStencilAttachment, {kMultisampled});
        list.shapes(format, kTransientDepth, {kMultisampled});
    }
    return list.take();
}

model::ImageSweep standard_image_sweep(std::uint32_t max_side) {
    model::ImageSweep sweep;
    sweep.grid = image_grid(max_side);
    sweep.cases = standard_image_cases();
    return sweep;
}

std::vector<std::uint64_t> buffer_sizes(std::uint64_t max_bytes) {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = 1; size <= kDenseUpTo; ++size) sizes.push_back(size);
    for (std::uint64_t power = kDenseUpTo; power <= kLargestSweptBuffer; power *= 2) {
        sizes.insert(sizes.end(), {power - 1, power, power + 1});
    }
    sizes.insert(sizes.end(), std::begin(kOddSizes), std::end(kOddSizes));
    sizes.push_back(max_bytes);
    std::erase_if(sizes, [max_bytes](std::uint64_t size) { return size > max_bytes; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<model::BufferCase> standard_buffer_cases() {
    std::vector<model::BufferCase> cases;
    for (const Flags bits : kBufferUsages) cases.push_back({.usage = bits, .table = {}, .not_supported = {}});
    return cases;
}

model::BufferSweep standard_buffer_sweep(std::uint64_t max_bytes) {
    model::BufferSweep sweep;
    sweep.sizes = buffer_sizes(max_bytes);
    sweep.cases = standard_buffer_cases();
    return sweep;
}

namespace {

// The bounds and the powers of two between them, ascending.
template <class Integer>
std::vector<Integer> representatives(Integer smallest, Integer largest) {
    std::vector<Integer> values{smallest};
    for (Integer power = 1; power < largest; power = static_cast<Integer>(power * 2)) {
        if (power > smallest) values.push_back(power);
        if (power > largest / 2) break;
    }
    if (largest > smallest) values.push_back(largest);
    return values;
}

bool has_point(const model::ImageSweep& sweep, const model::ImageDescription& image) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&image](const model::ImagePoint& point) { return point.description == image; });
}

bool has_point(const model::BufferSweep& sweep, const model::BufferDescription& buffer) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&buffer](const model::BufferPoint& point) { return point.description == buffer; });
}

}  // namespace

model::ImageCase case_of(const model::ImageHint& hint) {
    return {.format = hint.format,
            .tiling = hint.tiling,
            .dimension = hint.depth ? model::ImageDimension::k3d : model::ImageDimension::k2d,
            .usage = hint.usage,
            .full_mips = hint.full_mips,
            .array_layers = hint.array_layers,
            .samples = hint.samples,
            .table = {},
            .not_supported = {},
            .depth = hint.depth,
            .mip_levels = hint.mip_levels,
            .flags = hint.flags};
}

model::BufferCase case_of(const model::BufferHint& hint) {
    return {.usage = hint.usage, .table = {}, .not_supported = {}};
}

std::vector<Extent> points_of(const model::ImageHint& hint) {
    std::vector<Extent> extents = hint.extents;
    if (extents.empty()) {
        const std::vector<std::uint32_t> sides = representatives(hint.smallest_side, hint.largest_side);
        for (const std::uint32_t width : sides) {
            for (const std::uint32_t height : sides) extents.push_back({width, height});
        }
    }
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    return extents;
}

std::vector<std::uint64_t> points_of(const model::BufferHint& hint) {
    return representatives(hint.smallest_bytes, hint.largest_bytes);
}

bool answers(const model::ImageSweep& sweep, const model::ImageDescription& image) {
    return has_point(sweep, image) || find_requirements(sweep, image);
}

bool answers(const model::BufferSweep& sweep, const model::BufferDescription& buffer) {
    return has_point(sweep, buffer) || find_requirements(sweep, buffer);
}

}  // namespace heapwright::probe
