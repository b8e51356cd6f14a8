// The examples on a replayed device: on its three engines and on one queue, early and late, played from a program and
// deciding as they go; and what must make a run fail.
#include <algorithm>
#include <array>
#include <set>

#include <catch2/generators/catch_generators.hpp>

#include "../validate/lossy_devices.hpp"
#include "../validate/replay_scene.hpp"
#include "engines/device_run.hpp"
#include "engines/player.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "expected_pictures.hpp"
#include "mixed_signals.hpp"
#include "rehearsed.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"

using namespace heapwright;
using engines::DeviceRun;
using engines::EngineProgram;
using engines::Example;
using engines::RunOutcome;

namespace {

model::DeviceReport one_queue_report() {
    model::DeviceReport report = test::scene_report();
    report.queue_families.resize(1);
    report.queue_families[0].queue_count = 1;
    return report;
}

std::unique_ptr<replay::ReplayDevice> open(const model::DeviceReport& report, replay::ReplayMode mode,
                                           std::uint64_t seed = 1) {
    auto device = replay::open_replay(report, {.interpolate = true, .mode = mode, .seed = seed});
    REQUIRE(device);
    return std::move(*device);
}

void check_good(const EngineProgram& program, const Result<RunOutcome>& outcome) {
    if (!outcome) FAIL(to_string(outcome.error()));
    CHECK(outcome->differences.empty());
    CHECK(outcome->wrong_host_reads == 0);
    std::uint64_t bytes = 0;
    for (const engines::ProgramResource& resource : program.resources)
        bytes += resource.side == 0 ? resource.size_bytes : 0;
    CHECK(outcome->bytes_checked >= bytes);
    CHECK(outcome->seen.size() == outcome->submissions);
    std::uint64_t drawn = 0;
    for (const engines::RunSpan& span : engines::spans_of(outcome->seen, program.schedule.fences)) {
        CHECK(span.begin_ns < span.end_ns);
        drawn += span.submissions;
    }
    CHECK(drawn > 0);
    CHECK(drawn <= outcome->submissions);
}

void check_nothing_left(replay::ReplayDevice& device) {
    const replay::ReplayCounters left = device.counters();
    CHECK(left.source_allocations + left.resources + left.timelines + left.descriptor_heaps + left.command_allocators +
              left.pending_submissions ==
          0);
    for (const std::string& message : device.take_validation_messages()) FAIL_CHECK(message);
}

}  // namespace

TEST_CASE("every example leaves the host's bytes on a replayed device, however late it is") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    const bool has_one_queue = GENERATE(false, true);
    for (const Example& example : engines::examples()) {
        INFO(example.name << (has_one_queue ? ", one queue" : "") << ", mode " << static_cast<int>(mode));
        const EngineProgram program = test::rehearsed(example);
        const auto device = open(has_one_queue ? one_queue_report() : test::scene_report(), mode, 3);
        SteadyClock clock;
        {
            DeviceRun played(*device, clock, {.seed = test::kSeed});
            (void)engines::play(program, played);
            check_good(program, played.finish());
            CHECK(played.map().queues == (has_one_queue ? 1u : played.map().names.size()));
        }
        check_nothing_left(*device);
        {
            DeviceRun decided(*device, clock, {.seed = test::kSeed});
            (void)example.play(decided, example.settings);
            check_good(program, decided.finish());
            CHECK(test::pieces_of(decided.program(), run_on_host(decided.program()), "pictures",
                                  example.settings.piece_bytes()) ==
                  test::expected_pictures(example, example.settings, decided.program()));
        }
        check_nothing_left(*device);
    }
}

TEST_CASE("waits go out before their signals only where no queue is shared") {
    const Example& frame = test::example_named("multi-engine-frame");
    const engines::ExampleSettings settings{.consumers_first = true};
    SteadyClock clock;
    const auto several = open(test::scene_report(), replay::ReplayMode::kImmediate);
    DeviceRun early(*several, clock, {});
    REQUIRE(frame.play(early, settings));
    const auto first = early.finish();
    check_good(early.program(), first);
    CHECK(first->early_waits == 3);  // renderFence is signalled before its wait in any case
    const auto one = open(one_queue_report(), replay::ReplayMode::kImmediate);
    DeviceRun ordered(*one, clock, {});
    REQUIRE(frame.play(ordered, settings));
    const auto second = ordered.finish();
    check_good(ordered.program(), second);
    CHECK(second->early_waits == 0);
}

