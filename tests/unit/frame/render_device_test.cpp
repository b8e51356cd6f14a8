#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <semaphore>
#include <thread>

#include <catch2/generators/catch_generators.hpp>

#include "core/cache_line.hpp"
#include "render_scene.hpp"

namespace render_device_test {

using namespace heapwright;
using frame::LifetimeRule;

namespace {

constexpr replay::ReplayOptions kManual{.interpolate = true, .mode = replay::ReplayMode::kManual};

std::vector<LifetimeRule> broken(const test::RenderScene& scene) {
    std::vector<LifetimeRule> rules;
    for (const frame::BrokenRule& rule : scene.render->checker().broken()) {
        rules.push_back(rule.rule);
        INFO(rule.statement);
        CHECK_FALSE(rule.statement.empty());
    }
    return rules;
}

device::Work fill(device::ResourceId buffer) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1};
}

// Calls something in the middle of a context's request for a chunk.
class StoppingHeap final : public frame::GPUDescriptorHeap {
public:
    static Result<std::unique_ptr<GPUDescriptorHeap>> make(device::DescriptorHeapSource& source,
                                                           const frame::FrameClock& clock,
                                                           const frame::VisibleHeapLayout& layout,
                                                           std::function<void()> stop) {
        HEAPWRIGHT_ASSIGN(const auto heap,
                          source.create({.kind = layout.kind, .capacity = layout.capacity, .shader_visible = true}));
        std::unique_ptr<StoppingHeap> made(new StoppingHeap(source, clock, layout, heap));
        made->stop_ = std::move(stop);
        HEAPWRIGHT_TRY(made->make_parts());
        return made;
    }

    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        stop_();
        return GPUDescriptorHeap::allocate_dynamic(count);
    }

private:
    using GPUDescriptorHeap::GPUDescriptorHeap;
    std::function<void()> stop_;
};

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
    frame::DeviceContext& deferred = scene.render->take_deferred();
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
    struct Owner final : frame::MemoryRangeOwner {
        void free_range(std::uint64_t, std::uint64_t, suballoc::SuballocationHandle) override { ++freed; }
        int freed = 0;
    } owner;
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(256);
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
    REQUIRE(view);
    frame::DeviceContext& context = scene.render->immediate();
    context.record(fill(buffer));
    context.release(buffer);
    context.release(*pipeline);
    context.release(frame::MemoryRange{.owner = &owner});
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
    const frame::BrokenRule rule = scene.render->checker().broken().front();
    CHECK(rule.object == buffer.value);
    CHECK(rule.frame == 0);
    CHECK(rule.command_list == 1);
    REQUIRE(scene.render->flush());
}

TEST_CASE("what is released after its last use was recorded breaks no rule, whichever context recorded it") {
    const test::RenderScene scene;
    for (const std::size_t told : {0u, 1u}) {
        const auto buffer = scene.buffer(64);
        frame::DeviceContext& context = told == 0 ? scene.render->immediate() : scene.render->take_deferred();
        context.record(fill(buffer));
        scene.render->release(buffer);
        CHECK(broken(scene).size() == told);
        context.record(fill(buffer));
        CHECK(broken(scene) == std::vector(told + 1, LifetimeRule::kReleasedBeforeLastUse));
        context.discard();
    }
}

TEST_CASE("the checker tells dynamic descriptors and space that are kept across frames") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    frame::DeviceContext& context = scene.render->immediate();
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

TEST_CASE("the checker tells a deferred context that is open for a whole frame after its own") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    frame::DeviceContext& deferred = scene.render->take_deferred();
    deferred.record(fill(buffer));
    REQUIRE(scene.render->finish_frame());
    CHECK(broken(scene).empty());  // another thread may have begun it while the frame ended
    for (int frame = 0; frame < 3; ++frame) REQUIRE(scene.render->finish_frame());
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kDeferredAcrossFrames});
    CHECK(scene.render->checker().broken().front().object == deferred.number());
    REQUIRE(scene.render->execute(deferred));
    scene.render->release(buffer);
}

TEST_CASE("a context may be handed from thread to thread") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    frame::DeviceContext& deferred = scene.render->take_deferred();
    for (int thread = 0; thread < 4; ++thread) {
        std::jthread([&] {
            REQUIRE(deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
            deferred.record(fill(buffer));
        }).join();
    }
    deferred.release(buffer);
    REQUIRE(scene.render->execute(deferred));
    CHECK(broken(scene).empty());
}

