// Contexts beside the end of a frame, contexts that are given back twice, mappings that move between contexts, and
// releases that name what is not there.
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "frame/dynamic_buffer.hpp"
#include "render_scene.hpp"

namespace context_rules_test {

using namespace heapwright;

namespace {

device::Work fill(device::ResourceId buffer) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = 16, .value = 1};
}

void check_no_rule_broken(const test::RenderScene& scene) {
    for (const frame::BrokenRule& rule : scene.render->checker().broken()) FAIL_CHECK(rule.statement);
    CHECK(scene.render->checker().broken_count() == 0);
}

}  // namespace

TEST_CASE("a context that begins while a frame waits for the device belongs to the next frame in every respect") {
    frame::RenderDeviceOptions options;
    options.frames_in_flight = 1;
    const test::RenderScene scene({.interpolate = true}, options);
    const auto gate = *scene.device->create_timeline(0);
    scene.render->set_gate(device::TimelinePoint{.timeline = gate.get(), .value = TimelineValue{1}});
    const auto buffer = scene.buffer(64);
    scene.submit_fill(buffer);
    REQUIRE(scene.render->finish_frame());
    scene.submit_fill(buffer);
    frame::DeviceContext* deferred = nullptr;
    std::optional<frame::UploadRange> space;
    {
        std::jthread ending([&] { REQUIRE(scene.render->finish_frame()); });
        while (scene.render->frame_clock().next() < 2) std::this_thread::yield();
        deferred = &scene.render->take_deferred();
        const auto made = deferred->allocate_upload(64);
        REQUIRE(made);
        space = *made;
        CHECK(space->frame == deferred->begun_in_frame());
        REQUIRE(gate->signal(TimelineValue{1}));
    }
    scene.render->set_gate({});
    deferred->copy_from_upload(*space, buffer, 0);
    REQUIRE(scene.render->execute(*deferred));
    REQUIRE(scene.render->finish_frame());
    check_no_rule_broken(scene);
    scene.render->release(buffer);
}

TEST_CASE("frames that end beside a thread that records deferred contexts break no rule") {
    const test::RenderScene scene({.interpolate = true, .mode = replay::ReplayMode::kDeferred, .seed = 5});
    const auto buffer = scene.buffer(256);
    std::atomic<bool> stop = false;
    std::atomic<int> failures = 0;
    std::jthread recording([&] {
        while (!stop) {
            auto& deferred = scene.render->take_deferred();
            const auto space = deferred.allocate_upload(64);
            if (!space) {  // this frame's is used up
                scene.render->give_back(deferred);
                continue;
            }
            deferred.copy_from_upload(*space, buffer, 0);
            if (!scene.render->submit(deferred)) ++failures;
        }
    });
    for (int i = 0; i < 5'000; ++i) {
        REQUIRE(scene.render->finish_frame());
        std::this_thread::yield();
    }
    stop = true;
    recording.join();
    CHECK(failures == 0);
    for (const frame::BrokenRule& rule : scene.render->checker().broken())
        CHECK(rule.rule == frame::LifetimeRule::kDeferredAcrossFrames);  // a thread that slept for a whole frame
    scene.render->release(buffer);
    REQUIRE(scene.render->wait_idle());
}

TEST_CASE("a deferred context that stays open is told where frames end by waiting, too") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    auto& deferred = scene.render->take_deferred();
    deferred.record(fill(buffer));
    REQUIRE(scene.render->wait_idle());
    check_no_rule_broken(scene);  // it is the next frame
    for (int wait = 0; wait < 2; ++wait) REQUIRE(scene.render->wait_idle());
    const auto broken = scene.render->checker().broken();
    REQUIRE(broken.size() == 1);
    CHECK(broken.front().rule == frame::LifetimeRule::kDeferredAcrossFrames);
    REQUIRE(scene.render->submit(deferred));
    scene.render->release(buffer);
}

TEST_CASE("a dynamic buffer that is mapped in one context and then in another is unmapped in the first") {
    const test::RenderScene scene;
    const auto target = scene.buffer(64);
    auto& immediate = scene.render->immediate();
    auto& deferred = scene.render->take_deferred();
    frame::DynamicBuffer buffer(256);
    REQUIRE(buffer.map(immediate));
    REQUIRE(buffer.map(deferred));
    immediate.record(fill(target));
    REQUIRE(scene.render->flush());
    buffer.unmap();
    deferred.record(fill(target));
    REQUIRE(scene.render->submit(deferred));
    for (int frame = 0; frame < 2; ++frame) REQUIRE(scene.render->finish_frame());
    check_no_rule_broken(scene);
    scene.render->release(target);
}

TEST_CASE("a mapping ends with its buffer, and with a context that is discarded or given back") {
    const test::RenderScene scene;
    const auto target = scene.buffer(64);
    auto& immediate = scene.render->immediate();
    {
        frame::DynamicBuffer gone(256);
        REQUIRE(gone.map(immediate));
    }
    scene.submit_fill(target);
    frame::DynamicBuffer discarded(256);
    REQUIRE(discarded.map(immediate));
    immediate.discard();
    scene.submit_fill(target);
    discarded.unmap();
    scene.submit_fill(target);
    auto& deferred = scene.render->take_deferred();
    frame::DynamicBuffer given_back(256);
    REQUIRE(given_back.map(deferred));
    scene.render->give_back(deferred);
    auto& again = scene.render->take_deferred();
    again.record(fill(target));
    REQUIRE(scene.render->submit(again));
    given_back.unmap();
    check_no_rule_broken(scene);
    scene.render->release(target);
}

