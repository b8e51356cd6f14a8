// Render devices with several queues, and command lists of several threads.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <catch2/generators/catch_generators.hpp>

#include "../validate/late_devices.hpp"
#include "core/random.hpp"
#include "render_scene.hpp"

using namespace heapwright;

namespace {

constexpr std::size_t kGraphics = 0;
constexpr std::size_t kCompute = 1;

frame::RenderDeviceOptions two_queues() {
    frame::RenderDeviceOptions options;
    options.queues = {device::EngineId{0}, device::EngineId{1}};
    options.frames_in_flight = 100;
    return options;
}

device::Work fill(device::ResourceId buffer, std::uint32_t word = 1) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = word};
}

// Two queues on a device that runs what it can, and a gate in front of the second one's lists.
struct TwoQueues : test::RenderScene {
    TwoQueues() : RenderScene({.interpolate = true}, two_queues()), gate(*device->create_timeline(0)) {}

    // A list that does not end before the gate is opened.
    void submit_gated(device::ResourceId target) const {
        frame::DeviceContext& context = render->immediate(kCompute);
        context.wait_for({.timeline = gate.get(), .value = TimelineValue{1}});
        context.record(fill(target));
        REQUIRE(render->flush(kCompute));
    }
    void open_gate() const { REQUIRE(gate->signal(TimelineValue{1})); }
    [[nodiscard]] std::uint64_t resources() const { return device->counters().resources; }

    std::unique_ptr<device::Timeline> gate;
};

// Its timelines read less each time, as for a thread that asked first and comes last.
class FallingDevice final : public test::ForwardingDevice {
public:
    using ForwardingDevice::ForwardingDevice;
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t) override {
        return std::make_unique<Falling>();
    }

private:
    struct Falling final : device::Timeline {
        Result<TimelineValue> completed() override { return TimelineValue{--next}; }
        Status signal(TimelineValue) override { return {}; }
        Status wait(TimelineValue, std::uint64_t) override { return {}; }
        Status signal_event(TimelineValue, CompletionEvent) override { return {}; }
        std::uint64_t next = 4;
    };
};

}  // namespace

TEST_CASE("what a queue is known to have completed does not fall back with a reading that comes late") {
    const auto replayed = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    FallingDevice device(*replayed);
    const auto queue = frame::DeviceQueue::create(device, device::EngineId{0});
    REQUIRE(queue);
    for (const std::uint64_t read : {3ull, 2ull, 1ull}) {
        CHECK((*queue)->poll()->value == read);
        CHECK((*queue)->last_completed() == TimelineValue{3});
    }
}

TEST_CASE("each queue has a clock, a fence, allocators and an immediate context of its own") {
    const TwoQueues scene;
    const auto buffer = scene.buffer(64);
    REQUIRE(scene.render->queue_count() == 2);
    CHECK(scene.render->immediate(kGraphics).queue() == kGraphics);
    CHECK(scene.render->immediate(kCompute).queue() == kCompute);
    for (int i = 0; i < 2; ++i) scene.submit_fill(buffer);
    scene.submit_gated(buffer);
    CHECK(scene.render->clock(kGraphics).next() == 2);
    CHECK(scene.render->clock(kCompute).next() == 1);
    CHECK(scene.render->fence(kGraphics).completed()->value == 2);
    CHECK(scene.render->fence(kCompute).completed()->value == 0);
    CHECK(scene.render->command_allocators(kCompute).created_count() == 1);
    CHECK(scene.render->figures().command_lists == 3);
    scene.open_gate();
    CHECK(scene.render->fence(kCompute).completed()->value == 1);
    scene.render->release(buffer);
}