TEST_CASE("the checker tells a context that two threads use at once") {
    const bool closes = GENERATE(false, true);
    std::binary_semaphore is_inside(0);
    std::binary_semaphore may_leave(0);
    std::atomic<bool> stops = false;
    frame::RenderDeviceOptions options;
    options.make_visible_heap = [&](device::DescriptorHeapSource& source, const frame::FrameClock& clock,
                                    const frame::VisibleHeapLayout& layout) {
        return StoppingHeap::make(source, clock, layout, [&] {
            if (!stops.exchange(false)) return;
            is_inside.release();
            may_leave.acquire();
        });
    };
    const test::RenderScene scene({.interpolate = true}, options);
    const auto buffer = scene.buffer(64);
    frame::DeviceContext& context = scene.render->immediate();
    stops = true;
    {
        std::jthread other([&] { REQUIRE(context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3)); });
        is_inside.acquire();
        // The other one is in the middle of a call.
        if (closes)
            REQUIRE(context.close());
        else
            context.record(fill(buffer));
        may_leave.release();
    }
    CHECK(broken(scene) == std::vector{LifetimeRule::kContextUsedByTwoThreads});
    context.discard();
    scene.render->release(buffer);
}

TEST_CASE("the checker tells a row that is used again after its context was submitted in the same frame") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    frame::DeviceContext& context = scene.render->immediate();
    const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    const auto space = context.allocate_upload(16);
    REQUIRE((pipeline && row && space));
    context.copy_from_upload(*space, buffer, 0);
    REQUIRE(scene.render->flush());
    context.copy_from_upload(*space, buffer, 16);  // space is the frame's
    CHECK(broken(scene).empty());
    const auto fresh = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    REQUIRE(fresh);
    context.dispatch({.pipeline = *pipeline, .dynamic_table = *fresh});
    CHECK(broken(scene).empty());
    context.dispatch({.pipeline = *pipeline, .dynamic_table = *row});
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kDynamicUsedAfterSubmission});
    CHECK(scene.render->checker().broken().front().object == row->first);
    context.discard();
    scene.render->release(buffer);
    scene.render->release(*pipeline);
}

TEST_CASE("the checker tells dynamic descriptors of another context") {
    const test::RenderScene scene;
    frame::DeviceContext& deferred = scene.render->take_deferred();
    const auto row = deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    REQUIRE(row);
    scene.render->immediate().dispatch({.pipeline = {}, .dynamic_table = *row});
    CHECK(broken(scene) == std::vector{LifetimeRule::kForeignDynamicDescriptors});
}

TEST_CASE("submitting returns the allocator, the dynamic descriptors and the context; the frame's end the rest") {
    const test::RenderScene scene(kManual);
    const auto buffer = scene.buffer(256);
    auto view = scene.render->create_view(device::ConstantBufferView{.buffer = buffer, .size_bytes = 256});
    frame::DeviceContext& deferred = scene.render->take_deferred();
    REQUIRE(deferred.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    REQUIRE(deferred.allocate_upload(16));
    deferred.record(fill(buffer));
    REQUIRE(deferred.close());
    CHECK(scene.render->figures().dynamic_resources.stale == 0);
    CHECK(scene.render->figures().dynamic_resources.live == 128);
    frame::DeviceContext& other = scene.render->take_deferred();  // the first is not in the pool before it is submitted
    CHECK(&other != &deferred);

    REQUIRE(scene.render->execute(deferred));
    CHECK(scene.render->figures().dynamic_resources.live == 0);
    CHECK(scene.render->figures().dynamic_resources.stale == 128);
    CHECK_FALSE(deferred.is_recording());
    CHECK(&scene.render->take_deferred() == &deferred);
    other.record(fill(buffer));
    REQUIRE(scene.render->execute(other));
    CHECK(scene.render->command_allocators().created_count() == 2);  // the first one's list is not over

    scene.render->immediate().record(fill(buffer));
    view->reset();
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.render->figures().uploads.used_bytes > 0);
    CHECK(scene.render->figures().cpu[0].stale == 1);
    scene.device->advance(3);
    REQUIRE(scene.render->finish_frame());
    CHECK(scene.render->figures().uploads.used_bytes == 0);
    CHECK(scene.render->figures().dynamic_resources.stale == 0);
    CHECK(scene.render->figures().cpu[0].stale == 0);
    scene.render->release(buffer);
}

TEST_CASE("two contexts never write the same cache line while they record") {
    static_assert(alignof(frame::DynamicSuballocationsManager) >= kCacheLineBytes);
    static_assert(alignof(frame::ContextUploads) >= kCacheLineBytes);
    static_assert(alignof(frame::DeviceContext) >= kCacheLineBytes);
    const test::RenderScene scene;
    std::vector<std::uintptr_t> begins;
    for (int i = 0; i < 16; ++i) begins.push_back(reinterpret_cast<std::uintptr_t>(&scene.render->take_deferred()));
    std::ranges::sort(begins);
    for (std::size_t i = 1; i < begins.size(); ++i) {
        const std::uintptr_t end = begins[i - 1] + sizeof(frame::DeviceContext);
        CHECK((end - 1) / kCacheLineBytes < begins[i] / kCacheLineBytes);
    }
}

