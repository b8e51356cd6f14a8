// Clears by views (render targets, depth stencils) and by copies, of every mip level, layer and slice.
#include <bit>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "d3d12/resource_description.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::Work;
using model::Format;
using model::ImageDescription;
namespace usage = model::image_usage;

constexpr model::Flags kCopied = usage::kTransferSrc | usage::kTransferDst;

// The first word of every texel in every subresource, by a copy each.
std::size_t words_unlike(OpenedDevice& device, device::ResourceId image, const ImageDescription& description,
                         std::uint32_t expected, std::size_t& looked_at) {
    const device::ResourceId buffer = device.host_buffer(d3d12::plane_layout(description, 0, false).packed_bytes());
    std::size_t wrong = 0;
    for (std::uint32_t layer = 0; layer < description.array_layers; ++layer) {
        for (std::uint32_t mip = 0; mip < description.mip_levels; ++mip) {
            const Work copy = device::CopyImageToBuffer{
                .image = image, .buffer = buffer, .subresource = {.mip_level = mip, .array_layer = layer}};
            device.run(std::span(&copy, 1));
            const std::uint64_t bytes = d3d12::plane_layout(description, mip, false).packed_bytes();
            const std::span<const std::byte> mapped = device.bytes(buffer);
            for (std::uint64_t at = 0; at < bytes; at += 4, ++looked_at) {
                std::uint32_t word = 0;
                std::memcpy(&word, mapped.data() + at, sizeof word);
                if (word != expected) ++wrong;
            }
        }
    }
    device->resources().destroy(buffer);
    return wrong;
}

TEST_CASE("clears reach every mip level, layer and slice", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
    const std::uint32_t half = std::bit_cast<std::uint32_t>(0.5f);
    struct Case {
        ImageDescription image;
        std::array<std::uint32_t, 4> value;
        std::uint32_t expected;
    };
    const Case cases[] = {
        // By a view.
        {{.usage = kCopied | usage::kColorAttachment, .width = 60, .height = 28, .mip_levels = 5, .array_layers = 3},
         {one, 0, one, one},
         0xffff00ff},
        {{.format = Format::kB8G8R8A8Unorm, .usage = kCopied | usage::kColorAttachment, .width = 33, .height = 9},
         {one, 0, 0, one},
         0xffff0000},
        {{.dimension = model::ImageDimension::k3d,
          .usage = kCopied | usage::kColorAttachment,
          .width = 16,
          .height = 16,
          .depth = 8,
          .mip_levels = 2},
         {0, one, 0, one},
         0xff00ff00},
        {{.format = Format::kD32Sfloat,
          .usage = kCopied | usage::kDepthStencilAttachment,
          .width = 40,
          .height = 24,
          .mip_levels = 2,
          .array_layers = 2},
         {half, 0, 0, 0},
         half},
        {{.format = Format::kD32Sfloat,
          .usage = kCopied | usage::kDepthStencilAttachment | usage::kSampled,
          .width = 40,
          .height = 24},
         {half, 0, 0, 0},
         half},
        // By copies, in several bands where the level is larger than one.
        {{.usage = kCopied, .width = 1000, .height = 700, .mip_levels = 3}, {one, 0, one, one}, 0xffff00ff},
        {{.format = Format::kR32Uint, .usage = kCopied | usage::kColorAttachment, .width = 65, .height = 3},
         {0xfedcba98, 0, 0, 0},
         0xfedcba98},
        {{.dimension = model::ImageDimension::k3d, .usage = kCopied, .width = 20, .height = 12, .depth = 9},
         {0, 0, one, one},
         0xffff0000},
    };
    for (const Case& entry : cases) {
        INFO(model::info(entry.image.format).name << " usage " << entry.image.usage << " " << entry.image.width);
        const device::ResourceId image = device.dedicated(entry.image);
        const Work work[] = {device::ClearImage{.image = image, .value = {half, half, half, half}},
                             device::ClearImage{.image = image, .value = entry.value}};
        device.run(work);
        std::size_t looked_at = 0;
        CHECK(words_unlike(device, image, entry.image, entry.expected, looked_at) == 0);
        CHECK(looked_at >= entry.image.width * entry.image.height);
        device->resources().destroy(image);
    }
    device.close();
}

TEST_CASE("a compute queue clears by copies, a copy queue not at all", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
    const ImageDescription description{
        .usage = kCopied | usage::kColorAttachment, .width = 64, .height = 64, .mip_levels = 2};
    const device::ResourceId image = device.dedicated(description);
    const Work clear = device::ClearImage{.image = image, .value = {one, one, 0, one}};
    device.run(std::span(&clear, 1), {1});
    std::size_t looked_at = 0;
    CHECK(words_unlike(device, image, description, 0xff00ffff, looked_at) == 0);
    const Status refused =
        device->submitter().submit({.engine = {2}, .waits = {}, .work = std::span(&clear, 1), .signals = {}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
    device.close(std::span(&image, 1));
}

}  // namespace
}  // namespace heapwright::test