TEST_CASE("what several queues may use waits for all of them") {
    const TwoQueues scene;
    const auto past_contexts = scene.buffer(64);
    const auto by_context = scene.buffer(64);
    const std::uint64_t before = scene.resources();
    scene.submit_gated(by_context);
    auto view = scene.render->create_view(device::BufferView{.buffer = by_context, .size_bytes = 64});
    REQUIRE(view);
    scene.render->immediate().record(fill(past_contexts));
    scene.render->immediate().release(by_context);
    scene.render->immediate().release(std::move(*view));
    scene.render->release(past_contexts);
    for (int frame = 0; frame < 3; ++frame) REQUIRE(scene.render->finish_frame());
    CHECK(scene.render->fence(kGraphics).completed()->value == 1);
    CHECK(scene.resources() == before);  // the graphics queue alone is done with them
    CHECK(scene.render->figures().cpu[0].stale == 1);
    scene.open_gate();
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.resources() == before - 2);
    CHECK(scene.render->figures().cpu[0].stale == 0);
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("what one queue alone used waits for no other one") {
    const TwoQueues scene;
    const auto held = scene.buffer(64);
    const auto released = scene.buffer(64);
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    const std::uint64_t before = scene.resources();
    scene.submit_gated(held);
    frame::DeviceContext& context = scene.render->immediate(kGraphics);
    REQUIRE(context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    context.record(fill(released));
    context.release(released, frame::UsedBy::kThisQueue);
    context.release(*pipeline, frame::UsedBy::kThisQueue);
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.resources() == before - 1);
    CHECK(scene.device->counters().pipelines == 0);
    CHECK(scene.render->figures().dynamic_resources.stale == 0);
    scene.open_gate();
    scene.render->release(held);
}

TEST_CASE("dynamic descriptors of one queue come back while another one is behind, and the other way round") {
    const std::size_t held = GENERATE(kCompute, kGraphics);
    model::DevicePolicy policy = test::render_policy();
    policy.descriptors.resources = {test::chosen<std::uint64_t>(512), test::chosen<std::uint64_t>(256),
                                    test::chosen<std::uint64_t>(64)};
    const test::RenderScene scene({.interpolate = true}, two_queues(), policy);
    const auto gate = *scene.device->create_timeline(0);
    const auto buffer = scene.buffer(64);
    const auto submit = [&](std::size_t queue) {
        frame::DeviceContext& context = scene.render->immediate(queue);
        REQUIRE(context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 64));
        if (queue == held) context.wait_for({.timeline = gate.get(), .value = TimelineValue{1}});
        context.record(fill(buffer));
        REQUIRE(scene.render->flush(queue));
    };
    for (int i = 0; i < 2; ++i) submit(held);
    for (int i = 0; i < 20; ++i) submit(held == kCompute ? kGraphics : kCompute);
    CHECK(scene.render->figures().dynamic_resources.stale <= 256);
    CHECK(scene.render->fence(held).completed()->value == 0);
    REQUIRE(gate->signal(TimelineValue{1}));
    scene.render->release(buffer);
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.render->figures().dynamic_resources.stale == 0);
}

TEST_CASE("who waits for the rows of one queue takes those that another one is through with meanwhile") {
    model::DevicePolicy policy = test::render_policy();
    policy.descriptors.resources = {test::chosen<std::uint64_t>(1024), test::chosen<std::uint64_t>(256),
                                    test::chosen<std::uint64_t>(64)};
    const test::RenderScene scene({.interpolate = true}, two_queues(), policy);
    const auto gate = *scene.device->create_timeline(0);
    const auto buffer = scene.buffer(64);
    constexpr auto kKind = device::DescriptorHeapKind::kCbvSrvUav;
    frame::DeviceContext& gated = scene.render->immediate(kGraphics);
    gated.wait_for({.timeline = gate.get(), .value = TimelineValue{1}});
    gated.record(fill(buffer));
    REQUIRE(gated.allocate_dynamic(kKind, 64));
    REQUIRE(scene.render->flush(kGraphics));
    frame::DeviceContext& holding = scene.render->take_deferred(kCompute);
    holding.record(fill(buffer));
    for (int i = 0; i < 3; ++i) REQUIRE(holding.allocate_dynamic(kKind, 64));
    std::atomic<bool> has_rows = false;
    std::jthread waiting(
        [&] { has_rows = scene.render->take_deferred(kCompute).allocate_dynamic(kKind, 8).has_value(); });
    while (scene.render->resource_heap().stall_count() == 0) std::this_thread::yield();
    REQUIRE(scene.render->submit(holding));
    for (int turn = 0; turn < 5'000 && !has_rows; ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(has_rows);
    REQUIRE(gate->signal(TimelineValue{1}));
    waiting.join();
    CHECK(scene.render->resource_heap().stall_count() == 1);
    scene.render->release(buffer);
}

TEST_CASE("a release that names the last list of each queue waits for those") {
    const TwoQueues scene;
    const auto buffer = scene.buffer(64);
    const auto other = scene.buffer(64);
    const std::uint64_t before = scene.resources();
    scene.render->immediate(kCompute).record(fill(buffer));
    const auto early = scene.render->flush(kCompute);
    scene.submit_gated(other);  // behind the last use
    scene.render->immediate(kGraphics).record(fill(buffer));
    const auto drawn = scene.render->flush(kGraphics);
    REQUIRE((early && drawn));
    const bool names_gated = GENERATE(false, true);
    const std::array<frame::LastUse, 2> uses{
        frame::LastUse{.queue = kGraphics, .command_list = **drawn},
        frame::LastUse{.queue = kCompute, .command_list = **early + (names_gated ? 1 : 0)}};
    REQUIRE(scene.render->release(buffer, uses));
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.resources() == (names_gated ? before : before - 1));
    scene.open_gate();
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.resources() == before - 1);
    scene.render->release(other);
}

