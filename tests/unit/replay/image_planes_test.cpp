#include <catch2/catch_test_macros.hpp>

#include <bit>

#include "device/image_planes.hpp"

using namespace heapwright;
using namespace heapwright::device;
using model::Format;

namespace {

std::uint64_t cleared(Format format, float r, float g = 0, float b = 0, float a = 0, bool stencil = false) {
    const auto texel = clear_texel(format,
                                   {std::bit_cast<std::uint32_t>(r), std::bit_cast<std::uint32_t>(g),
                                    std::bit_cast<std::uint32_t>(b), std::bit_cast<std::uint32_t>(a)},
                                   stencil);
    REQUIRE(texel);
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < texel->size && i < 8; ++i) {
        value |= std::to_integer<std::uint64_t>(texel->bytes[i]) << (8 * i);
    }
    return value;
}

}  // namespace

// Expected encodings are worked out by hand from the Vulkan specification's format definitions.
TEST_CASE("a clear writes the format's own encoding") {
    CHECK(cleared(Format::kR8Unorm, 0.5f) == 0x80);
    CHECK(cleared(Format::kR8Unorm, 2.0f) == 0xFF);
    CHECK(cleared(Format::kR8Unorm, -1.0f) == 0x00);
    CHECK(cleared(Format::kR8G8B8A8Unorm, 1.0f, 0.0f, 0.2f, 1.0f) == 0xFF3300FF);
    CHECK(cleared(Format::kB8G8R8A8Unorm, 1.0f, 0.0f, 0.2f, 1.0f) == 0xFFFF0033);
    CHECK(cleared(Format::kR8G8B8A8Srgb, 0.5f, 0.0f, 1.0f, 0.5f) == 0x80FF00BC);
    CHECK(cleared(Format::kA2B10G10R10UnormPack32, 1.0f, 0.0f, 1.0f, 1.0f) == 0xFFF003FF);
    CHECK(cleared(Format::kB10G11R11UfloatPack32, 1.0f, 1.0f, 1.0f) == (0x3C0u | 0x3C0u << 11 | 0x1E0u << 22));
    CHECK(cleared(Format::kR16Sfloat, 1.0f) == 0x3C00);
    CHECK(cleared(Format::kR16Sfloat, -2.0f) == 0xC000);
    CHECK(cleared(Format::kR16Sfloat, 65504.0f) == 0x7BFF);
    CHECK(cleared(Format::kR16Sfloat, 1.0e6f) == 0x7C00);
    CHECK(cleared(Format::kR16Sfloat, 0x1.0p-24f) == 0x0001);
    CHECK(cleared(Format::kR16Sfloat, 0x1.0p-14f) == 0x0400);
    CHECK(cleared(Format::kR16Sfloat, 0x1.FFFp-1f) == 0x3C00);
    CHECK(cleared(Format::kR16G16B16A16Sfloat, 1.0f, 0.0f, 0.5f, 1.0f) == 0x3C0038000000'3C00ull);
    CHECK(cleared(Format::kR32Sfloat, 1.0f) == 0x3F800000);
    CHECK(cleared(Format::kD16Unorm, 1.0f) == 0xFFFF);
    CHECK(cleared(Format::kD32Sfloat, 0.5f) == 0x3F000000);
    CHECK(cleared(Format::kD32SfloatS8Uint, 0.0f, std::bit_cast<float>(0xABu), 0, 0, true) == 0xAB);
    CHECK_FALSE(clear_texel(Format::kBc7UnormBlock, {}, false));
    CHECK_FALSE(clear_texel(Format::kD32Sfloat, {}, true));
}

TEST_CASE("planes tile the image without a gap and fit its packed size, for every format and shape") {
    for (const model::FormatInfo& format : model::all_formats()) {
        for (const std::uint32_t width : {1u, 7u, 64u, 130u}) {
            for (const std::uint32_t depth : {1u, 5u}) {
                const model::ImageDescription image{
                    .format = format.format,
                    .dimension = depth == 1 ? model::ImageDimension::k2d : model::ImageDimension::k3d,
                    .width = width,
                    .height = 33,
                    .depth = depth,
                    .mip_levels = model::full_mip_chain(width, 33, depth),
                    .array_layers = depth == 1 ? 3u : 1u};
                std::uint64_t offset = 0;
                for (const ImagePlane& plane : image_planes(image)) {
                    CHECK(plane.offset_bytes == offset);
                    offset += plane.size_bytes();
                }
                CHECK(offset == stored_size_bytes(image));
                CHECK(offset <= model::packed_size_bytes(image));
                CHECK_FALSE(image_plane(image, {.mip_level = image.mip_levels}));
                CHECK(image_plane(image, {.stencil_aspect = true}).has_value() == format.has_stencil);
            }
        }
    }
}