// Waits for 1, 3 and 4 where 2 and 5 are signalled.
TEST_CASE("a wait that is not early goes out with the value of the signal that meets it") {
    const bool has_one_queue = GENERATE(true, false);
    const auto replay = open(has_one_queue ? one_queue_report() : test::scene_report(), replay::ReplayMode::kImmediate);
    std::set<std::uint64_t> waited;
    bool plays = true;
    test::ChangingDevice device(*replay, [&](device::Submission& submission) {
        // Beside what orders a queue's own submissions.
        if (plays && submission.waits.size() > 1) waited.insert(submission.waits.front().value.value);
    });
    SteadyClock clock;
    {
        DeviceRun run(device, clock, {.seed = test::kSeed});
        const auto copy = run.queue("copy", engines::ActorKind::kCopy);
        const auto graphics = run.queue("graphics", engines::ActorKind::kGraphics);
        const auto fence = run.fence("fence");
        const auto after = run.fence("after");
        const auto data = run.buffer("data", 1024);
        run.begin();
        const auto fill = [&](engines::ActorIndex queue, std::uint64_t value) {
            run.execute(queue, "fill", {device::FillBuffer{{data.value}, 0, 1024, static_cast<std::uint32_t>(value)}},
                        1);
        };
        const auto submit = [&] { (void)run.completed(fence); };
        for (const std::uint64_t value : {2u, 5u}) {
            fill(copy, value);
            run.signal(copy, fence, value);
            submit();
        }
        for (const std::uint64_t value : {1u, 3u, 4u}) {
            run.wait(graphics, fence, value);
            run.signal(graphics, after, value);
            submit();
        }
        REQUIRE(run.ok());
        plays = false;
        REQUIRE(run.finish());
    }
    CHECK(waited == (has_one_queue ? std::set<std::uint64_t>{2, 5} : std::set<std::uint64_t>{1, 3, 4}));
}

TEST_CASE("a broken rule ends the run before anything more is submitted") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    DeviceRun run(*device, clock, {});
    const auto copy = run.queue("copy", engines::ActorKind::kCopy);
    const auto compute = run.queue("compute", engines::ActorKind::kCompute);
    const auto fence = run.fence("fence");
    const auto data = run.buffer("data", 1024);
    run.begin();
    run.execute(copy, "fill", {device::FillBuffer{{data.value}, 0, 1024, 1}}, 1);
    run.signal(copy, fence, 1);
    run.execute(compute, "change", {device::TransformBuffer{{data.value}, {data.value}, 0, 0, 1024, 1, 1}}, 1);
    run.signal(compute, fence, 2);
    const auto outcome = run.finish();
    REQUIRE_FALSE(outcome);
    CHECK(std::ranges::find(run.violations(), engines::Rule::kUnorderedWrites, &engines::Violation::rule) !=
          run.violations().end());
    CHECK(outcome.error().message.find("copy: execute fill") != std::string::npos);
    CHECK(outcome.error().message.find("compute: execute change") != std::string::npos);
}

TEST_CASE("a host wait that nothing meets ends by its limit and leaves the device at rest") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    {
        DeviceRun run(*device, clock, {.host_wait_limit_ns = 5'000'000});
        const auto compute = run.queue("compute", engines::ActorKind::kCompute);
        const auto fence = run.fence("fence");
        const auto data = run.buffer("data", 1024);
        run.begin();
        run.wait(compute, fence, 1);
        run.execute(compute, "fill", {device::FillBuffer{{data.value}, 0, 1024, 1}}, 1);
        run.signal(compute, fence, 2);
        run.host_wait(fence, 2);
        REQUIRE_FALSE(run.ok());
        CHECK(run.status().error().code == ErrorCode::kTimeLimit);
    }
    check_nothing_left(*device);
}

TEST_CASE("the host gives signals too") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kDeferred);
    SteadyClock clock;
    DeviceRun run(*device, clock, {});
    const auto compute = run.queue("compute", engines::ActorKind::kCompute);
    const auto gate = run.fence("gate");
    const auto done = run.fence("done");
    const auto uploads = run.buffer("uploads", 1024, engines::Place::kUpload);
    const auto data = run.buffer("data", 1024);
    run.begin();
    run.wait(compute, gate, 1);
    run.execute(compute, "copy", {device::CopyBuffer{{uploads.value}, {data.value}, 0, 0, 1024}}, 1);
    run.signal(compute, done, 1);
    run.host_write("write", uploads, 0, std::vector<std::byte>(1024, std::byte{7}));
    run.host_signal(gate, 1);
    run.host_wait(done, 1);
    check_good(run.program(), run.finish());
}

// The fence, given 3 at once, would go back by its own signals that are still to come.
TEST_CASE("a run that ends early gives a fence nothing that signals still to come are below") {
    const auto mode = GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kManual);
    const auto device = open(test::scene_report(), mode);
    SteadyClock clock;
    {
        DeviceRun run(*device, clock, {.host_wait_limit_ns = 5'000'000});
        test::play_mixed_signals(run);
        const auto outcome = run.finish();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::kTimeLimit);
        CHECK(outcome.error().where == "host_wait");
        REQUIRE_FALSE(run.violations().empty());
        for (const engines::Violation& violation : run.violations()) CHECK(violation.rule == engines::Rule::kDeadlock);
        CHECK(device->counters().pending_submissions == 0);
    }
    check_nothing_left(*device);
}

