#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <cstring>

#include "core/random.hpp"
#include "replay/device.hpp"
#include "replay_report.hpp"

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

// A device with a device-local heap and a mapped buffer to read through.
struct Bench {
    std::unique_ptr<ReplayDevice> device;
    AllocationId memory;
    ResourceId staging;
    std::span<std::byte> staged;

    explicit Bench(const model::DeviceReport& report = small_report()) {
        auto opened = open_replay(report, {.interpolate = true});
        REQUIRE(opened);
        device = std::move(*opened);
        memory = device->memory().allocate({.memory_type = {0}, .size_bytes = 20 * kGib}).value();
        staging = device->resources().create_dedicated(buffer(kMib), {1}, 0.5f).value();
        staged = device->resources().map_dedicated(staging).value();
    }

    static model::BufferDescription buffer(std::uint64_t size_bytes) {
        return {.size_bytes = size_bytes, .usage = kBufferUsage};
    }

    ResourceId place(const model::ResourceDescription& resource, std::uint64_t offset_bytes) {
        return device->resources().create_placed(resource, memory, offset_bytes).value();
    }

    Status submit(std::initializer_list<Work> work, EngineId engine = {0}) {
        return device->submitter().submit({.engine = engine, .work = {work.begin(), work.size()}});
    }

    std::uint32_t word(std::size_t index) const {
        std::uint32_t value = 0;
        std::memcpy(&value, staged.data() + index * 4, 4);
        return value;
    }
};

}  // namespace

TEST_CASE("fills and copies move real bytes at the far end of a heap larger than memory") {
    Bench bench;
    const auto source = bench.place(Bench::buffer(4096), 20 * kGib - 8192);
    const auto target = bench.place(Bench::buffer(4096), 20 * kGib - 4096);
    REQUIRE(bench.submit({FillBuffer{.buffer = source, .offset_bytes = 16, .size_bytes = 32, .value = 0xA1B2C3D4},
                          CopyBuffer{.source = source,
                                     .destination = target,
                                     .source_offset_bytes = 12,
                                     .destination_offset_bytes = 0,
                                     .size_bytes = 40},
                          CopyBuffer{.source = target, .destination = bench.staging, .size_bytes = 64}}));
    CHECK(bench.word(0) == 0);
    for (std::size_t i = 1; i <= 8; ++i) CHECK(bench.word(i) == 0xA1B2C3D4);
    CHECK(bench.word(9) == 0);
}

TEST_CASE("overlapping placements overwrite each other, and stale bytes stay") {
    Bench bench;
    const auto image = bench.place(sampled_image(16, 16), 0);
    const auto buffer = bench.place(Bench::buffer(256), 512);
    REQUIRE(bench.submit({ClearImage{.image = image, .value = {0, 0, 0, 0}},
                          FillBuffer{.buffer = buffer, .size_bytes = 256, .value = 0x11223344},
                          CopyImageToBuffer{.image = image, .buffer = bench.staging}}));
    for (std::size_t i = 0; i < 256; ++i) CHECK(bench.word(i) == (i >= 128 && i < 192 ? 0x11223344 : 0));

    bench.device->resources().destroy(buffer);
    const auto next = bench.place(Bench::buffer(4096), 0);
    REQUIRE(bench.submit({CopyBuffer{.source = next, .destination = bench.staging, .size_bytes = 4096}}));
    CHECK(bench.word(128) == 0x11223344);
}

TEST_CASE("every subresource keeps its own texels") {
    Bench bench;
    auto image = sampled_image(64, 16, true);
    const auto id = bench.place(image, 0);
    auto layered = sampled_image(64, 64);
    layered.array_layers = 4;
    const auto layered_id = bench.place(layered, kMib);
    Random random(5);
    for (auto& byte : bench.staged) byte = static_cast<std::byte>(random.next());
    const std::vector<std::byte> original(bench.staged.begin(), bench.staged.end());
    std::uint64_t offset = 0;
    std::vector<Work> in;
    std::vector<Work> out;
    const auto add = [&](ResourceId resource, std::uint32_t level, std::uint32_t layer, std::uint64_t size) {
        in.push_back(CopyBufferToImage{bench.staging, resource, offset, {.mip_level = level, .array_layer = layer}});
        out.push_back(CopyImageToBuffer{resource, bench.staging, offset, {.mip_level = level, .array_layer = layer}});
        offset += size;
    };
    for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
        add(id, level, 0, std::max(1u, 64u >> level) * std::max(1u, 16u >> level) * 4);
    }
    for (std::uint32_t layer = 0; layer < 4; ++layer) add(layered_id, 0, layer, 64 * 64 * 4);
    REQUIRE(bench.device->submitter().submit({.work = in}));
    std::fill(bench.staged.begin(), bench.staged.end(), std::byte{0});
    REQUIRE(bench.device->submitter().submit({.work = out}));
    CHECK(std::equal(original.begin(), original.begin() + static_cast<std::ptrdiff_t>(offset), bench.staged.begin()));
    CHECK(bench.staged[offset] == std::byte{0});
}

