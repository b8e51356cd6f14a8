// Transforms and draws, byte for byte, on every engine that does them.
#include <catch2/catch_test_macros.hpp>

#include "cases.hpp"
#include "device/submitter.hpp"
#include "scene.hpp"

namespace heapwright::test {
namespace {

using device::DescriptorHeapKind;
using device::EngineKind;

constexpr model::Flags kTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
constexpr model::BufferDescription kWords{.size_bytes = 64 << 10, .usage = kTransfers | model::buffer_usage::kStorage};

std::uint32_t pattern(std::uint32_t index) {
    return index * 2654435761u + 0x9E3779B9u;
}

std::vector<std::uint32_t> patterns(std::uint32_t count) {
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t i = 0; i < count; ++i) words[i] = pattern(i);
    return words;
}

model::ImageDescription target(std::uint32_t width, std::uint32_t height) {
    return {
        .usage = model::image_usage::kTransferSrc | model::image_usage::kSampled | model::image_usage::kColorAttachment,
        .width = width,
        .height = height};
}

ErrorCode code_of(Scene& scene, const device::Work& work, device::EngineId engine = {}) {
    const Status refused =
        (*scene).submitter().submit({.engine = engine, .waits = {}, .work = std::span(&work, 1), .signals = {}});
    REQUIRE_FALSE(refused);
    CHECK_FALSE(refused.error().message.empty());
    return refused.error().code;
}

TEST_CASE("a transform changes every word of its range and no other, on every engine that computes", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        const auto source = scene.dedicated(kWords);
        const auto destination = scene.dedicated(kWords);
        scene.upload(source, 0, patterns(16384));
        struct Range {
            std::uint32_t from, to, words, rounds;
        };
        // One word; less than a group; groups and a bit; the whole. Without rounds: copies of whole quads, and one of
        // words.
        constexpr Range kRanges[] = {{0, 64, 1, 1}, {64, 0, 63, 0},      {256, 512, 1001, 7}, {0, 0, 16384, 2},
                                     {0, 64, 4, 0}, {256, 512, 1004, 0}, {64, 128, 1001, 0},  {128, 0, 16000, 0}};
        const auto engines = (*scene).submitter().engines();
        for (std::uint32_t engine = 0; engine < engines.size(); ++engine) {
            CAPTURE(engines[engine].name);
            const device::TransformBuffer anything{.source = source, .destination = destination, .size_bytes = 4};
            if (engines[engine].kind == EngineKind::kCopy) {
                CHECK(code_of(scene, anything, {engine}) == ErrorCode::kNotSupported);
                continue;
            }
            for (const Range& range : kRanges) {
                CAPTURE(range.from, range.to, range.words);
                const std::uint32_t key = 0xA5A50000u + engine;
                const device::Work work[] = {
                    device::FillBuffer{.buffer = destination, .size_bytes = kWords.size_bytes, .value = 0x55555555},
                    device::TransformBuffer{.source = source,
                                            .destination = destination,
                                            .source_offset_bytes = range.from * 4,
                                            .destination_offset_bytes = range.to * 4,
                                            .size_bytes = range.words * 4,
                                            .key = key,
                                            .rounds = range.rounds}};
                scene.run(work, {}, {engine});
                std::vector<std::uint32_t> wanted(16384, 0x55555555);
                for (std::uint32_t i = 0; i < range.words; ++i) {
                    wanted[range.to + i] = device::transform_word(pattern(range.from + i), key, range.rounds);
                }
                CHECK(scene.read(destination, 0, 16384) == wanted);
            }
        }
        CHECK(scene.read(source, 0, 16384) == patterns(16384));
        scene.finish();
    }
}

