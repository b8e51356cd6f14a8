#include "device/image_planes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/checked.hpp"

namespace heapwright::device {
namespace {

using model::Format;

struct PlaneBytes {
    std::uint32_t main_stored;
    std::uint32_t main_copied;
    std::uint32_t stencil;
};

PlaneBytes plane_bytes(const model::FormatInfo& format) {
    if (!format.has_stencil) return {format.block_bytes, format.block_bytes, 0};
    if (format.format == Format::kD24UnormS8Uint) return {3, 4, 1};
    if (format.format == Format::kD16UnormS8Uint) return {2, 2, 1};
    if (!format.has_depth) return {0, 0, 1};
    return {4, 4, 1};
}

std::uint64_t texel_count(const model::ImageDescription& image, std::uint32_t level) {
    const model::FormatInfo& format = model::info(image.format);
    const std::uint64_t width = div_ceil(std::max(1u, image.width >> level), format.block_width);
    const std::uint64_t height = div_ceil(std::max(1u, image.height >> level), format.block_height);
    const std::uint64_t depth = std::max(1u, image.depth >> level);
    return width * height * depth * image.samples;
}

// Calls `visit(mip level, layer, main plane, stencil plane)`; a plane without bytes is absent.
template <class Visit>
std::uint64_t walk(const model::ImageDescription& image, Visit&& visit) {
    const PlaneBytes bytes = plane_bytes(model::info(image.format));
    std::uint64_t offset = 0;
    for (std::uint32_t layer = 0; layer < image.array_layers; ++layer) {
        for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
            const std::uint64_t texels = texel_count(image, level);
            const ImagePlane main{offset, texels, bytes.main_stored, bytes.main_copied};
            offset += main.size_bytes();
            const ImagePlane stencil{offset, texels, bytes.stencil, bytes.stencil};
            offset += stencil.size_bytes();
            visit(level, layer, main, stencil);
        }
    }
    return offset;
}

std::uint32_t unorm(std::uint32_t float_bits, std::uint32_t bits) {
    const float value = std::bit_cast<float>(float_bits);
    const double clamped = value > 0.0f ? std::min(static_cast<double>(value), 1.0) : 0.0;  // a NaN becomes 0
    return static_cast<std::uint32_t>(std::floor(clamped * static_cast<double>((1u << bits) - 1) + 0.5));
}

std::uint32_t srgb(std::uint32_t float_bits) {
    const double linear = std::clamp(static_cast<double>(std::bit_cast<float>(float_bits)), 0.0, 1.0);
    const double encoded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    return static_cast<std::uint32_t>(std::floor(encoded * 255.0 + 0.5));
}

// A float with 5 exponent bits and `mantissa_bits` of mantissa, no sign; rounds to nearest even, saturates to
// infinity. Source: IEEE 754 binary16 and the packed 10- and 11-bit formats of the Vulkan specification.
std::uint32_t small_float(double magnitude, std::uint32_t mantissa_bits) {
    const std::uint32_t infinity = 31u << mantissa_bits;
    if (std::isinf(magnitude)) return infinity;
    int exponent = 0;
    (void)std::frexp(magnitude, &exponent);
    const int scale_exponent = std::max(exponent - 1, -14) - static_cast<int>(mantissa_bits);
    const double scaled = std::nearbyint(std::ldexp(magnitude, -scale_exponent));
    if (magnitude == 0.0 || scaled == 0.0) return 0;
    // The hidden bit adds one to the exponent field; a subnormal has none, and a carry moves into the exponent.
    const std::uint32_t biased = static_cast<std::uint32_t>(std::max(exponent - 1, -14) + 14);
    const std::uint32_t encoded = (biased << mantissa_bits) + static_cast<std::uint32_t>(scaled);
    return std::min(encoded, infinity);
}

std::uint32_t half(std::uint32_t float_bits) {
    const float value = std::bit_cast<float>(float_bits);
    const std::uint32_t sign = (float_bits >> 31) << 15;
    if (std::isnan(value)) return sign | 0x7E00u;
    return sign | small_float(std::abs(static_cast<double>(value)), 10);
}

std::uint32_t unsigned_float(std::uint32_t float_bits, std::uint32_t mantissa_bits) {
    const float value = std::bit_cast<float>(float_bits);
    if (std::isnan(value)) return (63u << (mantissa_bits - 1));
    return value > 0.0f ? small_float(static_cast<double>(value), mantissa_bits) : 0;
}

void append(ClearTexel& texel, std::uint32_t word, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) {
        texel.bytes[texel.size++] = static_cast<std::byte>((word >> (8 * i)) & 0xFFu);
    }
}

}  // namespace

std::optional<ImagePlane> image_plane(const model::ImageDescription& image, const ImageSubresource& subresource) {
    std::optional<ImagePlane> found;
    walk(image, [&](std::uint32_t level, std::uint32_t layer, const ImagePlane& main, const ImagePlane& stencil) {
        if (level != subresource.mip_level || layer != subresource.array_layer) return;
        const ImagePlane& plane = subresource.stencil_aspect ? stencil : main;
        if (plane.texel_bytes != 0) found = plane;
    });
    return found;
}