TEST_CASE("a context that is not taken is submitted by nobody and given back once") {
    const test::RenderScene scene;
    auto& deferred = scene.render->take_deferred();
    REQUIRE(scene.render->submit(deferred));
    for (frame::DeviceContext* context : {&deferred, &scene.render->immediate()}) {
        const auto refused = scene.render->submit(*context);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        CHECK(refused.error().value == context->number());
        scene.render->give_back(*context);
    }
    auto& first = scene.render->take_deferred();
    auto& second = scene.render->take_deferred();
    CHECK(&first != &second);
    CHECK(&first != &scene.render->immediate());
}

TEST_CASE("a release that names a queue or a list that is not there releases nothing") {
    const test::RenderScene scene;
    const auto buffer = scene.buffer(64);
    scene.submit_fill(buffer);
    for (const frame::LastUse& use :
         {frame::LastUse{.queue = 8, .command_list = 0}, frame::LastUse{.queue = 1, .command_list = 0},
          frame::LastUse{.queue = 0, .command_list = 1}}) {
        const Status refused = scene.render->release(buffer, {&use, 1});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        CHECK(refused.error().value == (use.queue == 0 ? use.command_list : use.queue));
        CHECK(refused.error().limit == 1u);
    }
    scene.submit_fill(buffer);  // nothing was released
    check_no_rule_broken(scene);
    scene.render->release(buffer);
}

TEST_CASE("pages of views that hold nothing go back to the device after a while") {
    const test::RenderScene scene;
    std::vector<frame::DescriptorHeapAllocation> views;
    auto& heap = scene.render->cpu_heap(device::DescriptorHeapKind::kCbvSrvUav);
    for (int i = 0; i < 5'000; ++i) views.push_back(*heap.allocate(1));
    CHECK(heap.figures().managers == 5);
    views.clear();
    for (int frame = 0; frame < 600; ++frame) REQUIRE(scene.render->finish_frame());
    CHECK(heap.figures().managers == 0);
}

TEST_CASE("space that no wait can bring is refused with the figures, and counts as no stall") {
    frame::RenderDeviceOptions options;
    options.most_upload_bytes = 4 * test::kMib;
    const test::RenderScene scene({.interpolate = true}, options);
    auto& context = scene.render->immediate();
    for (int i = 0; i < 4; ++i) REQUIRE(context.allocate_upload(test::kMib));
    const auto refused = context.allocate_upload(test::kMib);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(refused.error().value == test::kMib);
    CHECK(refused.error().limit == 4 * test::kMib);
    CHECK(scene.render->figures().uploads.stalls == 0);
    const auto none = scene.render->resource_heap().allocate(0);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("space of a frame that ended beside an open context is there as soon as that one's list is over") {
    frame::RenderDeviceOptions options;
    options.most_upload_bytes = 4 * test::kMib;
    const test::RenderScene scene({.interpolate = true}, options);
    const auto buffer = scene.buffer(64);
    auto& deferred = scene.render->take_deferred();
    deferred.record(fill(buffer));
    for (int i = 0; i < 4; ++i) REQUIRE(scene.render->immediate().allocate_upload(test::kMib));
    REQUIRE(scene.render->finish_frame());
    CHECK_FALSE(scene.render->immediate().allocate_upload(test::kMib));
    REQUIRE(scene.render->submit(deferred));
    CHECK(scene.render->immediate().allocate_upload(test::kMib));
    scene.render->release(buffer);
}

TEST_CASE("a view that is used behind its release is told, by a dispatch as by a clear") {
    const test::RenderScene scene;
    frame::RenderDevice& render = *scene.render;
    frame::DeviceContext& context = render.immediate();
    const device::ResourceId image = scene.buffer(64);  // the checker does not ask what it is
    auto constant = render.create_view(device::ConstantBufferView{.buffer = scene.buffer(256), .size_bytes = 256});
    auto table = render.resource_heap().allocate(3);
    auto target = render.cpu_heap(device::DescriptorHeapKind::kRtv).allocate();
    auto depth = render.cpu_heap(device::DescriptorHeapKind::kDsv).allocate();
    REQUIRE((constant && table && target && depth));
    const frame::ViewPlace read{.heap = constant->heap(), .index = constant->first_index()};
    const device::ClearRenderTarget clear{.heap = target->heap(), .index = target->first_index(), .image = image};
    const device::ClearDepthStencil clear_depth{.heap = depth->heap(), .index = depth->first_index(), .image = image};
    const auto use_all = [&] {
        const auto row = context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3);
        REQUIRE(row);
        context.dispatch({.static_table = table->first_index(), .dynamic_table = *row, .views = {read}});
        context.record(clear);
        context.record(clear_depth);
    };
    use_all();
    check_no_rule_broken(scene);

    constant->reset();
    context.release(std::move(*target));
    use_all();
    const std::vector<frame::BrokenRule> broken = render.checker().broken();
    REQUIRE(broken.size() == 2);
    for (const frame::BrokenRule& rule : broken) {
        CHECK(rule.rule == frame::LifetimeRule::kReleasedBeforeLastUse);
        CHECK(rule.object == 0);
        const device::DescriptorHeapId heap = &rule == &broken.front() ? read.heap : clear.heap;
        CHECK(rule.statement.starts_with(fmt::format(
            "view 0 of heap {} is used by context 0 in frame 0 (command list 0), but was released", heap.value)));
    }

    // One was taken anew; the heap of the other one went back to the device.
    context.discard();
    REQUIRE(render.wait_idle());
    const auto again = render.create_view(device::ConstantBufferView{.buffer = scene.buffer(256), .size_bytes = 256});
    REQUIRE(again);
    CHECK(again->first_index() == read.index);
    CHECK(render.cpu_heap(device::DescriptorHeapKind::kRtv).trim() == 1);
    use_all();
    CHECK(render.checker().broken_count() == 3);
    context.discard();
}

}  // namespace context_rules_test
