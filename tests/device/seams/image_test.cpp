// Of the seams alone: each backend's test program compiles this file with its own opened_device.hpp.
#include <algorithm>
#include <bit>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/checked.hpp"
#include "device/image_planes.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::Work;
using model::Format;
using model::ImageDescription;

struct Part {
    device::ImageSubresource subresource;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
};

// Every subresource of an image, laid out one after the other in a buffer; of a combined format the depth alone where
// the device copies no stencil.
std::vector<Part> layout_of(const ImageDescription& image, bool copies_stencil, std::uint64_t& total_bytes) {
    std::vector<Part> parts;
    total_bytes = 0;
    for (std::uint32_t layer = 0; layer < image.array_layers; ++layer) {
        for (std::uint32_t mip = 0; mip < image.mip_levels; ++mip) {
            for (const bool stencil : {false, true}) {
                if (stencil && !(model::info(image.format).has_stencil && copies_stencil)) continue;
                const std::uint64_t bytes = packed_bytes(image, mip, stencil);
                parts.push_back({.subresource = {.mip_level = mip, .array_layer = layer, .stencil_aspect = stencil},
                                 .offset_bytes = total_bytes,
                                 .size_bytes = bytes});
                total_bytes += align_up(bytes, 16);
            }
        }
    }
    return parts;
}

// Bytes that every format can hold unchanged: no NaN in floats, depth between 0 and 1.
void write_pattern(std::span<std::byte> bytes, const ImageDescription& image, const std::vector<Part>& parts) {
    std::uint32_t seed = 1;
    const auto next = [&seed] {
        seed = seed * 1664525u + 1013904223u;
        return seed >> 8;
    };
    const Format format = image.format;
    for (const Part& part : parts) {
        const std::span<std::byte> target =
            bytes.subspan(static_cast<std::size_t>(part.offset_bytes), static_cast<std::size_t>(part.size_bytes));
        if (!part.subresource.stencil_aspect && (format == Format::kD32Sfloat || format == Format::kD32SfloatS8Uint)) {
            for (std::size_t i = 0; i + 4 <= target.size(); i += 4) {
                const float depth = static_cast<float>(next() % 4096) / 4096.0f;
                std::memcpy(target.data() + i, &depth, sizeof depth);
            }
        } else if (format == Format::kR16G16B16A16Sfloat) {
            for (std::size_t i = 0; i + 2 <= target.size(); i += 2) {
                const auto half = static_cast<std::uint16_t>(0x3c00 + next() % 0x400);  // 1 to 2
                std::memcpy(target.data() + i, &half, sizeof half);
            }
        } else {
            for (std::byte& byte : target) byte = static_cast<std::byte>(next());
        }
    }
}

bool equal_parts(std::span<const std::byte> a, std::span<const std::byte> b, const std::vector<Part>& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return std::memcmp(a.data() + part.offset_bytes, b.data() + part.offset_bytes,
                           static_cast<std::size_t>(part.size_bytes)) == 0;
    });
}

constexpr model::Flags kImageUsage =
    model::image_usage::kTransferSrc | model::image_usage::kTransferDst | model::image_usage::kSampled;

TEST_CASE("every mip level and layer of an image is written and read back", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    int tried = 0;
    for (const Format format :
         {Format::kR8G8B8A8Unorm, Format::kR8Unorm, Format::kR16G16B16A16Sfloat, Format::kR32G32B32A32Sfloat,
          Format::kD16Unorm, Format::kD32Sfloat, Format::kD32SfloatS8Uint, Format::kBc1RgbaUnormBlock,
          Format::kBc7UnormBlock, Format::kEtc2R8G8B8UnormBlock}) {
        INFO(model::info(format).name);
        const ImageDescription image{.format = format,
                                     .usage = kImageUsage,
                                     .width = 100,
                                     .height = 36,
                                     .mip_levels = model::full_mip_chain(100, 36),
                                     .array_layers = 3};
        if (const auto support = device->resources().requirements(image); !support) {
            CHECK(support.error().code == ErrorCode::kNotSupported);
            continue;
        }
        ++tried;
        std::uint64_t total_bytes = 0;
        const std::vector<Part> parts = layout_of(image, device::copies_stencil(device->facts()), total_bytes);
        const device::ResourceId upload = device.host_buffer(total_bytes);
        const device::ResourceId readback = device.host_buffer(total_bytes);
        const device::ResourceId first = device.dedicated(image);
        const device::ResourceId second = device.dedicated(image);
        write_pattern(device.bytes(upload), image, parts);

        std::vector<Work> work{
            device::FillBuffer{.buffer = readback, .size_bytes = align_down(total_bytes, 4), .value = 0xcccccccc}};
        for (const Part& part : parts) {
            work.emplace_back(device::CopyBufferToImage{.buffer = upload,
                                                        .image = first,
                                                        .buffer_offset_bytes = part.offset_bytes,
                                                        .subresource = part.subresource});
        }
        work.emplace_back(device::CopyImage{.source = first, .destination = second});
        for (const Part& part : parts) {
            work.emplace_back(device::CopyImageToBuffer{.image = second,
                                                        .buffer = readback,
                                                        .buffer_offset_bytes = part.offset_bytes,
                                                        .subresource = part.subresource});
        }
        device.run(work);
        CHECK(equal_parts(device.bytes(upload), device.bytes(readback), parts));
        for (const device::ResourceId resource : {upload, readback, first, second}) {
            device->resources().destroy(resource);
        }
    }
    CHECK(tried >= 6);
    device.close();
}