TEST_CASE("a list waits for the list of another queue that it names") {
    const TwoQueues scene;
    const auto gated = scene.buffer(64);
    const auto copied = scene.buffer(64);
    scene.submit_gated(gated);
    frame::DeviceContext& context = scene.render->immediate(kGraphics);
    context.wait_for(scene.render->end_of({.queue = kCompute, .command_list = 0}));
    context.record(device::CopyBuffer{.source = gated, .destination = copied, .size_bytes = 16});
    REQUIRE(scene.render->flush());
    CHECK(scene.render->fence(kGraphics).completed()->value == 0);
    scene.submit_fill(copied);  // the wait was that one list's, but a queue runs in order
    scene.open_gate();
    CHECK(scene.render->fence(kGraphics).completed()->value == 2);
    for (const auto buffer : {gated, copied}) scene.render->release(buffer);
}

TEST_CASE("a wait holds what is submitted next, by whatever call it goes") {
    const TwoQueues scene;
    const auto gated = scene.buffer(64);
    const auto behind = scene.buffer(64);
    scene.submit_gated(gated);
    scene.render->immediate(kGraphics).wait_for(scene.render->end_of({.queue = kCompute, .command_list = 0}));
    SECTION("a deferred context") {
        frame::DeviceContext& deferred = scene.render->take_deferred(kGraphics);
        deferred.record(fill(behind));
        REQUIRE(scene.render->execute(deferred));
    }
    SECTION("work outside any context") {
        const device::Work work = fill(behind);
        REQUIRE(scene.render->submit_now({&work, 1}, kGraphics));
    }
    SECTION("what is recorded after a flush") {
        REQUIRE(scene.render->flush(kGraphics));
        scene.submit_fill(behind);
    }
    SECTION("what is recorded in the next frame") {
        REQUIRE(scene.render->finish_frame());
        scene.submit_fill(behind);
    }
    CHECK(scene.render->fence(kGraphics).completed()->value == 0);
    scene.open_gate();
    CHECK(scene.render->fence(kGraphics).completed() == scene.render->clock(kGraphics).submitted());
    for (const auto buffer : {gated, behind}) scene.render->release(buffer);
}

TEST_CASE("finish_frame holds the frames in flight on every queue") {
    frame::RenderDeviceOptions options = two_queues();
    options.frames_in_flight = 2;
    const test::RenderScene scene({.interpolate = true, .mode = replay::ReplayMode::kManual}, options);
    const auto buffer = scene.buffer(64);
    for (int frame = 0; frame < 3; ++frame) {
        scene.render->immediate(kCompute).record(fill(buffer));
        REQUIRE(scene.render->finish_frame());
    }
    CHECK(scene.render->fence(kCompute).completed()->value == 1);
    scene.render->release(buffer);
}