TEST_CASE("a device that cannot be brought to rest is reported and keeps what it may use") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    {
        DeviceRun run(*device, clock, {.host_wait_limit_ns = 5'000'000});
        const auto compute = run.queue("compute", engines::ActorKind::kCompute);
        const auto fence = run.fence("fence");
        const auto data = run.buffer("data", 1024);
        run.begin();
        run.wait(compute, fence, 1);
        run.execute(compute, "fill", {device::FillBuffer{{data.value}, 0, 1024, 1}}, 1);
        run.signal(compute, fence, 1);
        const auto outcome = run.finish();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::kTimeLimit);
        CHECK(outcome.error().where == "come_to_rest");
        CHECK(outcome.error().message.find("compute has submissions that are not over") != std::string::npos);
        CHECK(outcome.error().message.find("compute: wait for fence >= 1") != std::string::npos);
        REQUIRE_FALSE(run.violations().empty());
        CHECK(run.violations().front().rule == engines::Rule::kDeadlock);
    }
    CHECK(device->counters().pending_submissions == 1);
    CHECK(device->counters().resources != 0);
    CHECK(device->take_validation_messages().empty());
}

TEST_CASE("a deadlock is found before the host waits for the end") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    {
        DeviceRun run(*device, clock, {});
        const auto compute = run.queue("compute", engines::ActorKind::kCompute);
        const auto copy = run.queue("copy", engines::ActorKind::kCopy);
        const auto one = run.fence("one");
        const auto two = run.fence("two");
        run.begin();
        run.wait(compute, one, 1);
        run.signal(compute, two, 2);
        run.wait(copy, two, 1);
        run.signal(copy, one, 2);
        const std::uint64_t start_ns = clock.now_ns();
        const auto outcome = run.finish();
        CHECK(clock.now_ns() - start_ns < 10'000'000'000);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::kInvalidArgument);
        CHECK(outcome.error().message.find("waits for ever") != std::string::npos);
        REQUIRE_FALSE(run.violations().empty());
        CHECK(run.violations().front().rule == engines::Rule::kDeadlock);
    }
    check_nothing_left(*device);
}

TEST_CASE("a program that was checked before is looked at once more, at the end") {
    const bool checked_before = GENERATE(false, true);
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    DeviceRun run(*device, clock, {.checked_before = checked_before});
    const auto copy = run.queue("copy", engines::ActorKind::kCopy);
    const auto compute = run.queue("compute", engines::ActorKind::kCompute);
    const auto fence = run.fence("fence");
    const auto data = run.buffer("data", 1024);
    run.begin();
    run.execute(copy, "fill", {device::FillBuffer{{data.value}, 0, 1024, 1}}, 1);
    run.execute(compute, "change", {device::TransformBuffer{{data.value}, {data.value}, 0, 0, 1024, 1, 1}}, 1);
    run.signal(compute, fence, 1);
    run.host_wait(fence, 1);
    CHECK(run.ok() == checked_before);
    CHECK_FALSE(run.finish());
    REQUIRE_FALSE(run.violations().empty());
    CHECK(run.violations().front().rule == engines::Rule::kUnorderedRead);
}

TEST_CASE("a host read after the last submission is checked too") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    const bool checked_before = GENERATE(false, true);
    DeviceRun run(*device, clock, {.checked_before = checked_before});
    const auto copy = run.queue("copy", engines::ActorKind::kCopy);
    const auto uploads = run.buffer("uploads", 1024, engines::Place::kUpload);
    const auto answer = run.buffer("answer", 1024, engines::Place::kReadback);
    run.begin();
    run.execute(copy, "copy", {device::CopyBuffer{{uploads.value}, {answer.value}, 0, 0, 1024}}, 1);
    static_cast<void>(run.host_read("read", answer, 0, 1024));
    const auto outcome = run.finish();
    REQUIRE_FALSE(outcome);
    REQUIRE_FALSE(run.violations().empty());
    CHECK(run.violations().front().rule == engines::Rule::kUnorderedRead);
}

