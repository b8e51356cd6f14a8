#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "device/image_planes.hpp"
#include "opened_device.hpp"

namespace heapwright::test {
namespace {

using device::Work;
using model::Format;
using model::ImageDescription;

TEST_CASE("a stencil that vkd3d would take for another array layer is not copied", "[device]") {
    OpenedDevice device(GENERATE(from_range(kDrivers)));
    CHECK_FALSE(device::copies_stencil(device->facts()));
    constexpr model::Flags kUsage = model::image_usage::kTransferSrc | model::image_usage::kTransferDst |
                                    model::image_usage::kDepthStencilAttachment;
    const ImageDescription image{.format = Format::kD24UnormS8Uint, .usage = kUsage, .width = 64, .height = 64};
    const device::ResourceId buffer = device.host_buffer(64 * 64 * 4);
    const device::ResourceId texture = device.dedicated(image);
    const auto code_of = [&](const Work& work) {
        const Status status =
            device->submitter().submit({.engine = {0}, .waits = {}, .work = std::span(&work, 1), .signals = {}});
        REQUIRE_FALSE(status);
        INFO(to_string(status.error()));
        return status.error().code;
    };
    const device::ImageSubresource stencil{.stencil_aspect = true};
    CHECK(code_of(device::CopyBufferToImage{.buffer = buffer, .image = texture, .subresource = stencil}) ==
          ErrorCode::kNotSupported);
    CHECK(code_of(device::CopyImageToBuffer{.image = texture, .buffer = buffer, .subresource = stencil}) ==
          ErrorCode::kNotSupported);
    const Work depth[] = {device::ClearImage{.image = texture},
                          device::CopyBufferToImage{.buffer = buffer, .image = texture},
                          device::CopyImageToBuffer{.image = texture, .buffer = buffer}};
    device.run(depth);
    for (const device::ResourceId resource : {buffer, texture}) device->resources().destroy(resource);
    device.close();
}

}  // namespace
}  // namespace heapwright::test
