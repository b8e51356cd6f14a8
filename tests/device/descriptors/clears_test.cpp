// Clears through render target and depth stencil views reach the subresource that the view names, and no other.
#include <bit>

#include <catch2/catch_test_macros.hpp>

#include "cases.hpp"
#include "scene.hpp"

namespace heapwright::test {
namespace {

using device::DescriptorHeapKind;

constexpr model::Flags kTransfers = model::image_usage::kTransferSrc | model::image_usage::kTransferDst;

std::uint32_t first_texel(Scene& scene, device::ResourceId image, device::ResourceId buffer,
                          const device::ImageSubresource& part) {
    const device::Work copy = device::CopyImageToBuffer{.image = image, .buffer = buffer, .subresource = part};
    scene.run(std::span(&copy, 1));
    return scene.read(buffer, 0, 1).front();
}

constexpr std::array<std::uint32_t, 4> color(float r, float g, float b, float a) {
    return {std::bit_cast<std::uint32_t>(r), std::bit_cast<std::uint32_t>(g), std::bit_cast<std::uint32_t>(b),
            std::bit_cast<std::uint32_t>(a)};
}

TEST_CASE("a clear through a view reaches its mip level and layer alone", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        const auto target =
            scene.dedicated(model::ImageDescription{.usage = kTransfers | model::image_usage::kColorAttachment,
                                                    .width = 64,
                                                    .height = 32,
                                                    .mip_levels = 3,
                                                    .array_layers = 2});
        const auto depth =
            scene.dedicated(model::ImageDescription{.format = model::Format::kD32Sfloat,
                                                    .usage = kTransfers | model::image_usage::kDepthStencilAttachment,
                                                    .width = 32,
                                                    .height = 32});
        const auto buffer = scene.dedicated(model::BufferDescription{.size_bytes = 64 * 64 * 4, .usage = kTransfers});
        const auto targets = scene.heap(DescriptorHeapKind::kRtv, 32, false);
        const auto depths = scene.heap(DescriptorHeapKind::kDsv, 8, false);
        const auto more_targets = scene.heap(DescriptorHeapKind::kRtv, 32, false);
        std::vector<device::Work> work{device::ClearImage{.image = target, .value = color(0, 0, 0, 0)},
                                       device::ClearImage{.image = depth, .value = color(0.25f, 0, 0, 0)}};
        scene.run(work);
        scene.write(targets, 5, device::RenderTargetView{.image = target, .mip_level = 1, .array_layer = 1});
        scene.copy(more_targets, 9, targets, 5, 1);
        scene.write(targets, 6, device::RenderTargetView{.image = target, .mip_level = 0, .array_layer = 0});
        scene.write(depths, 3, device::DepthStencilView{.image = depth});
        work = {
            device::ClearRenderTarget{.heap = more_targets, .index = 9, .image = target, .value = color(1, 0, 1, 1)},
            device::ClearDepthStencil{.heap = depths, .index = 3, .image = depth, .depth = 0.75f}};
        scene.run(work);
        CHECK(first_texel(scene, target, buffer, {.mip_level = 1, .array_layer = 1}) == 0xFFFF00FF);
        CHECK(first_texel(scene, target, buffer, {.mip_level = 0, .array_layer = 1}) == 0);
        CHECK(first_texel(scene, target, buffer, {.mip_level = 1, .array_layer = 0}) == 0);
        CHECK(first_texel(scene, target, buffer, {.mip_level = 2, .array_layer = 1}) == 0);
        CHECK(std::bit_cast<float>(first_texel(scene, depth, buffer, {})) == 0.75f);

        // From a list; the view is read when the clear is recorded.
        const auto allocator = scene.allocator();
        const device::Work clear =
            device::ClearRenderTarget{.heap = targets, .index = 6, .image = target, .value = color(0, 1, 0, 1)};
        const auto list = scene.recorder().record(allocator, std::span(&clear, 1));
        if (!list) FAIL(to_string(list.error()));
        scene.write(targets, 6, device::RenderTargetView{.image = target, .mip_level = 2, .array_layer = 0});
        scene.run({}, std::span(&*list, 1));
        CHECK(first_texel(scene, target, buffer, {.mip_level = 0, .array_layer = 0}) == 0xFF00FF00);
        CHECK(first_texel(scene, target, buffer, {.mip_level = 2, .array_layer = 0}) == 0);

        // A view of another image, a view that was never written.
        for (const device::ClearRenderTarget& wrong :
             {device::ClearRenderTarget{.heap = targets, .index = 6, .image = scene.images[0]},
              device::ClearRenderTarget{.heap = targets, .index = 7, .image = target}}) {
            const device::Work item = wrong;
            const Status refused =
                (*scene).submitter().submit({.engine = {}, .waits = {}, .work = std::span(&item, 1), .signals = {}});
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        }
        scene.finish();
    }
}

}  // namespace
}  // namespace heapwright::test