TEST_CASE("transforms of one submission see each other's words, in place and apart", "[device]") {
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        const auto first = scene.dedicated(kWords);
        const auto second = scene.dedicated(kWords);
        scene.upload(first, 0, patterns(4096));
        const device::Work work[] = {
            device::TransformBuffer{.source = first, .destination = first, .size_bytes = 16384, .key = 1, .rounds = 3},
            device::TransformBuffer{.source = first, .destination = second, .size_bytes = 16384, .key = 2, .rounds = 1},
            device::TransformBuffer{.source = second,
                                    .destination = second,
                                    .source_offset_bytes = 8192,
                                    .destination_offset_bytes = 8192,
                                    .size_bytes = 8192,
                                    .key = 3,
                                    .rounds = 2},
            device::CopyBuffer{.source = second, .destination = first, .size_bytes = 8192}};
        // From a list as from a submission.
        const auto allocator = scene.allocator();
        const auto list = scene.recorder().record(allocator, work);
        if (!list) FAIL(to_string(list.error()));
        std::vector<std::uint32_t> in_first = patterns(4096);
        std::vector<std::uint32_t> in_second(4096);
        for (const bool from_list : {false, true}) {
            if (from_list) {
                scene.run({}, std::span(&*list, 1));
            } else {
                scene.run(work);
            }
            for (std::uint32_t i = 0; i < 4096; ++i) {
                in_first[i] = device::transform_word(in_first[i], 1, 3);
                in_second[i] = device::transform_word(in_first[i], 2, 1);
                if (i >= 2048) in_second[i] = device::transform_word(in_second[i], 3, 2);
                if (i < 2048) in_first[i] = in_second[i];
            }
            CHECK(scene.read(first, 0, 4096) == in_first);
            CHECK(scene.read(second, 0, 4096) == in_second);
        }
        scene.finish();
    }
}