TEST_CASE("rows of an image are written apart, in any order, and change no others", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    for (const Format format : {Format::kR8G8B8A8Unorm, Format::kR32G32B32A32Sfloat, Format::kBc1RgbaUnormBlock}) {
        INFO(model::info(format).name);
        // The last row of blocks sticks out of both levels.
        const ImageDescription image{
            .format = format, .usage = kImageUsage, .width = 100, .height = 37, .mip_levels = 2, .array_layers = 2};
        if (!device->resources().requirements(image)) continue;
        std::uint64_t total_bytes = 0;
        const std::vector<Part> parts = layout_of(image, false, total_bytes);
        const device::ResourceId upload = device.host_buffer(total_bytes);
        const device::ResourceId readback = device.host_buffer(total_bytes);
        const device::ResourceId resource = device.dedicated(image);
        write_pattern(device.bytes(upload), image, parts);
        std::vector<Work> work{
            device::FillBuffer{.buffer = readback, .size_bytes = align_down(total_bytes, 4), .value = 0xcccccccc}};
        for (const Part& part : parts) {
            const std::uint32_t rows = device::block_rows(image, part.subresource.mip_level);
            constexpr std::uint32_t kBand = 5;
            for (std::uint32_t first = (rows - 1) / kBand * kBand;; first -= kBand) {
                const std::uint32_t count = std::min(kBand, rows - first);
                work.emplace_back(
                    device::CopyBufferToImage{.buffer = upload,
                                              .image = resource,
                                              .buffer_offset_bytes = part.offset_bytes + part.size_bytes / rows * first,
                                              .subresource = part.subresource,
                                              .rows = {.first = first, .count = count}});
                if (first == 0) break;
            }
        }
        for (const Part& part : parts) {
            work.emplace_back(device::CopyImageToBuffer{.image = resource,
                                                        .buffer = readback,
                                                        .buffer_offset_bytes = part.offset_bytes,
                                                        .subresource = part.subresource});
        }
        device.run(work);
        CHECK(equal_parts(device.bytes(upload), device.bytes(readback), parts));
        const auto refused = [&](device::BlockRows rows) {
            const Work beyond = device::CopyBufferToImage{.buffer = upload, .image = resource, .rows = rows};
            const Status status = device->submitter().submit({.work = {&beyond, 1}});
            return !status && status.error().code == ErrorCode::kOutOfRange;
        };
        CHECK(refused({.first = device::block_rows(image, 0), .count = 1}));
        CHECK(refused({.first = ~0u, .count = 2}));
        for (const device::ResourceId id : {upload, readback, resource}) device->resources().destroy(id);
    }
    device.close();
}

TEST_CASE("3D images, and linear ones where there are any, are written and read back", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    std::vector<ImageDescription> images{
        {.dimension = model::ImageDimension::k3d,
         .usage = kImageUsage,
         .width = 20,
         .height = 12,
         .depth = 9,
         .mip_levels = 3},
    };
    if (kHasLinearImages) {
        images.push_back({.tiling = model::ImageTiling::kLinear, .usage = kImageUsage, .width = 33, .height = 17});
    }
    for (const ImageDescription& image : images) {
        std::uint64_t total_bytes = 0;
        const std::vector<Part> parts = layout_of(image, device::copies_stencil(device->facts()), total_bytes);
        const device::ResourceId resources[] = {device.host_buffer(total_bytes), device.host_buffer(total_bytes),
                                                device.dedicated(image)};
        write_pattern(device.bytes(resources[0]), image, parts);
        for (const Part& part : parts) {
            const Work work[] = {device::CopyBufferToImage{.buffer = resources[0],
                                                           .image = resources[2],
                                                           .buffer_offset_bytes = part.offset_bytes,
                                                           .subresource = part.subresource},
                                 device::CopyImageToBuffer{.image = resources[2],
                                                           .buffer = resources[1],
                                                           .buffer_offset_bytes = part.offset_bytes,
                                                           .subresource = part.subresource}};
            device.run(work);
        }
        CHECK(equal_parts(device.bytes(resources[0]), device.bytes(resources[1]), parts));
        for (const device::ResourceId resource : resources) device->resources().destroy(resource);
    }
    device.close();
}

