// Engines of a replayed device at work: transforms, draws, events on completion.
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "device/submitter.hpp"
#include "replay/device.hpp"
#include "replay_report.hpp"

namespace engines_test {

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr model::Flags kShaderUsage = kBufferUsage | model::buffer_usage::kStorage;
constexpr model::Flags kTarget =
    model::image_usage::kColorAttachment | model::image_usage::kTransferSrc | model::image_usage::kTransferDst;

model::DeviceReport shader_report() {
    auto report = small_report();
    report.buffer_sweep.cases.push_back({.usage = kShaderUsage, .table = 0});
    add_image_case(report.image_sweep, model::Format::kR8G8B8A8Unorm, kTarget, false);
    return report;
}

struct Bench {
    std::unique_ptr<ReplayDevice> device;

    explicit Bench(const ReplayOptions& options = {}) { device = open_replay(shader_report(), options).value(); }

    ResourceId buffer(std::uint64_t size_bytes, model::Flags usage = kShaderUsage) const {
        return device->resources()
            .create_dedicated(model::BufferDescription{.size_bytes = size_bytes, .usage = usage}, {1}, 0.5f)
            .value();
    }

    [[nodiscard]] std::span<std::uint32_t> words(ResourceId buffer) const {
        const std::span bytes = device->resources().map_dedicated(buffer).value();
        return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / 4};
    }

    [[nodiscard]] Status run(const Work& work, std::uint32_t engine = 0, std::vector<TimelinePoint> waits = {},
                             std::vector<TimelinePoint> signals = {}) const {
        return device->submitter().submit({.engine = {engine}, .waits = waits, .work = {&work, 1}, .signals = signals});
    }
};

}  // namespace

TEST_CASE("a word's transform is that many steps") {
    CHECK(transform_word(7, 3, 0) == 7);
    CHECK(transform_word(7, 3, 1) == (7u ^ 3u) * 1664525u + 1013904223u);
    CHECK(transform_word(7, 3, 3) == transform_word(transform_word(7, 3, 2), 3, 1));
}

TEST_CASE("replay: a transform changes its range and nothing beside it") {
    const Bench bench;
    const ResourceId source = bench.buffer(4096);
    const ResourceId destination = bench.buffer(4096);
    const std::span from = bench.words(source);
    const std::span to = bench.words(destination);
    for (std::uint32_t i = 0; i < from.size(); ++i) from[i] = i * 2654435761u;
    const TransformBuffer apart{.source = source,
                                .destination = destination,
                                .source_offset_bytes = 256,
                                .destination_offset_bytes = 512,
                                .size_bytes = 1020,
                                .key = 0x1234567,
                                .rounds = 5};
    REQUIRE(bench.run(apart, 1));
    for (std::uint32_t i = 0; i < to.size(); ++i) {
        const bool inside = i >= 128 && i < 128 + 255;
        CHECK(to[i] == (inside ? transform_word((i - 64) * 2654435761u, 0x1234567, 5) : 0));
    }
    const std::uint32_t first = from[0];
    REQUIRE(bench.run(TransformBuffer{.source = source, .destination = source, .size_bytes = 4, .key = 9}));
    CHECK(from[0] == transform_word(first, 9, 1));
    CHECK(from[1] == 2654435761u);
}