std::uint64_t copied_bytes(const model::ImageDescription& image, const ImageSubresource& subresource) {
    const PlaneBytes bytes = plane_bytes(model::info(image.format));
    return texel_count(image, subresource.mip_level) * (subresource.stencil_aspect ? bytes.stencil : bytes.main_copied);
}

std::uint32_t block_rows(const model::ImageDescription& image, std::uint32_t mip_level) {
    return static_cast<std::uint32_t>(
        div_ceil(std::max(1u, image.height >> mip_level), model::info(image.format).block_height));
}

bool takes_rows(const model::ImageDescription& image, std::uint32_t mip_level, EngineKind engine) {
    return engine != EngineKind::kCopy && !model::info(image.format).is_depth_stencil() && image.samples == 1 &&
           image.depth >> mip_level <= 1;
}

std::uint64_t bytes_copied_by(const model::ImageDescription& image, const CopyBufferToImage& copy) {
    const std::uint64_t all = copied_bytes(image, copy.subresource);
    return copy.rows.count == 0 ? all : all / block_rows(image, copy.subresource.mip_level) * copy.rows.count;
}

std::uint64_t bytes_skipped_by(const model::ImageDescription& image, const CopyBufferToImage& copy) {
    return copied_bytes(image, copy.subresource) / block_rows(image, copy.subresource.mip_level) * copy.rows.first;
}

std::vector<ImagePlane> image_planes(const model::ImageDescription& image) {
    std::vector<ImagePlane> planes;
    walk(image, [&](std::uint32_t, std::uint32_t, const ImagePlane& main, const ImagePlane& stencil) {
        planes.push_back(main);
        if (stencil.texel_bytes != 0) planes.push_back(stencil);
    });
    return planes;
}

std::uint64_t stored_size_bytes(const model::ImageDescription& image) {
    return walk(image, [](std::uint32_t, std::uint32_t, const ImagePlane&, const ImagePlane&) {});
}

std::optional<ClearTexel> clear_texel(Format format, const std::array<std::uint32_t, 4>& value, bool stencil_aspect) {
    const model::FormatInfo& facts = model::info(format);
    ClearTexel texel;
    if (stencil_aspect) {
        if (!facts.has_stencil) return std::nullopt;
        append(texel, value[1], 1);
        return texel;
    }
    switch (format) {
        case Format::kR8Unorm: append(texel, unorm(value[0], 8), 1); break;
        case Format::kR8G8Unorm:
            for (std::size_t i = 0; i < 2; ++i) append(texel, unorm(value[i], 8), 1);
            break;
        case Format::kR8G8B8A8Unorm:
            for (const std::uint32_t channel : value) append(texel, unorm(channel, 8), 1);
            break;
        case Format::kR8G8B8A8Srgb:
            for (std::size_t i = 0; i < 3; ++i) append(texel, srgb(value[i]), 1);
            append(texel, unorm(value[3], 8), 1);
            break;
        case Format::kB8G8R8A8Unorm:
            for (const std::size_t i : {2u, 1u, 0u, 3u}) append(texel, unorm(value[i], 8), 1);
            break;
        case Format::kA2B10G10R10UnormPack32:
            append(
                texel,
                unorm(value[0], 10) | unorm(value[1], 10) << 10 | unorm(value[2], 10) << 20 | unorm(value[3], 2) << 30,
                4);
            break;
        case Format::kB10G11R11UfloatPack32:
            append(texel,
                   unsigned_float(value[0], 6) | unsigned_float(value[1], 6) << 11 | unsigned_float(value[2], 5) << 22,
                   4);
            break;
        case Format::kR16Sfloat: append(texel, half(value[0]), 2); break;
        case Format::kR16G16Sfloat:
            for (std::size_t i = 0; i < 2; ++i) append(texel, half(value[i]), 2);
            break;
        case Format::kR16G16B16A16Sfloat:
            for (const std::uint32_t channel : value) append(texel, half(channel), 2);
            break;
        case Format::kR32Uint:
        case Format::kR32Sfloat:
        case Format::kD32Sfloat:
        case Format::kD32SfloatS8Uint: append(texel, value[0], 4); break;
        case Format::kR32G32Sfloat:
            for (std::size_t i = 0; i < 2; ++i) append(texel, value[i], 4);
            break;
        case Format::kR32G32B32A32Sfloat:
            for (const std::uint32_t channel : value) append(texel, channel, 4);
            break;
        case Format::kD16Unorm: append(texel, unorm(value[0], 16), 2); break;
        case Format::kD24UnormS8Uint: append(texel, unorm(value[0], 24), 3); break;
        default: return std::nullopt;
    }
    return texel;
}

}  // namespace heapwright::device
