#include "policy/resource_sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "contract/swept_requirements.hpp"
#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/largest_buffer.hpp"
#include "policy/left_out.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// "64x64: size_bytes 4096, alignment_bytes 64", or of a buffer's bytes in place of an extent.
std::string requirements_text(const model::MemoryRequirements& requirements, const std::string& of) {
    return fmt::format("{}: size_bytes {}, alignment_bytes {}", of, requirements.size_bytes,
                       requirements.alignment_bytes);
}

// No device known goes beyond these; they keep the packed size of a hint inside 64 bits where the limits are missing.
constexpr std::uint64_t kLargestSide = 1u << 17;
constexpr std::uint64_t kMostLayers = 1u << 16;

struct ImageLimit {
    std::string_view name;
    std::uint64_t value = 0;
};
// Direct3D 12 has no such limits to ask for: they are the same on feature level 11_0 and above.
// https://learn.microsoft.com/windows/win32/direct3d12/hardware-feature-levels
constexpr ImageLimit kD3d12Side{"D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION", 16'384};
constexpr ImageLimit kD3d12CubeSide{"D3D12_REQ_TEXTURECUBE_DIMENSION", 16'384};
constexpr ImageLimit kD3d12VolumeSide{"D3D12_REQ_TEXTURE3D_U_V_OR_W_DIMENSION", 2'048};
constexpr ImageLimit kD3d12Layers{"D3D12_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION", 2'048};
constexpr ImageLimit kD3d12Samples{"D3D12_MAX_MULTISAMPLE_SAMPLE_COUNT", 32};

// VkImageFormatProperties::sampleCounts: which limit the counts of an aspect of a format follow in a usage.
enum class Aspect : std::uint8_t { kColor, kIntegerColor, kDepth, kStencil };
struct SampleLimit {
    model::Flags usages;
    Aspect aspect;
    std::string_view name;
};
constexpr model::Flags kAttached = model::image_usage::kColorAttachment | model::image_usage::kDepthStencilAttachment;
constexpr SampleLimit kSampleLimits[] = {
    {kAttached, Aspect::kColor, "framebufferColorSampleCounts"},
    {kAttached, Aspect::kDepth, "framebufferDepthSampleCounts"},
    {kAttached, Aspect::kStencil, "framebufferStencilSampleCounts"},
    {model::image_usage::kSampled, Aspect::kColor, "sampledImageColorSampleCounts"},
    {model::image_usage::kSampled, Aspect::kIntegerColor, "sampledImageIntegerSampleCounts"},
    {model::image_usage::kSampled, Aspect::kDepth, "sampledImageDepthSampleCounts"},
    {model::image_usage::kSampled, Aspect::kStencil, "sampledImageStencilSampleCounts"},
    {model::image_usage::kStorage, Aspect::kColor, "storageImageSampleCounts"},
    {model::image_usage::kStorage, Aspect::kIntegerColor, "storageImageSampleCounts"},
};

bool has_aspect(const model::FormatInfo& format, Aspect aspect) {
    if (aspect == Aspect::kDepth) return format.has_depth;
    if (aspect == Aspect::kStencil) return format.has_stencil;
    return !format.is_depth_stencil() && format.name.ends_with("INT") == (aspect == Aspect::kIntegerColor);
}

model::ImageDimension dimension_of(const model::ImageHint& hint) {
    return hint.depth ? model::ImageDimension::k3d : model::ImageDimension::k2d;
}

bool is_own_case(const model::ImageCase& entry, const model::ImageHint& hint) {
    return entry.format == hint.format && entry.tiling == hint.tiling && entry.usage == hint.usage &&
           entry.dimension == dimension_of(hint) && entry.full_mips == hint.full_mips &&
           entry.array_layers == hint.array_layers && entry.samples == hint.samples && entry.depth == hint.depth &&
           entry.mip_levels == hint.mip_levels && entry.flags == hint.flags;
}

// Whether an image of the hint is one of the case that does more besides, so that a device without the case lacks it.
bool is_part(const model::ImageCase& entry, const model::ImageHint& hint) {
    const bool is_viewed_otherwise = (hint.flags & model::image_creation::kExtendedUsage) != 0;
    return entry.format == hint.format && entry.tiling == hint.tiling && (entry.usage & ~hint.usage) == 0 &&
           entry.dimension == dimension_of(hint) && (!entry.full_mips || hint.full_mips) &&
           entry.array_layers <= hint.array_layers && entry.samples == hint.samples && !entry.depth &&
           !entry.mip_levels && entry.flags == 0 && !is_viewed_otherwise;
}

// `error`: "VK_ERROR_FORMAT_NOT_SUPPORTED", or nothing.
model::Claim unsupported(const std::string& hint, const std::string& error) {
    return error.empty() ? claim<ClaimId::kUnsupported>(hint) : claim<ClaimId::kUnsupportedBy>(hint, error);
}

model::Claim unsupported_even(const std::string& hint, const model::ImageCase& entry) {
    const std::string_view format = model::info(entry.format).name;
    const std::string usage = model::flags_text(entry.usage, model::image_usage_names());
    if (entry.not_supported.empty()) return claim<ClaimId::kUnsupportedEven>(hint, format, usage);
    return claim<ClaimId::kUnsupportedEvenBy>(hint, format, usage, entry.not_supported);
}

struct PassedLimit {
    std::string_view name;
    std::uint64_t most = 0;
    bool of_any_device = false;  // the device states none
};

std::optional<PassedLimit> passed_limit(const Context& context, std::uint64_t value, model::FactName name,
                                        std::uint64_t most_of_any, const ImageLimit& of_d3d12) {
    const auto limit = find_limit(context, name);
    if (limit && value > limit->value) return PassedLimit{.name = name.text(), .most = limit->value};
    if (context.device.identity.api == model::Api::kD3d12 && value > of_d3d12.value)
        return PassedLimit{.name = of_d3d12.name, .most = of_d3d12.value};
    if (value > most_of_any) return PassedLimit{.name = name.text(), .most = most_of_any, .of_any_device = true};
    return std::nullopt;
}

template <ClaimId of_device, ClaimId of_any>
model::Claim beyond_claim(const std::string& what, std::uint64_t value, const PassedLimit& limit) {
    return limit.of_any_device ? claim<of_any>(what, model::count(value), limit.name, model::count(limit.most))
                               : claim<of_device>(what, model::count(value), limit.name, model::count(limit.most));
}

// How far a case is from a hint; nothing when it cannot stand for it.
std::optional<int> distance(const model::ImageCase& entry, const model::ImageHint& hint) {
    const model::FormatInfo& ours = model::info(entry.format);
    const model::FormatInfo& theirs = model::info(hint.format);
    if (!entry.table || entry.tiling != hint.tiling || entry.dimension != dimension_of(hint) ||
        ours.is_depth_stencil() != theirs.is_depth_stencil()) {
        return std::nullopt;
    }
    int far = std::popcount(entry.usage ^ hint.usage);
    if (entry.format != hint.format) far += 4;
    if (ours.block_bytes != theirs.block_bytes) far += 8;
    if (ours.is_compressed() != theirs.is_compressed()) far += 16;
    if (entry.samples != hint.samples) far += 12;
    if (entry.full_mips != (hint.full_mips || hint.mip_levels.value_or(1) > 1)) far += 6;
    if (entry.array_layers != hint.array_layers) far += 3;
    return far;
}

std::optional<std::size_t> nearest_case(const model::ImageSweep& sweep, const model::ImageHint& hint) {
    std::optional<std::size_t> best;
    int best_distance = 0;
    for (std::size_t index = 0; index < sweep.cases.size(); ++index) {
        const auto far = distance(sweep.cases[index], hint);
        if (far && (!best || *far < best_distance)) {
            best = index;
            best_distance = *far;
        }
    }
    return best;
}

// The grid's value next to `side`: the smallest that is not below it, or the largest that is not above it.
std::optional<std::uint32_t> next_side(const std::vector<std::uint32_t>& sides, std::uint32_t side, bool larger) {
    std::optional<std::uint32_t> best;
    for (const std::uint32_t candidate : sides) {
        if (larger ? candidate < side : candidate > side) continue;
        if (!best || (larger ? candidate < *best : candidate > *best)) best = candidate;
    }
    return best;
}

std::optional<std::size_t> next_point(const model::ImageGrid& grid, std::uint32_t width, std::uint32_t height,
                                      bool larger) {
    const auto grid_width = next_side(grid.widths, width, larger);
    const auto grid_height = next_side(grid.heights, height, larger);
    if (!grid_width || !grid_height) return std::nullopt;
    return grid.find(*grid_width, *grid_height);
}

}  // namespace

ImageSizer::ImageSizer(const Context& context, const model::ImageHint& hint, std::string name)
    : context_(context), hint_(hint), name_(std::move(name)) {
    const auto& cases = context.device.image_sweep.cases;
    const auto own = std::find_if(cases.begin(), cases.end(),
                                  [&hint](const model::ImageCase& entry) { return is_own_case(entry, hint); });
    if (own != cases.end()) {
        own_case_ = true;
        case_ = static_cast<std::size_t>(own - cases.begin());
        if (!own->table) why_not_ = unsupported(name_, own->not_supported);
    } else {
        const auto part = std::ranges::find_if(
            cases, [&hint](const model::ImageCase& entry) { return !entry.table && is_part(entry, hint); });
        if (part != cases.end()) why_not_ = unsupported_even(name_, *part);
        case_ = nearest_case(context.device.image_sweep, hint);
    }
    if (case_) tiles_ = contract::fit_tiles(context.device.image_sweep, cases[*case_]);
    dedicated_ = contract::fit_dedicated(context.device.image_sweep, model::describe(hint, 1, 1));
}

std::string ImageSizer::what(std::uint32_t width, std::uint32_t height) const {
    return fmt::format("{} ({} {}x{}{})", name_, model::info(hint_.format).name, width, height,
                       hint_.depth ? fmt::format("x{}", *hint_.depth) : "");
}

model::Statement ImageSizer::lacking(std::uint32_t width, std::uint32_t height) const {
    const model::FormatInfo& format = model::info(hint_.format);
    if (own_case_) return {};  // the device was asked
    const bool is_d3d12 = context_.device.identity.api == model::Api::kD3d12;
    constexpr std::string_view kPvrtc = "VK_IMG_format_pvrtc";
    if (format.name.starts_with("PVRTC") && (is_d3d12 || lacks_extension(context_.device, kPvrtc)))
        return claim<ClaimId::kUnservedWithoutExtension>(what(width, height), kPvrtc, format.name);
    if (hint_.samples == 1) return {};
    const auto above = [&](std::string_view limit, std::uint64_t most) {
        return claim<ClaimId::kUnservedSamples>(what(width, height), model::count(hint_.samples), limit,
                                                model::count(most));
    };
    if (is_d3d12 && hint_.samples > kD3d12Samples.value) return above(kD3d12Samples.name, kD3d12Samples.value);
    for (const SampleLimit& of_aspect : kSampleLimits) {
        if ((hint_.usage & of_aspect.usages) == 0 || !has_aspect(format, of_aspect.aspect)) continue;
        const auto limit = find_limit(context_, model::FactName::made(of_aspect.name));
        if (!limit || limit->value == 0 || (limit->value & hint_.samples) != 0) continue;
        return above(of_aspect.name, std::bit_floor(limit->value));
    }
    return {};
}

model::Statement ImageSizer::beyond_limit(std::uint32_t width, std::uint32_t height) const {
    if (model::Statement lacks = lacking(width, height); !lacks.empty()) return lacks;
    const std::uint32_t side = std::max({width, height, hint_.depth.value_or(1)});
    const bool is_cube = (hint_.flags & model::image_creation::kCubeCompatible) != 0;
    const auto passed_by_side = [&](model::FactName name, const ImageLimit& of_d3d12) {
        return passed_limit(context_, side, name, kLargestSide, of_d3d12);
    };
    const auto of_side = hint_.depth ? passed_by_side("maxImageDimension3D", kD3d12VolumeSide)
                         : is_cube   ? passed_by_side("maxImageDimensionCube", kD3d12CubeSide)
                                     : passed_by_side("maxImageDimension2D", kD3d12Side);
    if (of_side)
        return beyond_claim<ClaimId::kUnservedSide, ClaimId::kUnservedSideOfAny>(what(width, height), side, *of_side);
    const std::uint32_t layers = hint_.array_layers;
    const auto of_layers = passed_limit(context_, layers, "maxImageArrayLayers", kMostLayers, kD3d12Layers);
    if (!of_layers) return {};
    return beyond_claim<ClaimId::kUnservedLayers, ClaimId::kUnservedLayersOfAny>(what(width, height), layers,
                                                                                 *of_layers);
}

model::ImageDescription ImageSizer::description(std::uint32_t width, std::uint32_t height) const {
    return model::describe(hint_, width, height);
}

std::optional<SizedResource> ImageSizer::from_grid_point(const model::ImageDescription& image,
                                                         std::size_t point) const {
    const model::ImageSweep& sweep = context_.device.image_sweep;
    const model::ImageCase& entry = sweep.cases[*case_];
    const auto answer = answer_at(sweep.requirements, sweep.tables[*entry.table], point);
    if (!answer) return std::nullopt;

    const auto [width, height] = sweep.grid.point(point);
    SizedResource sized{.requirements = *answer};
    sized.evidence = context_.cite_device(fmt::format("/image_sweep/cases/{}", *case_),
                                          requirements_text(sized.requirements, fmt::format("{}x{}", width, height)));
    const model::ImageDescription swept = entry.description(width, height);
    const bool covers = width >= image.width && height >= image.height;
    if (own_case_ && width == image.width && height == image.height) {
        sized.source = SizeSource::kExact;
        return sized;
    }
    sized.source = own_case_ && covers ? SizeSource::kNextLarger : SizeSource::kScaled;
    sized.requirements = contract::between_swept_images(*answer, swept, image, tiles_, dedicated_);
    if (own_case_ && covers)
        sized.requirements.size_bytes = std::min(sized.requirements.size_bytes, answer->size_bytes);
    return sized;
}

std::optional<SizedResource> ImageSizer::from_grid(const model::ImageDescription& image) const {
    const model::ImageGrid& grid = context_.device.image_sweep.grid;
    for (const auto& point : {grid.find(image.width, image.height), next_point(grid, image.width, image.height, true),
                              next_point(grid, image.width, image.height, false)}) {
        if (!point) continue;
        if (auto sized = from_grid_point(image, *point)) return sized;
    }
    return std::nullopt;
}

std::optional<SizedResource> ImageSizer::size(std::uint32_t width, std::uint32_t height) const {
    const model::ImageDescription image = description(width, height);
    const auto& points = context_.device.image_sweep.points;
    for (std::size_t index = 0; index < points.size(); ++index) {
        if (points[index].description != image) continue;
        if (!points[index].requirements) return std::nullopt;
        return SizedResource{.requirements = *points[index].requirements,
                             .evidence = context_.cite_device(
                                 fmt::format("/image_sweep/points/{}", index),
                                 requirements_text(*points[index].requirements, fmt::format("{}x{}", width, height)))};
    }
    if (!why_not_.empty() || !beyond_limit(width, height).empty()) return std::nullopt;
    if (case_) return from_grid(image);

    return SizedResource{.requirements = contract::assumed_requirements(context_.device, image),
                         .source = SizeSource::kAssumed,
                         .evidence = context_.cite_device("/image_sweep/cases", "none")};
}

BufferSizer::BufferSizer(const Context& context, const model::BufferHint& hint, const std::string& name)
    : context_(context), hint_(hint), limit_(find_buffer_limit(context)) {
    const auto& cases = context.device.buffer_sweep.cases;
    std::optional<int> best;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        if (cases[index].usage == hint.usage) {
            own_case_ = true;
            case_ = index;
            if (!cases[index].table) why_not_ = unsupported(name, cases[index].not_supported);
            return;
        }
        const int far = std::popcount(cases[index].usage ^ hint.usage);
        if (cases[index].table && (!best || far < *best)) {
            best = far;
            case_ = index;
        }
    }
}

std::optional<model::ExceededLimit> BufferSizer::beyond_limit(std::uint64_t size_bytes) const {
    if (!limit_ || size_bytes <= limit_->bytes) return std::nullopt;
    return model::ExceededLimit{.limit = limit_->name, .limit_bytes = limit_->bytes, .size_bytes = size_bytes};
}

bool BufferSizer::refuses(std::uint64_t size_bytes) const {
    return !why_not_.empty() || size_bytes == 0 || (limit_ && size_bytes > limit_->bytes);
}

std::optional<SizedResource> BufferSizer::size(std::uint64_t size_bytes) const {
    const model::BufferSweep& sweep = context_.device.buffer_sweep;
    if (refuses(size_bytes)) return std::nullopt;
    for (std::size_t index = 0; index < sweep.points.size(); ++index) {
        const model::BufferPoint& point = sweep.points[index];
        if (point.description != model::BufferDescription{.size_bytes = size_bytes, .usage = hint_.usage}) continue;
        if (!point.requirements) return std::nullopt;
        return SizedResource{
            .requirements = *point.requirements,
            .evidence = context_.cite_device(fmt::format("/buffer_sweep/points/{}", index),
                                             requirements_text(*point.requirements, std::to_string(size_bytes)))};
    }
    if (!case_) {
        return SizedResource{
            .requirements = contract::assumed_requirements(
                context_.device, model::BufferDescription{.size_bytes = size_bytes, .usage = hint_.usage}),
            .source = SizeSource::kAssumed,
            .evidence = context_.cite_device("/buffer_sweep/cases", "none")};
    }

    const model::SweepTable& table = sweep.tables[*sweep.cases[*case_].table];
    // The first size that holds the buffer, else the largest one answered.
    std::uint64_t grid_size = 0;
    std::optional<model::MemoryRequirements> chosen;
    for (std::size_t index = 0; index < sweep.sizes.size() && grid_size < size_bytes; ++index) {
        const auto answer = answer_at(sweep.requirements, table, index);
        if (!answer) continue;
        chosen = answer;
        grid_size = sweep.sizes[index];
    }
    if (!chosen) return std::nullopt;

    SizedResource sized{.requirements = *chosen};
    sized.evidence = context_.cite_device(fmt::format("/buffer_sweep/cases/{}", *case_),
                                          requirements_text(sized.requirements, std::to_string(grid_size)));
    sized.requirements = contract::between_swept_sizes(sized.requirements, grid_size, size_bytes);
    sized.source = !own_case_                ? SizeSource::kScaled
                   : grid_size == size_bytes ? SizeSource::kExact
                   : grid_size > size_bytes  ? SizeSource::kNextLarger
                                             : SizeSource::kScaled;
    return sized;
}

}  // namespace heapwright::policy
