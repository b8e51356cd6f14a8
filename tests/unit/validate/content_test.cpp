#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "validate/content_driver.hpp"

namespace heapwright::validate {
namespace {

model::ImageDescription depth_stencil(std::uint32_t side) {
    namespace usage = model::image_usage;
    return {.format = model::Format::kD24UnormS8Uint,
            .usage = usage::kTransferSrc | usage::kTransferDst | usage::kDepthStencilAttachment,
            .width = side,
            .height = side,
            .mip_levels = 1,
            .array_layers = 2};
}

std::ptrdiff_t stencils(const Content& content) {
    return std::count_if(content.parts.begin(), content.parts.end(),
                         [](const ContentPart& part) { return part.subresource.stencil_aspect; });
}

// Of 64 texels a side it is written by copies, of 2048 by a clear.
TEST_CASE("a stencil is part of an image's content where the device copies it", "[unit]") {
    for (const std::uint32_t side : {64u, 2048u}) {
        INFO(side);
        CopyLimits limits{.largest_upload_bytes = 1 << 20, .largest_readback_bytes = 64 << 20};
        const Content whole = content_of(depth_stencil(side), 1, 2, limits);
        CHECK(whole.clear.has_value() == (side == 2048));
        CHECK(whole.parts.size() == 4);
        CHECK(stencils(whole) == 2);

        limits.stencil = false;
        const Content depth = content_of(depth_stencil(side), 1, 2, limits);
        CHECK(depth.is_verifiable);
        CHECK(depth.clear.has_value() == whole.clear.has_value());
        CHECK(depth.parts.size() == 2);
        CHECK(stencils(depth) == 0);
    }
}

}  // namespace
}  // namespace heapwright::validate
