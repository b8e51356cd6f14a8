// When what was released ends, also beside contexts that are open and while others end, and what the checker tells of
// releases that leave out a use.
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/generators/catch_generators.hpp>

#include "../pool/resources_in_front.hpp"
#include "../validate/late_devices.hpp"
#include "render_scene.hpp"

namespace releases_test {

using namespace heapwright;

namespace {

constexpr replay::ReplayOptions kManual{.interpolate = true, .mode = replay::ReplayMode::kManual};

device::Work fill(device::ResourceId buffer) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1};
}

enum class User : std::uint8_t { kImmediate, kDeferred };
enum class Releaser : std::uint8_t { kSubmitted, kGivenBack, kFlushedImmediate };

struct FreedRanges final : frame::MemoryRangeOwner {
    void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle) override { ++count; }
    int count = 0;
};

// Uses are recorded in one context, and then released through another one.
struct Scene : test::RenderScene {
    Scene(User user, Releaser releaser)
        : RenderScene(kManual),
          using_context(user == User::kImmediate ? render->immediate() : render->take_deferred()),
          releasing_context(releaser == Releaser::kFlushedImmediate ? render->immediate() : render->take_deferred()),
          how(releaser) {}

    void end_releasing_context() const {
        if (how == Releaser::kGivenBack) return render->give_back(releasing_context);
        REQUIRE((how == Releaser::kSubmitted ? render->submit(releasing_context) : render->flush()));
    }
    // All that was submitted is over, and what may go is gone.
    void purge() const {
        device->advance(100);
        const auto end = render->finish_frame();
        if (!end) FAIL(to_string(end.error()));
    }

    frame::DeviceContext& using_context;
    frame::DeviceContext& releasing_context;
    Releaser how;
};

// Tells what it destroys.
class TellingBinder final : public test::ResourcesInFront {
public:
    using ResourcesInFront::ResourcesInFront;
    void destroy(device::ResourceId resource) override {
        ResourcesInFront::destroy(resource);
        if (on_destroy) on_destroy(resource);
    }

    std::function<void(device::ResourceId)> on_destroy;
};

class TellingDevice final : public test::ForwardingDevice {
public:
    explicit TellingDevice(device::Device& inner) : ForwardingDevice(inner), binder(inner.resources()) {}
    device::ResourceBinder& resources() override { return binder; }

    TellingBinder binder;
};

}  // namespace

TEST_CASE("a memory range that is released while others end comes back behind the resource that lies in it") {
    struct Owner final : frame::MemoryRangeOwner {
        void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle) override { order.push_back(0); }
        std::vector<std::uint64_t> order;  // 0: the range
    } owner;
    const auto replay = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    TellingDevice device(*replay);
    const auto render = *frame::RenderDevice::create(device, test::render_policy(), {});
    const auto buffer = [&] {
        return *device.resources().create_dedicated(
            model::BufferDescription{.size_bytes = 64, .usage = test::kBindableUsage}, MemoryTypeIndex{0}, 0.5f);
    };
    const auto first = buffer();
    const auto second = buffer();
    render->immediate().record(fill(first));
    render->immediate().release(first);
    REQUIRE(render->flush());
    frame::DeviceContext& deferred = render->take_deferred();
    deferred.release(second);
    deferred.release(frame::MemoryRange{.owner = &owner, .offset_bytes = 0, .size_bytes = 64});
    device.binder.on_destroy = [&](device::ResourceId destroyed) {
        owner.order.push_back(destroyed.value);
        if (destroyed == first) render->give_back(deferred);
    };
    for (int frame = 0; frame < 2; ++frame) REQUIRE(render->finish_frame());
    CHECK(owner.order == std::vector<std::uint64_t>{first.value, second.value, 0});
    device.binder.on_destroy = {};
}