TEST_CASE("a frame that ends while a context is open keeps what the context uses until it is submitted") {
    const test::RenderScene scene({.interpolate = true, .mode = replay::ReplayMode::kManual}, two_queues());
    const auto buffer = scene.buffer(64);
    const auto other = scene.buffer(64);
    const std::uint64_t before = scene.device->counters().resources;
    frame::DeviceContext& open = scene.render->take_deferred(kCompute);
    open.record(fill(buffer));
    const auto space = open.allocate_upload(64);
    REQUIRE(space);
    scene.render->release(buffer);  // the checker says so; the device has to survive it
    scene.render->release(other);
    for (int frame = 0; frame < 3; ++frame) REQUIRE(scene.render->finish_frame());
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.device->counters().resources == before);
    CHECK(scene.render->figures().uploads.used_bytes > 0);
    REQUIRE(scene.render->submit(open));
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == before);  // submitted, not over
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.device->counters().resources == before - 2);
    CHECK(scene.render->figures().uploads.used_bytes == 0);
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("sixteen threads record, submit and free on two queues while frames end") {
    // Room for the blocks of all contexts at once: how many frames end meanwhile is the scheduler's choice.
    model::DevicePolicy policy = test::render_policy();
    policy.uploads = {test::chosen(32 * test::kMib), test::chosen(64 * test::kKib)};
    const frame::RenderDeviceOptions options = two_queues();
    model::DeviceReport report = test::bindable_report();
    test::set_fact(report, "maxMemoryAllocationCount", 4096);
    const test::RenderScene scene({.interpolate = true, .mode = replay::ReplayMode::kDeferred, .seed = 5}, options,
                                  policy, report);
    constexpr int kThreads = 16;
    constexpr int kRounds = 30;
    constexpr int kListsOfFrame = 24;
    std::atomic<int> running = kThreads;
    std::atomic<int> submitted = 0;
    std::mutex errors_mutex;
    std::vector<std::string> errors;
    const auto tell = [&](const auto&... results) {
        const std::lock_guard lock(errors_mutex);
        ((results ? void() : errors.push_back(to_string(results.error()))), ...);
    };
    const auto play = [&](std::uint64_t seed) {
        Random random(seed);
        for (int round = 0; round < kRounds; ++round) {
            const auto queue = static_cast<std::size_t>(random.below(2));
            auto made = scene.device->resources().create_dedicated(
                model::BufferDescription{.size_bytes = 256, .usage = test::kBindableUsage}, MemoryTypeIndex{0}, 0.5f);
            frame::DeviceContext& context = scene.render->take_deferred(queue);
            auto view = made ? scene.render->create_view(
                                   device::ConstantBufferView{.buffer = *made, .offset_bytes = 0, .size_bytes = 256})
                             : tl::unexpected(Error{});
            const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
            const auto space = context.allocate_upload(64);
            if (!made || !view || !row || !space) {
                tell(made, view, row, space);
                scene.render->give_back(context);
                continue;
            }
            context.copy_from_upload(*space, *made, 0);
            context.record(fill(*made));
            const std::uint64_t way = random.below(4);
            if (way == 0) context.release(*made, frame::UsedBy::kThisQueue);
            if (way == 1) context.release(*made);
            const auto number = scene.render->submit(context);
            if (!number || !*number) {
                tell(number);
                continue;
            }
            ++submitted;
            if (way == 2) scene.render->release(*made);
            if (way == 3) {
                const frame::LastUse use{.queue = queue, .command_list = **number};
                if (const Status named = scene.render->release(*made, {&use, 1}); !named) tell(named);
            }
            view->reset();
        }
        --running;
    };
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread)
            threads.emplace_back(play, static_cast<std::uint64_t>(thread) + 1);
        for (int seen = 0; running != 0; std::this_thread::yield()) {
            if (submitted < seen + kListsOfFrame) continue;
            seen = submitted;
            if (const Status ended = scene.render->finish_frame(); !ended) tell(ended);
        }
    }
    INFO((errors.empty() ? std::string("no error") : errors.front()));
    CHECK(errors.empty());
    REQUIRE(scene.render->wait_idle());
    const frame::RenderDeviceFigures figures = scene.render->figures();
    CHECK(figures.command_lists == kThreads * kRounds);
    CHECK(figures.destroyed_resources == kThreads * kRounds);
    CHECK(figures.dynamic_resources.live + figures.dynamic_resources.stale == 0);
    CHECK(figures.cpu[0].live + figures.cpu[0].stale == 0);
    REQUIRE(scene.render->validate_invariants());
    for (const std::string& message : scene.device->take_validation_messages()) FAIL_CHECK(message);
}

TEST_CASE("queues that the device does not have, or that are named twice, are refused") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const auto refusal = [&](std::vector<device::EngineId> queues) {
        frame::RenderDeviceOptions options;
        options.queues = std::move(queues);
        auto made = frame::RenderDevice::create(*device, test::render_policy(), options);
        REQUIRE_FALSE(made);
        CHECK(made.error().code == ErrorCode::kInvalidArgument);
        CHECK(made.error().where == "queues");
        return made.error().message;
    };
    CHECK(refusal({{0}, {99}}) == "the device has no such engine");
    CHECK(refusal({{1}, {1}}) == "an engine is named twice");
    CHECK(refusal({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}) == "more queues than a render device takes");
    CHECK(device->counters().timelines == 0);
}
