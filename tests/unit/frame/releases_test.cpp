// What one context releases while another one has recorded the last use and is not submitted.
#include <cstdint>
#include <utility>

#include <catch2/generators/catch_generators.hpp>

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

}  // namespace

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

}  // namespace releases_test
