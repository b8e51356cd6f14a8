#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/random.hpp"
#include "replay/device.hpp"
#include "replay_report.hpp"

namespace order_test {

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Bench {
    std::unique_ptr<ReplayDevice> device;
    ResourceId log;
    std::span<std::byte> bytes;

    explicit Bench(const ReplayOptions& options, const model::DeviceReport& report = small_report()) {
        device = open_replay(report, options).value();
        log = device->resources()
                  .create_dedicated(model::BufferDescription{.size_bytes = 4096, .usage = kBufferUsage}, {1}, 0.5f)
                  .value();
        bytes = device->resources().map_dedicated(log).value();
    }

    Status fill(std::uint32_t engine, std::uint64_t slot, std::uint32_t value, std::vector<TimelinePoint> waits = {},
                std::vector<TimelinePoint> signals = {}) {
        const Work work = FillBuffer{.buffer = log, .offset_bytes = slot * 4, .size_bytes = 4, .value = value};
        return device->submitter().submit({.engine = {engine}, .waits = waits, .work = {&work, 1}, .signals = signals});
    }

    Status copy(std::uint32_t engine, std::uint64_t from, std::uint64_t to, std::vector<TimelinePoint> waits,
                std::vector<TimelinePoint> signals) {
        const Work work = CopyBuffer{.source = log,
                                     .destination = log,
                                     .source_offset_bytes = from * 4,
                                     .destination_offset_bytes = to * 4,
                                     .size_bytes = 4};
        return device->submitter().submit({.engine = {engine}, .waits = waits, .work = {&work, 1}, .signals = signals});
    }

    std::uint32_t word(std::size_t index) const {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + index * 4, 4);
        return value;
    }
};

}  // namespace

TEST_CASE("engines follow the queue families") {
    const Bench bench({});
    const auto engines = bench.device->submitter().engines();
    REQUIRE(engines.size() == 5);
    CHECK(engines[0].kind == EngineKind::kGraphics);
    CHECK(engines[1].kind == EngineKind::kCompute);
    CHECK(engines[1].queue_family == QueueFamilyIndex{2});
    CHECK(engines[2].kind == EngineKind::kCopy);
    // The two dedicated families have no queue left.
    CHECK(engines[3].name == "compute-low");
    CHECK(engines[3].queue_family == QueueFamilyIndex{0});
    CHECK(engines[4].queue == 2);
    CHECK(engines[2].queue_family == QueueFamilyIndex{1});

    auto fewer = small_report();
    fewer.queue_families.resize(1);
    fewer.queue_families[0].queue_count = 1;
    CHECK(Bench({}, fewer).device->submitter().engines().size() == 1);
    fewer.queue_families.clear();
    CHECK(Bench({}, fewer).device->submitter().engines()[0].kind == EngineKind::kGraphics);
    fewer.identity.api = model::Api::kD3d12;
    const Bench d3d12({}, fewer);
    REQUIRE(d3d12.device->submitter().engines().size() == 6);
    CHECK(d3d12.device->submitter().engines()[2].kind == EngineKind::kCopy);
}

TEST_CASE("immediate: a submission has run when submit returns, unless it waits") {
    Bench bench({});
    const auto timeline = bench.device->create_timeline(5).value();
    REQUIRE(bench.fill(0, 0, 1, {}, {{timeline.get(), {6}}}));
    CHECK(bench.word(0) == 1);
    CHECK(timeline->completed().value() == TimelineValue{6});

    // Wait before signal, across queues, and in order on one queue.
    REQUIRE(bench.fill(1, 1, 2, {{timeline.get(), {8}}}, {{timeline.get(), {9}}}));
    REQUIRE(bench.fill(1, 2, 3));
    CHECK(bench.word(1) == 0);
    CHECK(bench.word(2) == 0);
    CHECK(bench.device->counters().pending_submissions == 2);
    CHECK(timeline->wait({9}, 0).error().code == ErrorCode::kTimeLimit);
    REQUIRE(bench.fill(2, 3, 4, {}, {{timeline.get(), {8}}}));
    CHECK(bench.word(1) == 2);
    CHECK(bench.word(2) == 3);
    CHECK(timeline->wait({9}, 0));
    CHECK(bench.device->submitter().wait_idle());
    CHECK(bench.device->take_validation_messages().empty());
}

TEST_CASE("the host signals waiting work, and a timeline never goes back") {
    Bench bench({.stuck_timeout_ns = 1000});
    const auto timeline = bench.device->create_timeline(0).value();
    REQUIRE(bench.fill(0, 0, 1, {{timeline.get(), {3}}}));
    CHECK(bench.device->submitter().wait_idle().error().code == ErrorCode::kTimeLimit);
    REQUIRE(timeline->signal({3}));
    CHECK(bench.word(0) == 1);
    CHECK(timeline->signal({3}).error().code == ErrorCode::kInvalidArgument);
    REQUIRE(bench.fill(0, 1, 1, {}, {{timeline.get(), {2}}}));
    CHECK(timeline->completed().value() == TimelineValue{3});
    CHECK(bench.device->take_validation_messages().size() == 1);

    Bench other({});
    CHECK(other.fill(0, 0, 1, {{timeline.get(), {1}}}).error().code == ErrorCode::kInvalidArgument);
    CHECK(bench.device->counters().timelines == 1);
}