TEST_CASE("an exception from who takes memory back loses no range and gives none back twice") {
    struct Owner final : frame::MemoryRangeOwner {
        void free_range(std::uint64_t offset_bytes, std::uint64_t, suballoc::SuballocationHandle) override {
            freed.push_back(offset_bytes);
            if (offset_bytes == 2) throw std::runtime_error("no");
        }
        std::vector<std::uint64_t> freed;
    } owner;
    const test::RenderScene scene;
    const bool is_batch = GENERATE(false, true);
    for (std::uint64_t offset = 1; offset <= 3; ++offset) {
        const frame::MemoryRange range{.owner = &owner, .offset_bytes = offset, .size_bytes = 1};
        is_batch ? scene.render->immediate().release(range) : scene.render->release(range);
    }
    CHECK_THROWS((void)scene.render->finish_frame());
    REQUIRE(scene.render->finish_frame());
    CHECK(owner.freed == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("what a context releases outlives the recorded and unsubmitted uses of other contexts") {
    const auto [user, releaser] =
        GENERATE(std::pair(User::kImmediate, Releaser::kSubmitted), std::pair(User::kImmediate, Releaser::kGivenBack),
                 std::pair(User::kDeferred, Releaser::kSubmitted), std::pair(User::kDeferred, Releaser::kGivenBack),
                 std::pair(User::kDeferred, Releaser::kFlushedImmediate));
    INFO("user " << static_cast<int>(user) << ", releaser " << static_cast<int>(releaser));
    FreedRanges ranges;
    const Scene scene(user, releaser);
    const auto used = scene.buffer(64);
    const auto other = scene.buffer(64);
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    REQUIRE(pipeline);
    auto table = scene.render->resource_heap().allocate(3);
    REQUIRE(table);
    const std::uint64_t before = scene.device->counters().resources;

    scene.using_context.record(fill(used));
    scene.releasing_context.record(fill(other));
    scene.releasing_context.release(used);
    scene.releasing_context.release(*pipeline);
    scene.releasing_context.release(std::move(*table));
    scene.releasing_context.release(frame::MemoryRange{.owner = &ranges, .size_bytes = 64});
    scene.end_releasing_context();
    scene.device->advance(100);
    if (user == User::kDeferred) scene.purge();  // the frame's end would submit the immediate context
    CHECK(scene.device->counters().resources == before);
    CHECK(scene.device->counters().pipelines == 1);
    CHECK(ranges.count == 0);
    CHECK(scene.render->figures().static_resources.live + scene.render->figures().static_resources.stale == 3);

    if (user == User::kDeferred) REQUIRE(scene.render->submit(scene.using_context));
    scene.render->release(other);
    scene.purge();
    scene.purge();
    CHECK(scene.device->counters().resources == before - 2);
    CHECK(scene.device->counters().pipelines == 0);
    CHECK(ranges.count == 1);
    CHECK(scene.render->figures().static_resources.stale == 0);
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("tables whose list is over make room within the frame") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    const auto most = static_cast<std::uint32_t>(scene.render->resource_heap().static_figures().capacity);
    for (int load = 0; load < 3; ++load) {
        auto tables = scene.render->resource_heap().allocate(most);
        if (!tables) FAIL(to_string(tables.error()));
        scene.render->immediate().release(std::move(*tables));
        CHECK_FALSE(scene.render->resource_heap().allocate(1));
        scene.submit_fill(buffer);
    }
    scene.render->release(buffer);
}

TEST_CASE("what a context releases while no other one is open ends with its own list") {
    const test::RenderScene scene(kManual);
    const auto used = scene.buffer(64);
    const auto held = scene.buffer(64);
    const std::uint64_t before = scene.device->counters().resources;
    scene.render->immediate().record(fill(used));
    scene.render->immediate().release(used);
    REQUIRE(scene.render->flush());
    scene.submit_fill(held);
    scene.device->advance(1);  // the first list alone
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == before - 1);
    scene.render->release(held);
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("the checker tells what a release leaves out: uses of other queues, later lists, contexts that are open") {
    frame::RenderDeviceOptions options;
    options.queues = {device::EngineId{0}, device::EngineId{1}};
    const test::RenderScene scene(kManual, options);
    const auto used = scene.buffer(64);
    frame::RenderDevice& render = *scene.render;
    const auto submit = [&](std::size_t queue) {
        render.immediate(queue).record(fill(used));
        return **render.flush(queue);
    };
    const bool is_over = GENERATE(false, true);
    const auto tells = [&](std::uint64_t count, std::string_view what) {
        CHECK(render.checker().broken_count() == count);
        for (const frame::BrokenRule& rule : render.checker().broken()) {
            CHECK(rule.rule == frame::LifetimeRule::kUseLeftOut);
            CHECK(rule.object == used.value);
            CHECK(rule.statement.find(what) != std::string::npos);
        }
    };
    SECTION("a list of another queue and an earlier frame") {
        (void)submit(1);
        REQUIRE(render.finish_frame());
        if (is_over) scene.device->advance(100);
        render.immediate(0).record(fill(used));
        render.immediate(0).release(used, frame::UsedBy::kThisQueue);
        tells(is_over ? 0 : 1, "in command list 0 of queue 1, which is not over");
    }
    SECTION("a context of another queue") {
        render.immediate(1).record(fill(used));
        if (is_over) render.immediate(1).discard();
        render.immediate(0).release(used, frame::UsedBy::kThisQueue);
        tells(is_over ? 0 : 1, "in context 1 of queue 1, which is open");
    }
    SECTION("a later list of a queue that is named") {
        const frame::LastUse first{.queue = 0, .command_list = submit(0)};
        (void)submit(0);
        if (is_over) scene.device->advance(100);
        REQUIRE(render.release(used, {&first, 1}));
        tells(is_over ? 0 : 1, "in command list 1 of queue 0, which is not over");
    }
    SECTION("a context beside the lists that are named") {
        frame::DeviceContext& deferred = render.take_deferred();
        deferred.record(fill(used));
        const frame::LastUse last{.queue = 0, .command_list = submit(0)};
        if (is_over) render.give_back(deferred);
        REQUIRE(render.release(used, {&last, 1}));
        tells(is_over ? 0 : 1, "in context 2 of queue 0, which is open");
        render.give_back(deferred);
    }
    scene.device->advance(100);
}

TEST_CASE("the checker tells uses behind a release in every call that records or submits one") {
    const test::RenderScene scene(kManual);
    frame::RenderDevice& render = *scene.render;
    const auto used = scene.buffer(64);
    const auto pipeline = *scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTablesStaticSampler);
    auto table = *render.resource_heap().allocate(3);
    const device::DispatchTables dispatch{.pipeline = pipeline,
                                          .resource_heap = render.resource_heap().heap(),
                                          .static_table = table.first_index(),
                                          .sampler_heap = {},
                                          .reads = {used},
                                          .writes = {}};
    frame::DeviceContext& context = render.immediate();
    SECTION("work outside any context") {
        render.release(used);
        const device::Work work = fill(used);
        REQUIRE(render.submit_now({&work, 1}));
        CHECK(render.checker().broken_count() == 1);
    }
    SECTION("the context that released it, before it is submitted") {
        context.record(dispatch);
        context.release(used);
        context.release(pipeline);
        context.release(std::move(table));
        context.record(dispatch);
        CHECK(render.checker().broken_count() == 3);
    }
    SECTION("another context, before that one is submitted") {
        context.release(used);
        render.take_deferred().record(fill(used));
        CHECK(render.checker().broken_count() == 1);
    }
    for (const frame::BrokenRule& rule : render.checker().broken())
        CHECK(rule.rule == frame::LifetimeRule::kReleasedBeforeLastUse);
    context.discard();
    scene.device->advance(100);
}

}  // namespace releases_test