TEST_CASE("the checker still knows a resource that was destroyed frames ago") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    const auto other = scene.buffer(64);
    scene.submit_fill(buffer);
    scene.render->release(buffer);
    for (int frame = 0; frame < 3; ++frame) {
        scene.submit_fill(other);
        REQUIRE(scene.render->finish_frame());
    }
    CHECK(scene.render->figures().destroyed_resources == 1);
    scene.render->immediate().record(fill(buffer));
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kReleasedBeforeLastUse});
    const frame::BrokenRule rule = scene.render->checker().broken().front();
    CHECK(rule.object == buffer.value);
    CHECK(rule.frame == 3);
    CHECK(rule.statement.find("was released in frame 0 with command list 1") != std::string::npos);
    scene.render->release(other);
}

TEST_CASE("the checker tells a pipeline that is used after its release") {
    const test::RenderScene scene;
    const auto pipeline = scene.device->recorder()->create_pipeline(device::ComputeProgram::kReadTables);
    REQUIRE(pipeline);
    scene.submit_fill(scene.buffer(64));
    scene.render->release(*pipeline);
    const auto row = scene.render->immediate().allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
    scene.render->immediate().dispatch({.pipeline = *pipeline, .dynamic_table = *row});
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kReleasedBeforeLastUse});
    const frame::BrokenRule rule = scene.render->checker().broken().front();
    CHECK(rule.object == pipeline->value);
    CHECK(rule.command_list == 1);
    CHECK(rule.statement.starts_with("pipeline "));
}

TEST_CASE("the checker tells a table or a sampler that is used after its release, until its place is taken anew") {
    const test::RenderScene scene;
    frame::DeviceContext& context = scene.render->immediate();
    const auto use = [&](std::uint32_t table, std::optional<std::uint32_t> sampler) {
        const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
        context.dispatch({.pipeline = {}, .static_table = table, .dynamic_table = *row, .sampler = sampler});
    };
    auto kept = scene.render->resource_heap().allocate(3);
    auto table = scene.render->resource_heap().allocate(6);
    auto sampler = scene.render->samplers().get({.max_lod = 1.0f});
    REQUIRE((kept && table && sampler));
    const std::uint32_t first = table->first_index();
    const std::uint32_t place = sampler->visible_index();
    use(first, place);
    use(first + 3, place);
    CHECK(broken(scene).empty());
    table->reset();
    use(kept->first_index(), place);
    CHECK(broken(scene).empty());
    use(first + 3, place);
    REQUIRE(broken(scene) == std::vector{LifetimeRule::kReleasedBeforeLastUse});
    CHECK(scene.render->checker().broken().back().object == first + 3);
    CHECK(scene.render->checker().broken().back().statement.starts_with("descriptor "));
    sampler = frame::SamplerCache::Reference();
    use(kept->first_index(), place);
    REQUIRE(broken(scene).size() == 2);
    CHECK(scene.render->checker().broken().back().object == place);
    CHECK(scene.render->checker().broken().back().statement.starts_with("sampler descriptor "));

    scene.render->checker().descriptors_allocated(scene.render->resource_heap().heap(), first + 1, 4);
    use(first + 1, {});
    CHECK(broken(scene).size() == 2);
    use(first + 3, {});  // its last descriptor is not taken anew
    CHECK(broken(scene).size() == 3);
    use(first, {});  // nor is its first
    CHECK(broken(scene).size() == 4);
}

TEST_CASE("a heap that the device states to be too large is refused with both figures, never cut") {
    model::DeviceReport report = test::bindable_report();
    report.identity.api = model::Api::kD3d12;
    const auto device = *replay::open_replay(report, {.interpolate = true});
    model::DevicePolicy policy = test::render_policy();
    REQUIRE(frame::RenderDevice::create(*device, policy, {}));  // 2048 samplers are documented

    policy.descriptors.samplers.capacity.value = 8576;
    auto refused = frame::RenderDevice::create(*device, policy, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    CHECK(refused.error().where == "/descriptors/samplers/capacity");
    CHECK(refused.error().message ==
          "8576 shader-visible sampler descriptors are planned, one heap of the device may hold 2048");
    CHECK(refused.error().value == 8576);
    CHECK(refused.error().limit == 2048);

    policy = test::render_policy();
    policy.descriptors.resources.capacity.value = 1'000'001;
    refused = frame::RenderDevice::create(*device, policy, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where == "/descriptors/resources/capacity");
    CHECK(refused.error().limit == 1'000'000);
    CHECK(device->counters().descriptor_heaps == 0);
}

TEST_CASE("whichever call fails, a frame can be repeated and nothing is lost or left behind") {
    for (std::uint64_t n = 1;; ++n) {
        auto replay = replay::open_replay(test::bindable_report(), {.interpolate = true});
        REQUIRE(replay);
        const auto device = replay::inject_faults(std::move(*replay), {.fail_at = n});
        {
            auto render = frame::RenderDevice::create(*device, test::render_policy(), {});
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

}  // namespace render_device_test