TEST_CASE("an image placed beside others keeps its bytes", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const ImageDescription image{.usage = kImageUsage, .width = 128, .height = 128};
    const auto requirements = device->resources().requirements(image);
    REQUIRE(requirements);
    const auto type = device.memory_type(requirements->memory_type_bits, 0);
    REQUIRE(type);
    constexpr std::uint32_t kCount = 8;
    const std::uint64_t stride = align_up(requirements->size_bytes, requirements->alignment_bytes);
    const auto memory = device->memory().allocate({.memory_type = *type, .size_bytes = stride * kCount});
    REQUIRE(memory);
    std::uint64_t bytes_each = 0;
    static_cast<void>(layout_of(image, true, bytes_each));
    const device::ResourceId readback = device.host_buffer(bytes_each * kCount);
    std::vector<device::ResourceId> images;
    std::vector<Work> work;
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const auto placed = device->resources().create_placed(image, *memory, stride * i);
        REQUIRE(placed);
        images.push_back(*placed);
        const auto channel = std::bit_cast<std::uint32_t>(static_cast<float>(i + 1) / 255.0f);
        work.emplace_back(device::ClearImage{.image = *placed, .value = {channel, channel, channel, channel}});
    }
    for (std::uint32_t i = 0; i < kCount; ++i) {
        work.emplace_back(device::CopyImageToBuffer{
            .image = images[i], .buffer = readback, .buffer_offset_bytes = bytes_each * i, .subresource = {}});
    }
    device.run(work);
    const std::span<const std::byte> bytes = device.bytes(readback);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const auto part = bytes.subspan(static_cast<std::size_t>(bytes_each * i), static_cast<std::size_t>(bytes_each));
        CHECK(std::all_of(part.begin(), part.end(),
                          [i](std::byte byte) { return std::to_integer<std::uint32_t>(byte) == i + 1; }));
    }
    for (const device::ResourceId resource : images) device->resources().destroy(resource);
    device->resources().destroy(readback);
    device->memory().free(*memory);
    device.close();
}

TEST_CASE("colour, integer and depth clears read back as their values", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    struct Clear {
        Format format;
        std::array<std::uint32_t, 4> value;
        std::uint32_t expected;  // first word of the image
    };
    const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
    const std::uint32_t half = std::bit_cast<std::uint32_t>(0.5f);
    for (const Clear& clear : {Clear{Format::kR8G8B8A8Unorm, {one, 0, one, one}, 0xffff00ff},
                               Clear{Format::kR32Uint, {0x12345678, 0, 0, 0}, 0x12345678},
                               Clear{Format::kD32Sfloat, {half, 0, 0, 0}, half}}) {
        INFO(model::info(clear.format).name);
        const ImageDescription image{
            .format = clear.format, .usage = kImageUsage, .width = 16, .height = 16, .mip_levels = 2};
        const device::ResourceId resources[] = {device.dedicated(image), device.host_buffer(16 * 16 * 4)};
        for (const std::uint32_t mip : {0u, 1u}) {
            const Work work[] = {device::ClearImage{.image = resources[0], .value = clear.value},
                                 device::CopyImageToBuffer{.image = resources[0],
                                                           .buffer = resources[1],
                                                           .buffer_offset_bytes = 0,
                                                           .subresource = {.mip_level = mip}}};
            device.run(work);
            const auto bytes = device.bytes(resources[1]);
            const std::size_t count = mip == 0 ? 256 : 64;
            std::size_t right = 0;
            for (std::size_t i = 0; i < count; ++i) {
                std::uint32_t word = 0;
                std::memcpy(&word, bytes.data() + i * 4, sizeof word);
                if (word == clear.expected) ++right;
            }
            CHECK(right == count);
        }
        for (const device::ResourceId resource : resources) device->resources().destroy(resource);
    }
    device.close();
}

TEST_CASE("a multisampled image is cleared", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    const ImageDescription image{
        .usage = kImageUsage | model::image_usage::kColorAttachment, .width = 64, .height = 64, .samples = 4};
    const device::ResourceId resources[] = {device.dedicated(image), device.host_buffer(64 * 64 * 4)};
    const Work clear = device::ClearImage{.image = resources[0], .value = {}};
    device.run(std::span(&clear, 1));
    const Work copy = device::CopyImageToBuffer{.image = resources[0], .buffer = resources[1]};
    const Status refused =
        device->submitter().submit({.engine = {}, .waits = {}, .work = std::span(&copy, 1), .signals = {}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
    device.close(resources);
}

}  // namespace
}  // namespace heapwright::test