TEST_CASE("rows of an image are copied apart, of whole blocks, and nothing beside them") {
    Bench bench;
    model::ImageDescription blocks = sampled_image(64, 64, true);
    blocks.format = model::Format::kBc1RgbaUnormBlock;
    const auto id = bench.place(blocks, 0);
    for (std::size_t i = 0; i < bench.staged.size(); ++i) bench.staged[i] = static_cast<std::byte>(i % 251);
    const std::vector<std::byte> original(bench.staged.begin(), bench.staged.end());
    constexpr std::ptrdiff_t kRow = 16 * 8;  // blocks of 8 bytes
    const auto rows = [&](BlockRows range) {
        return CopyBufferToImage{.buffer = bench.staging,
                                 .image = id,
                                 .buffer_offset_bytes = static_cast<std::uint64_t>(range.first * kRow),
                                 .subresource = {},
                                 .rows = range};
    };
    REQUIRE(bench.submit({rows({.first = 10, .count = 6}), rows({.first = 3, .count = 2})}));
    REQUIRE(bench.submit({CopyImageToBuffer{id, bench.staging, 4096, {}}}));
    const auto arrived = [&](std::ptrdiff_t row) {
        return std::equal(original.begin() + row * kRow, original.begin() + (row + 1) * kRow,
                          bench.staged.begin() + 4096 + row * kRow);
    };
    for (std::ptrdiff_t row = 0; row < 16; ++row) CHECK(arrived(row) == (row == 3 || row == 4 || row >= 10));

    const auto refused = [&](const Work& work) { return bench.submit({work}).error().code; };
    CHECK(refused(rows({.first = 15, .count = 2})) == ErrorCode::kOutOfRange);
    CHECK(refused(rows({.first = ~0u, .count = ~0u})) == ErrorCode::kOutOfRange);
    model::ImageDescription depth{.format = model::Format::kD24UnormS8Uint,
                                  .usage = model::image_usage::kDepthStencilAttachment |
                                           model::image_usage::kTransferDst | model::image_usage::kTransferSrc,
                                  .width = 16,
                                  .height = 16};
    CHECK(refused(CopyBufferToImage{.buffer = bench.staging,
                                    .image = bench.place(depth, kMib),
                                    .buffer_offset_bytes = 0,
                                    .subresource = {},
                                    .rows = {.first = 0, .count = 1}}) == ErrorCode::kNotSupported);
}

TEST_CASE("a combined depth and stencil image keeps its aspects apart") {
    Bench bench;
    model::ImageDescription image{.format = model::Format::kD24UnormS8Uint,
                                  .usage = model::image_usage::kDepthStencilAttachment |
                                           model::image_usage::kTransferDst | model::image_usage::kTransferSrc,
                                  .width = 16,
                                  .height = 16};
    const auto id = bench.place(image, 0);
    REQUIRE(bench.submit({ClearImage{.image = id, .value = {std::bit_cast<std::uint32_t>(1.0f), 0x5A, 0, 0}},
                          CopyImageToBuffer{.image = id, .buffer = bench.staging},
                          CopyImageToBuffer{.image = id,
                                            .buffer = bench.staging,
                                            .buffer_offset_bytes = 1024,
                                            .subresource = {.stencil_aspect = true}}}));
    for (std::size_t i = 0; i < 256; ++i) CHECK(bench.word(i) == 0x00FFFFFF);
    for (std::size_t i = 256; i < 320; ++i) CHECK(bench.word(i) == 0x5A5A5A5A);
    CHECK(bench.word(320) == 0);
}

TEST_CASE("texels beyond the driver's size are kept without touching the neighbour") {
    auto report = small_report();
    report.image_sweep.points.push_back({.description = sampled_image(40, 40),
                                         .requirements = model::MemoryRequirements{
                                             .size_bytes = 1024, .alignment_bytes = 1024, .memory_type_bits = 1}});
    Bench bench(report);
    const auto image = bench.place(sampled_image(40, 40), 0);
    const auto neighbour = bench.place(Bench::buffer(4096), 1024);
    const auto one = std::bit_cast<std::uint32_t>(1.0f);
    REQUIRE(bench.submit({FillBuffer{.buffer = neighbour, .size_bytes = 4096, .value = 7},
                          ClearImage{.image = image, .value = {one, one, one, one}},
                          CopyImageToBuffer{.image = image, .buffer = bench.staging},
                          CopyBuffer{.source = neighbour,
                                     .destination = bench.staging,
                                     .destination_offset_bytes = 65536,
                                     .size_bytes = 4096}}));
    for (std::size_t i = 0; i < 1600; ++i) CHECK(bench.word(i) == 0xFFFFFFFF);
    for (std::size_t i = 16384; i < 17408; ++i) CHECK(bench.word(i) == 7);
}