TEST_CASE("one thread waits for what another one signals") {
    Bench bench({});
    const auto timeline = bench.device->create_timeline(0).value();
    std::thread signaller([&] { CHECK(timeline->signal({1})); });
    CHECK(timeline->wait({1}, 10 * kSecond));
    signaller.join();
}

TEST_CASE("manual: nothing runs until it is asked to, or waited for") {
    Bench bench({.mode = ReplayMode::kManual, .submission_ns = 1000});
    const auto timeline = bench.device->create_timeline(0).value();
    for (std::uint32_t i = 0; i < 4; ++i) REQUIRE(bench.fill(0, i, i + 1, {}, {{timeline.get(), {i + 1}}}));
    CHECK(timeline->completed().value() == TimelineValue{0});
    CHECK(bench.word(0) == 0);
    CHECK(bench.device->advance(2) == 2);
    CHECK(timeline->completed().value() == TimelineValue{2});
    CHECK(bench.word(1) == 2);
    CHECK(bench.word(2) == 0);
    const std::uint64_t before = bench.device->clock().now_ns();
    CHECK(timeline->wait({3}, 0));
    CHECK(bench.device->clock().now_ns() == before + 1000);
    CHECK(bench.word(3) == 0);
    CHECK(bench.device->advance(9) == 1);
    CHECK(bench.device->advance(9) == 0);
}

TEST_CASE("work that runs after its resource is gone lands on whatever is there") {
    Bench bench({.mode = ReplayMode::kManual});
    const auto memory = bench.device->memory().allocate({.memory_type = {2}, .size_bytes = kMib}).value();
    const auto bytes = bench.device->memory().map(memory).value();
    const model::BufferDescription buffer{.size_bytes = 256, .usage = kBufferUsage};
    const auto early = bench.device->resources().create_placed(buffer, memory, 0).value();
    const Work fill = FillBuffer{.buffer = early, .size_bytes = 256, .value = 0xEEEEEEEE};
    REQUIRE(bench.device->submitter().submit({.work = {&fill, 1}}));
    bench.device->resources().destroy(early);
    CHECK(bench.device->take_validation_messages().size() == 1);
    const auto next = bench.device->resources().create_placed(buffer, memory, 0).value();
    bytes[0] = std::byte{1};
    CHECK(bench.device->advance(1) == 1);
    CHECK(bytes[0] == std::byte{0xEE});
    bench.device->resources().destroy(next);
    CHECK(bench.device->take_validation_messages().empty());
}

// A chain of copies around three engines: each link waits for the one before, so the value arrives only in order.
TEST_CASE("deferred: waits hold whatever the schedule, for many seeds") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Bench bench({.mode = ReplayMode::kDeferred, .seed = seed});
        const auto timeline = bench.device->create_timeline(0).value();
        Random random(seed);
        constexpr std::uint64_t kLinks = 40;
        REQUIRE(bench.fill(0, 0, 0xC0FFEE, {}, {{timeline.get(), {1}}}));
        for (std::uint64_t i = 1; i < kLinks; ++i) {
            REQUIRE(bench.copy(static_cast<std::uint32_t>(random.below(3)), i - 1, i, {{timeline.get(), {i}}},
                               {{timeline.get(), {i + 1}}}));
        }
        std::uint64_t seen = 0;
        for (int poll = 0; poll < 10; ++poll) {
            const std::uint64_t completed = timeline->completed().value().value;
            CHECK(completed >= seen);
            seen = completed;
            for (std::uint64_t i = 0; i < completed; ++i) CHECK(bench.word(i) == 0xC0FFEE);
            for (std::uint64_t i = completed; i < kLinks; ++i) CHECK(bench.word(i) == 0);
        }
        REQUIRE(timeline->wait({kLinks}, kSecond));
        CHECK(bench.word(kLinks - 1) == 0xC0FFEE);
        CHECK(bench.device->take_validation_messages().empty());
    }
}

TEST_CASE("deferred: late, in bursts, queues out of step, and one seed gives one schedule") {
    const auto schedule = [](std::uint64_t seed) {
        Bench bench({.mode = ReplayMode::kDeferred, .seed = seed});
        std::array<std::unique_ptr<Timeline>, 3> timelines;
        for (auto& timeline : timelines) timeline = bench.device->create_timeline(0).value();
        std::vector<std::uint64_t> seen;
        for (std::uint64_t frame = 1; frame <= 30; ++frame) {
            for (std::uint32_t engine = 0; engine < 3; ++engine) {
                REQUIRE(bench.fill(engine, engine, 1, {}, {{timelines[engine].get(), {frame}}}));
            }
            for (const auto& timeline : timelines) seen.push_back(timeline->completed().value().value);
        }
        return seen;
    };
    const auto first = schedule(3);
    CHECK(first == schedule(3));
    CHECK(first != schedule(4));
    bool late = false;
    bool burst = false;
    bool apart = false;
    for (std::size_t i = 3; i < first.size(); ++i) {
        late |= first[i] + 2 < i / 3 + 1;
        burst |= first[i] > first[i - 3] + 1;
        apart |= i % 3 == 2 && first[i] != first[i - 1];
    }
    CHECK(late);
    CHECK(burst);
    CHECK(apart);
}

}  // namespace order_test