TEST_CASE("a transform beyond one row of groups reaches its last word", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        // A row reaches 8 MiB.
        constexpr std::uint32_t kCount = (2u << 20) + 1025;
        const auto large =
            scene.dedicated(model::BufferDescription{.size_bytes = (8 << 20) + 8192, .usage = kWords.usage});
        const device::Work work[] = {
            device::FillBuffer{.buffer = large, .size_bytes = (8 << 20) + 8192, .value = 12345},
            device::TransformBuffer{
                .source = large, .destination = large, .size_bytes = std::uint64_t{kCount} * 4, .key = 77}};
        scene.run(work);
        const std::uint32_t changed = device::transform_word(12345, 77, 1);
        CHECK(scene.read(large, 0, 4096) == std::vector<std::uint32_t>(4096, changed));
        const std::vector<std::uint32_t> end = scene.read(large, kCount - 2049, 2049 + 1000);
        CHECK(std::vector(end.begin(), end.begin() + 2049) == std::vector<std::uint32_t>(2049, changed));
        CHECK(std::vector(end.begin() + 2049, end.end()) == std::vector<std::uint32_t>(1000, 12345));
        scene.finish();
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

TEST_CASE("a draw brings a buffer's texels into an image, beside dispatches and transforms", "[device]") {
    struct Size {
        std::uint32_t width, height;
    };
    for (const Case& one : cases()) {
        CAPTURE(one.backend.name, name_of(one.form));
        Scene scene(one.backend, one.form);
        const auto texels = scene.dedicated(kWords);
        const auto result = scene.dedicated(kWords);
        const auto views = scene.heap(DescriptorHeapKind::kRtv, 8, false);
        const auto tables = scene.heap(DescriptorHeapKind::kCbvSrvUav, 64, true);
        scene.write_static_table(tables, 10, pick(3));
        scene.write_dynamic_table(tables, 20, pick(3));
        scene.upload(texels, 0, patterns(16384));
        std::uint32_t index = 0;
        // Rows that are and are not multiples of 256 bytes.
        for (const Size& size : {Size{64, 32}, Size{1, 1}, Size{100, 60}, Size{128, 128}}) {
            CAPTURE(size.width, size.height);
            const std::uint32_t count = size.width * size.height;
            const bool is_whole = count == 16384;
            const auto image = scene.dedicated(target(size.width, size.height));
            scene.write(views, index, device::RenderTargetView{.image = image});
            scene.run(std::vector<device::Work>{
                device::FillBuffer{.buffer = result, .size_bytes = kWords.size_bytes, .value = 0x33333333}});
            const std::uint32_t from = is_whole ? 0 : 128;
            const device::Work work[] = {
                scene.dispatch(tables, 10, 20, std::nullopt, 0, 16 * index, pick(3)),
                device::DrawBuffer{
                    .heap = views, .index = index, .image = image, .source = texels, .source_offset_bytes = from * 4},
                device::TransformBuffer{.source = texels, .destination = texels, .size_bytes = 65536, .key = 5},
                scene.dispatch(tables, 10, 20, std::nullopt, 0, 16 * index + 8, pick(3)),
                device::CopyImageToBuffer{.image = image, .buffer = result, .buffer_offset_bytes = 0}};
            const std::vector<std::uint32_t> before = scene.read(texels, 0, 16384);
            scene.run(work);
            std::vector<std::uint32_t> wanted(16384, 0x33333333);
            for (std::uint32_t i = 0; i < count; ++i) wanted[i] = before[from + i];
            CHECK(scene.read(result, 0, 16384) == wanted);
            scene.check_output(16 * index, pick(3), device::AddressMode::kClampToEdge);
            scene.check_output(16 * index + 8, pick(3), device::AddressMode::kClampToEdge);
            ++index;
        }
        // What a transform has just written is what the draw reads, and a second draw covers the first.
        const auto image = scene.dedicated(target(64, 64));
        scene.write(views, 6, device::RenderTargetView{.image = image});
        scene.upload(texels, 0, patterns(16384));
        const device::DrawBuffer draw{.heap = views, .index = 6, .image = image, .source = texels};
        const device::Work work[] = {
            draw, device::TransformBuffer{.source = texels, .destination = texels, .size_bytes = 16384, .key = 6}, draw,
            device::CopyImageToBuffer{.image = image, .buffer = result}};
        scene.run(work);
        std::vector<std::uint32_t> wanted(4096);
        for (std::uint32_t i = 0; i < 4096; ++i) wanted[i] = device::transform_word(pattern(i), 6, 1);
        CHECK(scene.read(result, 0, 4096) == wanted);
        scene.finish();
    }
}

TEST_CASE("transforms and draws that break a rule are refused", "[device]") {
    std::vector<std::string> missing;
    for (const Backend& backend : backends(missing)) {
        CAPTURE(backend.name);
        Scene scene(backend);
        const auto words = scene.dedicated(kWords);
        const auto plain = scene.dedicated(model::BufferDescription{.size_bytes = 64 << 10, .usage = kTransfers});
        const auto image = scene.dedicated(target(64, 64));
        const auto views = scene.heap(DescriptorHeapKind::kRtv, 4, false);
        scene.write(views, 0, device::RenderTargetView{.image = image});
        const device::TransformBuffer good{.source = words, .destination = words, .size_bytes = 64};
        device::TransformBuffer wrong = good;
        wrong.source = plain;
        CHECK(code_of(scene, wrong) == ErrorCode::kInvalidArgument);
        wrong = good;
        wrong.source_offset_bytes = 256;
        CHECK(code_of(scene, wrong) == ErrorCode::kInvalidArgument);
        wrong = good;
        wrong.size_bytes = (64 << 10) + 4;
        CHECK(code_of(scene, wrong) == ErrorCode::kOutOfRange);
        const device::DrawBuffer draw{.heap = views, .index = 0, .image = image, .source = words};
        device::DrawBuffer bad = draw;
        bad.index = 1;
        CHECK(code_of(scene, bad) == ErrorCode::kInvalidArgument);
        bad = draw;
        bad.source = plain;
        CHECK(code_of(scene, bad) == ErrorCode::kInvalidArgument);
        bad = draw;
        bad.source_offset_bytes = (48 << 10) + 256;
        CHECK(code_of(scene, bad) == ErrorCode::kOutOfRange);
        const auto engines = (*scene).submitter().engines();
        for (std::uint32_t engine = 0; engine < engines.size(); ++engine) {
            if (engines[engine].kind == EngineKind::kGraphics) continue;
            CHECK(code_of(scene, draw, {engine}) == ErrorCode::kNotSupported);
        }
        scene.finish();
    }
    if (!missing.empty()) SKIP("not set: " << missing.front());
}

}  // namespace
}  // namespace heapwright::test