TEST_CASE("whole images are copied, multisampled ones too") {
    Bench bench;
    auto image = sampled_image(64, 64);
    const auto first = bench.place(image, 0);
    const auto second = bench.place(image, kMib);
    const auto one = std::bit_cast<std::uint32_t>(1.0f);
    REQUIRE(bench.submit({ClearImage{.image = first, .value = {one, 0, one, 0}},
                          CopyImage{.source = first, .destination = second},
                          CopyImageToBuffer{.image = second, .buffer = bench.staging}}));
    CHECK(bench.word(64 * 64 - 1) == 0x00FF00FF);

    model::ImageDescription samples{.usage = model::image_usage::kColorAttachment | model::image_usage::kTransferDst |
                                             model::image_usage::kTransferSrc,
                                    .width = 64,
                                    .height = 64,
                                    .samples = 4};
    const auto multisampled = bench.place(samples, 2 * kMib);
    CHECK(bench.submit({ClearImage{.image = multisampled}}));
    CHECK(bench.submit({CopyImageToBuffer{.image = multisampled, .buffer = bench.staging}}).error().code ==
          ErrorCode::kNotSupported);
    CHECK(bench.submit({CopyImage{.source = first, .destination = multisampled}}).error().code ==
          ErrorCode::kInvalidArgument);
}

TEST_CASE("work that no device could do is refused and nothing of it runs") {
    Bench bench;
    const auto buffer = bench.place(Bench::buffer(256), 0);
    const auto image = bench.place(sampled_image(16, 16), 4096);
    auto compressed = sampled_image(64, 64, true);
    compressed.format = model::Format::kBc1RgbaUnormBlock;
    const auto blocks = bench.place(compressed, kMib);
    const auto good = FillBuffer{.buffer = bench.staging, .size_bytes = 256, .value = 9};
    const auto code = [&](const Work& work, EngineId engine = {0}) {
        const auto status = bench.submit({good, work}, engine);
        REQUIRE_FALSE(status);
        return status.error().code;
    };
    CHECK(code(FillBuffer{.buffer = buffer, .offset_bytes = 4, .size_bytes = 256}) == ErrorCode::kOutOfRange);
    CHECK(code(FillBuffer{.buffer = buffer, .offset_bytes = 2, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code(FillBuffer{.buffer = image, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code(FillBuffer{.buffer = ResourceId{77}, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code(CopyBuffer{.source = buffer, .destination = bench.staging, .size_bytes = 257}) ==
          ErrorCode::kOutOfRange);
    CHECK(code(ClearImage{.image = blocks}) == ErrorCode::kNotSupported);
    CHECK(code(ClearImage{.image = image}, EngineId{2}) == ErrorCode::kNotSupported);
    CHECK(code(CopyImageToBuffer{image, bench.staging, 0, {.mip_level = 1}}) == ErrorCode::kOutOfRange);
    CHECK(code(CopyImageToBuffer{image, bench.staging, 2, {}}) == ErrorCode::kInvalidArgument);
    CHECK(code(CopyImageToBuffer{image, bench.staging, 0, {.stencil_aspect = true}}) == ErrorCode::kInvalidArgument);
    CHECK(code(CopyImageToBuffer{image, buffer, 0, {}}) == ErrorCode::kOutOfRange);
    CHECK(code(FillBuffer{.buffer = buffer}) == ErrorCode::kInvalidArgument);
    CHECK(code(CopyImage{.source = image, .destination = image}) == ErrorCode::kInvalidArgument);
    CHECK(code(CopyBuffer{.source = buffer, .destination = buffer, .destination_offset_bytes = 4, .size_bytes = 8}) ==
          ErrorCode::kInvalidArgument);
    const auto no_source = bench.place(model::BufferDescription{.size_bytes = 256, .usage = 0x2}, 64 * kMib);
    CHECK(code(CopyBuffer{.source = no_source, .destination = buffer, .size_bytes = 4}) == ErrorCode::kInvalidArgument);
    CHECK(code(good, EngineId{99}) == ErrorCode::kInvalidArgument);
    CHECK(bench.word(0) == 0);
    CHECK(bench.submit({CopyBufferToImage{bench.staging, blocks, 0, {.mip_level = 6}}}));
}
