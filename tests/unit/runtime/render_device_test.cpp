#include <cstring>
#include <thread>

#include "render_scene.hpp"

using namespace heapwright;
using runtime::LifetimeRule;

namespace {

constexpr device::ReplayOptions kManual{.interpolate = true, .mode = device::ReplayMode::kManual};

std::vector<LifetimeRule> broken(const test::RenderScene& scene) {
    std::vector<LifetimeRule> rules;
    for (const runtime::BrokenRule& rule : scene.render->checker().broken()) {
        rules.push_back(rule.rule);
        INFO(rule.statement);
        CHECK_FALSE(rule.statement.empty());
    }
    return rules;
}

device::Work fill(device::ResourceId buffer) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1};
}

}  // namespace

TEST_CASE("the fence counts completed lists: one more than the number of the last") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    for (std::uint64_t number = 0; number < 3; ++number) {
        scene.render->immediate().record(fill(buffer));
        const auto flushed = scene.render->flush();
        REQUIRE(flushed);
        CHECK(*flushed == number);
        CHECK(scene.render->clock().next() == number + 1);
        CHECK(scene.render->fence().completed()->value == number + 1);
    }
    CHECK_FALSE(scene.render->flush()->has_value());  // nothing was recorded
    scene.device->resources().destroy(buffer);
}

TEST_CASE("a resource released after its draw lives until that list is over") {
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(64);
    scene.render->immediate().record(fill(buffer));
    scene.render->release(buffer);  // by any thread; the next list is the one that uses it
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == 2);  // and the upload ring
    scene.device->advance(1);
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.device->counters().resources == 1);
    CHECK(broken(scene).empty());
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("finish_frame waits for frames older than those in flight, and for no others") {
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(64);
    for (int frame = 0; frame < 2; ++frame) {
        scene.render->immediate().record(fill(buffer));
        REQUIRE(scene.render->finish_frame());
    }
    CHECK(scene.render->fence().completed()->value == 0);
    scene.render->immediate().record(fill(buffer));
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.render->fence().completed()->value == 1);
    scene.render->release(buffer);
}

TEST_CASE("command allocators are reused only when the device has passed their list") {
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(64);
    for (int i = 0; i < 2; ++i) scene.submit_fill(buffer);
    CHECK(scene.render->command_allocators().created_count() == 2);
    CHECK(scene.render->command_allocators().reused_count() == 0);
    REQUIRE(scene.render->wait_idle());
    for (int i = 0; i < 2; ++i) scene.submit_fill(buffer);
    CHECK(scene.render->command_allocators().created_count() == 2);
    CHECK(scene.render->command_allocators().reused_count() == 2);
    scene.render->release(buffer);
    REQUIRE(scene.render->wait_idle());
    CHECK(scene.device->take_validation_messages().empty());
}

TEST_CASE("a deferred context's commands run when it is executed, behind the immediate context's") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    runtime::DeviceContext& deferred = scene.render->take_deferred();
    std::jthread([&] {
        deferred.record(device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = 2});
        REQUIRE(deferred.close());
    }).join();
    scene.render->immediate().record(fill(buffer));
    const auto number = scene.render->execute(deferred);
    REQUIRE(number);
    CHECK(*number == 1u);
    CHECK(&scene.render->take_deferred() == &deferred);
    scene.render->release(buffer);
    CHECK(broken(scene).empty());
}

TEST_CASE("a context's releases wait for its own list, and every kind of object comes back") {
    struct Owner final : runtime::MemoryRangeOwner {
        void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle) override { ++freed; }
        int freed = 0;
    } owner;
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(256);
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
    REQUIRE(view);
    runtime::DeviceContext& context = scene.render->immediate();
    context.record(fill(buffer));
    context.release(buffer);
    context.release(*pipeline);
    context.release(runtime::MemoryRange{.owner = &owner});
    context.release(std::move(*view));
    REQUIRE(scene.render->finish_frame());
    CHECK(owner.freed == 0);
    CHECK(scene.render->figures().cpu[0].stale == 1);
    CHECK(scene.device->counters().pipelines == 1);
    scene.device->advance(1);
    REQUIRE(scene.render->finish_frame());
    CHECK(owner.freed == 1);
    CHECK(scene.render->figures().cpu[0].stale == 0);
    CHECK(scene.device->counters().pipelines == 0);
    CHECK(scene.device->counters().resources == 1);
}