TEST_CASE("replay: transforms and draws that break a rule are refused") {
    const Bench bench;
    const ResourceId buffer = bench.buffer(4096);
    const ResourceId other = bench.buffer(4096);
    const ResourceId plain = bench.buffer(4096, kBufferUsage);
    const TransformBuffer good{.source = buffer, .destination = other, .size_bytes = 64};
    const auto code = [&](const Work& work, std::uint32_t engine = 0) {
        const Status status = bench.run(work, engine);
        return status ? std::optional<ErrorCode>{} : status.error().code;
    };
    const auto with = [&good](auto&& change) {
        TransformBuffer changed = good;
        change(changed);
        return changed;
    };
    CHECK_FALSE(code(good));
    CHECK(code(good, 2) == ErrorCode::kNotSupported);
    CHECK(code(with([&](TransformBuffer& t) { t.source = plain; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([&](TransformBuffer& t) { t.destination = plain; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([](TransformBuffer& t) { t.source_offset_bytes = 128; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([](TransformBuffer& t) { t.destination_offset_bytes = 4; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([](TransformBuffer& t) { t.size_bytes = 6; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([](TransformBuffer& t) { t.size_bytes = 0; })) == ErrorCode::kInvalidArgument);
    CHECK(code(with([](TransformBuffer& t) { t.size_bytes = 4100; })) == ErrorCode::kOutOfRange);
    CHECK(code(with([](TransformBuffer& t) { t.destination_offset_bytes = 4096; })) == ErrorCode::kOutOfRange);
    CHECK(code(with([&](TransformBuffer& t) {
              t.destination = buffer;
              t.source_offset_bytes = 1024;
          })) == ErrorCode::kInvalidArgument);

    const model::ImageDescription shape{
        .format = model::Format::kR8G8B8A8Unorm, .usage = kTarget, .width = 16, .height = 16};
    const ResourceId image = bench.device->resources().create_dedicated(shape, {0}, 0.5f).value();
    DescriptorHeapSource& descriptors = *bench.device->descriptors();
    const auto heap = descriptors.create({.kind = DescriptorHeapKind::kRtv, .capacity = 2}).value();
    const DrawBuffer draw{.heap = heap, .index = 0, .image = image, .source = buffer};
    CHECK(code(draw) == ErrorCode::kInvalidArgument);  // no view was written
    REQUIRE(descriptors.write(heap, 0, RenderTargetView{.image = image}));
    CHECK_FALSE(code(draw));
    CHECK(code(draw, 1) == ErrorCode::kNotSupported);
    DrawBuffer changed = draw;
    changed.source = plain;
    CHECK(code(changed) == ErrorCode::kInvalidArgument);
    changed = draw;
    changed.source_offset_bytes = 4096 - 512;
    CHECK(code(changed) == ErrorCode::kOutOfRange);
    changed.source_offset_bytes = 16;
    CHECK(code(changed) == ErrorCode::kInvalidArgument);
    CHECK(bench.device->take_validation_messages().empty());
}

TEST_CASE("replay: a draw brings the buffer's texels into the image") {
    const Bench bench;
    const ResourceId source = bench.buffer(4096);
    const ResourceId result = bench.buffer(4096);
    for (std::uint32_t i = 0; i < 1024; ++i) bench.words(source)[i] = i * 2654435761u;
    const model::ImageDescription shape{
        .format = model::Format::kR8G8B8A8Unorm, .usage = kTarget, .width = 16, .height = 16};
    const ResourceId image = bench.device->resources().create_dedicated(shape, {0}, 0.5f).value();
    DescriptorHeapSource& descriptors = *bench.device->descriptors();
    const auto heap = descriptors.create({.kind = DescriptorHeapKind::kRtv, .capacity = 2}).value();
    REQUIRE(descriptors.write(heap, 1, RenderTargetView{.image = image}));
    REQUIRE(
        bench.run(DrawBuffer{.heap = heap, .index = 1, .image = image, .source = source, .source_offset_bytes = 1024}));
    REQUIRE(bench.run(CopyImageToBuffer{.image = image, .buffer = result}));
    for (std::uint32_t i = 0; i < 1024; ++i) CHECK(bench.words(result)[i] == (i < 256 ? (i + 256) * 2654435761u : 0));
    CHECK(bench.device->take_validation_messages().empty());
}

TEST_CASE("replay: an event comes when its value is reached, in every mode") {
    for (const ReplayMode mode : {ReplayMode::kImmediate, ReplayMode::kDeferred, ReplayMode::kManual}) {
        const Bench bench({.mode = mode});
        const ResourceId buffer = bench.buffer(256);
        const auto timeline = bench.device->create_timeline(3).value();
        CompletionEvent past;
        CompletionEvent next;
        CompletionEvent later;
        REQUIRE(timeline->signal_event({3}, past));
        CHECK(past.is_signalled());
        REQUIRE(timeline->signal_event({4}, next));
        REQUIRE(timeline->signal_event({6}, later));
        REQUIRE(bench.run(TransformBuffer{.source = buffer, .destination = buffer, .size_bytes = 256}, 0, {},
                          {{timeline.get(), {5}}}));
        CHECK(next.is_signalled() == (mode != ReplayMode::kManual));
        bench.device->advance(1);
        CHECK(next.wait_for(0));
        CHECK_FALSE(later.wait_for(1000));
        std::thread host([&timeline] { static_cast<void>(timeline->signal({7})); });
        CHECK(later.wait_for(10 * kSecond));
        host.join();
    }
}

TEST_CASE("replay: events that nothing signals come when the device ends") {
    std::vector<CompletionEvent> events(100);
    {
        const Bench bench;
        const auto timeline = bench.device->create_timeline(0).value();
        for (std::size_t i = 0; i < events.size(); ++i) REQUIRE(timeline->signal_event({1 + i % 7}, events[i]));
        CHECK_FALSE(events.front().is_signalled());
    }
    for (const CompletionEvent& event : events) CHECK(event.is_signalled());
}

TEST_CASE("replay: every engine is worked by a thread of its own at once") {
    const Bench bench({.mode = ReplayMode::kDeferred});
    const auto count = static_cast<std::uint32_t>(bench.device->submitter().engines().size());
    constexpr std::uint32_t kRounds = 50;
    // A ring: engine e's n-th transform waits for engine e-1's n-th, engine 0's for the last one's n-1st.
    std::vector<std::unique_ptr<Timeline>> timelines;
    const ResourceId buffer = bench.buffer(256);
    for (std::uint32_t e = 0; e < count; ++e) timelines.push_back(bench.device->create_timeline(0).value());
    std::vector<std::thread> threads;
    std::atomic<std::uint32_t> failures = 0;
    for (std::uint32_t e = 0; e < count; ++e) {
        threads.emplace_back([&, e] {
            const bool copies = bench.device->submitter().engines()[e].kind == EngineKind::kCopy;
            for (std::uint64_t n = 1; n <= kRounds; ++n) {
                std::vector<TimelinePoint> waits;
                if (e != 0) waits.push_back({timelines[e - 1].get(), {n}});
                if (e == 0 && n > 1) waits.push_back({timelines.back().get(), {n - 1}});
                const Work transform{
                    TransformBuffer{.source = buffer, .destination = buffer, .size_bytes = 4, .key = e}};
                const Work copy{CopyBuffer{
                    .source = buffer, .destination = buffer, .destination_offset_bytes = 4, .size_bytes = 4}};
                const bool ran(bench.run(copies ? copy : transform, e, waits, {{timelines[e].get(), {n}}}));
                CompletionEvent done;
                const bool asked(timelines[e]->signal_event({n}, done));
                if (!ran || !asked || !done.wait_for(20 * kSecond)) ++failures;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
    std::uint32_t expected = 0;
    for (std::uint32_t n = 0; n < kRounds; ++n) {
        for (std::uint32_t e = 0; e < count; ++e) {
            if (bench.device->submitter().engines()[e].kind != EngineKind::kCopy)
                expected = transform_word(expected, e, 1);
        }
    }
    CHECK(bench.words(buffer)[0] == expected);
    CHECK(bench.device->take_validation_messages().empty());
}

}  // namespace engines_test