TEST_CASE("a host waits for the first of several values through one event") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    const auto device = open(test::scene_report(), mode);
    SteadyClock clock;
    {
        DeviceRun run(*device, clock, {.host_wait_limit_ns = 5'000'000});
        const auto compute = run.queue("compute", engines::ActorKind::kCompute);
        const auto copy = run.queue("copy", engines::ActorKind::kCopy);
        const auto never = run.fence("never");
        const auto done = run.fence("done");
        const auto gate = run.fence("gate");
        run.begin();
        run.wait(compute, gate, 1);
        run.signal(compute, never, 1);
        run.signal(copy, done, 2);
        CHECK(run.host_wait_any(std::array{engines::FencePoint{never, 1}, engines::FencePoint{done, 2}}) == 1);
        CHECK(run.host_wait_any(std::array{engines::FencePoint{never, 0}, engines::FencePoint{done, 2}}) == 0);
        REQUIRE(run.ok());
        (void)run.host_wait_any(std::array{engines::FencePoint{never, 1}, engines::FencePoint{done, 3}});
        REQUIRE_FALSE(run.ok());
        CHECK(run.status().error().code == ErrorCode::kTimeLimit);
        CHECK_FALSE(run.finish());
        // The gate stands open for nobody.
        REQUIRE_FALSE(run.violations().empty());
        CHECK(run.violations().front().rule == engines::Rule::kDeadlock);
    }
    check_nothing_left(*device);
}

// Of resources that belonged to one family at a time the same schedule would need transfers (ownership_test.cpp).
TEST_CASE("a recorded schedule says of which family each queue is") {
    const auto device = open(test::scene_report(), replay::ReplayMode::kImmediate);
    SteadyClock clock;
    DeviceRun run(*device, clock, {.seed = test::kSeed});
    (void)engines::play(test::rehearsed(test::example_named("copy-ring")), run);
    REQUIRE(run.finish());
    const auto all = device->submitter().engines();
    engines::Schedule recorded = run.program().schedule;
    REQUIRE(recorded.actors.size() == 3);
    for (std::size_t actor = 1; actor < recorded.actors.size(); ++actor)
        CHECK(recorded.actors[actor].queue_family == all[run.map().engine_of[actor].value].queue_family.value);
    REQUIRE(recorded.actors[1].queue_family != recorded.actors[2].queue_family);
    CHECK(run.map().families == 2);
    CHECK(engines::check(recorded, engines::Rules::kVulkan).empty());
    for (engines::ScheduledResource& resource : recorded.resources) resource.exclusive = true;
    const auto violations = engines::check(recorded, engines::Rules::kVulkan);
    CHECK(std::ranges::find(violations, engines::Rule::kNotOwned, &engines::Violation::rule) != violations.end());
    // So does the schedule as it is checked before it is played.
    const engines::Schedule mapped =
        engines::as_mapped(test::rehearsed(test::example_named("copy-ring")).schedule, run.map());
    CHECK(mapped.actors[1].queue_family == recorded.actors[1].queue_family);
    CHECK(mapped.actors[2].queue_family == recorded.actors[2].queue_family);
}

// The replayed device picks any queue that can go on, so that what has no order comes in some other order sooner or
// later.
TEST_CASE("without a wait of the lit frame some order of the device leaves other bytes") {
    const EngineProgram program = test::rehearsed(test::example_named("multi-engine-frame"));
    const engines::HostMemory account = run_on_host(program);
    SteadyClock clock;
    for (const engines::WaitFinding& wait : engines::find_wait_roles(program.schedule, engines::Rules::kVulkan)) {
        INFO(describe(program.schedule, wait.wait));
        const EngineProgram less = test::without_wait(program, wait.wait);
        bool shown = false;
        for (std::uint64_t seed = 1; seed <= 64 && !shown; ++seed) {
            const auto device = open(test::scene_report(), replay::ReplayMode::kManual, seed);
            DeviceRun run(*device, clock, {.seed = test::kSeed, .checked = false});
            (void)engines::play(less, run);
            const auto outcome = run.finish(&account);
            REQUIRE(outcome);
            shown = !outcome->differences.empty();
        }
        CHECK(shown);
        // Checked, nothing of it is submitted.
        const auto device = open(test::scene_report(), replay::ReplayMode::kManual);
        DeviceRun run(*device, clock, {.seed = test::kSeed});
        (void)engines::play(less, run);
        CHECK_FALSE(run.finish());
        CHECK_FALSE(run.violations().empty());
    }
}

TEST_CASE("any failing call of the device ends a run and leaks nothing") {
    const Example& example = test::example_named("copy-ring");
    const EngineProgram program = test::rehearsed(example, {.side = 8, .rounds = 1, .frames = 5});
    SteadyClock clock;
    for (std::uint64_t n = 1;; ++n) {
        INFO("call " << n);
        auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto faulty =
            replay::inject_faults(std::move(*replay), {.fail_at = n, .code = ErrorCode::kOutOfDeviceMemory});
        {
            DeviceRun run(*faulty, clock, {.seed = test::kSeed, .host_wait_limit_ns = 50'000'000});
            (void)engines::play(program, run);
            const auto outcome = run.finish();
            CHECK(outcome.has_value() == (faulty->counters().injected == 0));
        }
        CHECK(faulty->counters().nothing_alive());
        if (faulty->counters().injected == 0) break;
        REQUIRE(n < 2000);
    }
}