TEST_CASE("the checker tells a resource that is used after its release") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    scene.submit_fill(buffer);
    scene.render->release(buffer);
    scene.render->immediate().record(fill(buffer));
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kReleasedBeforeLastUse});
    const runtime::BrokenRule rule = scene.render->checker().broken().front();
    CHECK(rule.object == buffer.value);
    CHECK(rule.frame == 0);
    CHECK(rule.command_list == 1);
    REQUIRE(scene.render->flush());
}

TEST_CASE("the checker tells a resource that is released while a deferred context still uses it") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    runtime::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(buffer));
    scene.render->release(buffer);
    CHECK(broken(scene) == std::vector{LifetimeRule::kReleasedBeforeLastUse});
    REQUIRE(scene.render->execute(deferred));
}

TEST_CASE("the checker tells dynamic descriptors and space that are kept across frames") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    runtime::DeviceContext& context = scene.render->immediate();
    const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    const auto space = context.allocate_upload(16);
    REQUIRE((row && space));
    context.record(fill(buffer));
    REQUIRE(scene.render->finish_frame());
    context.copy_from_upload(*space, buffer, 0);
    context.dispatch({.pipeline = {}, .dynamic_table = *row});
    CHECK(broken(scene) == std::vector{LifetimeRule::kDynamicKeptAcrossFrames, LifetimeRule::kDynamicKeptAcrossFrames});
    scene.render->release(buffer);
}

TEST_CASE("the checker tells a deferred context that is open at the end of its frame") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    runtime::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(buffer));
    REQUIRE(scene.render->finish_frame());
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kDeferredAcrossFrames});
    CHECK(scene.render->checker().broken().front().object == deferred.number());
    REQUIRE(scene.render->execute(deferred));
    scene.render->release(buffer);
}

TEST_CASE("the checker tells a context that two threads use") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    scene.render->immediate().record(fill(buffer));
    std::jthread([&] { scene.render->immediate().record(fill(buffer)); }).join();
    CHECK(broken(scene) == std::vector{LifetimeRule::kContextUsedByTwoThreads});
    scene.render->immediate().release(buffer);
    REQUIRE(scene.render->flush());
}

TEST_CASE("the checker tells dynamic descriptors of another context") {
    const test::RenderScene scene;
    runtime::DeviceContext& deferred = scene.render->take_deferred();
    const auto row = deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    REQUIRE(row);
    scene.render->immediate().dispatch({.pipeline = {}, .dynamic_table = *row});
    CHECK(broken(scene) == std::vector{LifetimeRule::kForeignDynamicDescriptors});
}

TEST_CASE("whichever call fails, a frame can be repeated and nothing is lost or left behind") {
    for (std::uint64_t n = 1;; ++n) {
        auto replay = device::open_replay(test::bindable_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto device = device::inject_faults(std::move(*replay), {.fail_at = n});
        {
            auto render = runtime::RenderDevice::create(*device, test::render_policy(), {});
            if (render) {
                bool failed = false;
                for (int frame = 0; frame < 4; ++frame) {
                    auto view = (*render)->create_view(device::SamplerDescription{});
                    auto sampler = (*render)->samplers().get({.max_lod = 2.0f});
                    const auto row = (*render)->immediate().allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
                    const auto space = (*render)->immediate().allocate_upload(2 * test::kMib);
                    failed = failed || !view || !sampler || !row || !space;
                    if (!(*render)->finish_frame()) {
                        failed = true;
                        INFO("call " << n);
                        REQUIRE((*render)->finish_frame());
                    }
                }
                INFO("call " << n);
                if (!(*render)->wait_idle()) REQUIRE((*render)->wait_idle());
                REQUIRE((*render)->validate_invariants());
                CHECK((*render)->figures().dynamic_resources.live == 0);
            }
        }
        INFO("call " << n);
        CHECK(device->counters().nothing_alive());
        if (device->counters().injected == 0) break;
        REQUIRE(n < 200);
    }
}
