#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include <catch2/generators/catch_generators.hpp>

#include "frame/dynamic_buffer.hpp"
#include "render_scene.hpp"

namespace upload_heap_test {

using namespace heapwright;

namespace {

constexpr std::uint64_t kRing = 256 * test::kKib;
constexpr std::uint64_t kPage = 128 * test::kKib;

struct UploadScene {
    explicit UploadScene(std::uint64_t most_bytes, replay::ReplayMode mode = replay::ReplayMode::kManual)
        : device(*replay::open_replay(test::bindable_report(), {.interpolate = true, .mode = mode})),
          timeline(*device->create_timeline(0)) {
        constexpr std::uint32_t kTypes[] = {1, 2};
        auto made = frame::UploadHeap::create(*device, *timeline, kTypes,
                                              {.ring_bytes = kRing, .page_bytes = kPage, .most_bytes = most_bytes});
        if (!made) FAIL(to_string(made.error()));
        heap = std::move(*made);
    }
    // The device signals the frame's value when it gets there.
    void end_frame() {
        const device::TimelinePoint signal{.timeline = timeline.get(), .value = TimelineValue{++frame}};
        REQUIRE(
            device->submitter().submit({.engine = {}, .waits = {}, .work = {}, .signals = {&signal, 1}, .lists = {}}));
        REQUIRE(heap->finish_frame(TimelineValue{frame}));
    }

    std::unique_ptr<replay::ReplayDevice> device;
    std::unique_ptr<device::Timeline> timeline;
    std::unique_ptr<frame::UploadHeap> heap;
    std::uint64_t frame = 0;
};

}  // namespace

TEST_CASE("uploads of a frame are apart, aligned and mapped") {
    UploadScene scene(kRing);
    std::vector<frame::UploadRange> ranges;
    for (std::uint64_t size = 4; size <= 16384; size *= 2) {
        const auto range = scene.heap->allocate(size, 256);
        REQUIRE(range);
        CHECK(range->offset_bytes % 256 == 0);
        CHECK(range->bytes.size() == size);
        std::memset(range->bytes.data(), static_cast<int>(ranges.size()), size);
        ranges.push_back(*range);
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        CHECK(std::ranges::all_of(ranges[i].bytes, [&](std::byte byte) { return byte == static_cast<std::byte>(i); }));
    }
    CHECK_FALSE(scene.heap->allocate(0));
    CHECK_FALSE(scene.heap->allocate(16, 3));
}

TEST_CASE("pages are charged to the accounts, and go to the next memory type where the first has no room") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const auto timeline = *device->create_timeline(0);
    model::DevicePolicy policy = test::pool_policy();
    constexpr std::uint64_t kSize = 1024 * test::kKib;  // a size that the report has: the device asks for no byte more
    policy.heaps[1].usable_bytes.value = kSize;
    pool::BudgetedMemory accounts(device->facts(), device->memory(), policy, ~0ull, {});
    {
        constexpr std::uint32_t kTypes[] = {1, 2};
        const auto heap = *frame::UploadHeap::create(
            *device, *timeline, kTypes,
            {.ring_bytes = kSize, .page_bytes = kSize, .most_bytes = 2 * kSize, .accounts = &accounts});
        CHECK(accounts.state().heaps[1].beside_bytes == kSize);
        for (int i = 0; i < 2; ++i) REQUIRE(heap->allocate(kSize));
        CHECK(heap->figures().pages_made == 1);
        CHECK(accounts.state().heaps[1].beside_bytes == kSize);
        CHECK(accounts.state().heaps[0].beside_bytes == kSize);
        CHECK(accounts.state().beside_allocations == 2);
        // Neither has room: the limits hold for an upload heap, too.
        policy.heaps[0].usable_bytes.value = 0;
        pool::BudgetedMemory full(device->facts(), device->memory(), policy, kSize - 1, {});
        const auto refused = frame::UploadHeap::create(
            *device, *timeline, kTypes,
            {.ring_bytes = kSize, .page_bytes = kSize, .most_bytes = kSize, .accounts = &full});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kExhausted);
    }
    CHECK(accounts.state().allocations == 0);
    CHECK(accounts.state().reserved_bytes == 0);
}

TEST_CASE("the ring comes back frame by frame, when the device has passed the frame and not before") {
    UploadScene scene(kRing);
    REQUIRE(scene.heap->allocate(kPage));
    scene.end_frame();
    REQUIRE(scene.heap->allocate(kPage));
    scene.end_frame();
    CHECK(scene.heap->figures().used_bytes == kRing);
    scene.heap->release_completed(TimelineValue{0});
    CHECK(scene.heap->figures().used_bytes == kRing);
    scene.heap->release_completed(TimelineValue{1});
    CHECK(scene.heap->figures().used_bytes == kRing - kPage);
    REQUIRE(scene.heap->allocate(kPage));
    CHECK(scene.heap->figures().stalls == 0);
    REQUIRE(scene.heap->validate_invariants());
}

TEST_CASE("a frame that does not fit grows the heap instead of waiting") {
    UploadScene scene(kRing + 2 * kPage);
    for (int i = 0; i < 4; ++i) REQUIRE(scene.heap->allocate(kPage));
    CHECK(scene.heap->figures().pages_made == 2);
    CHECK(scene.heap->figures().stalls == 0);
    const auto refused = scene.heap->allocate(kPage);  // this frame alone holds everything
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(refused.error().limit == kRing + 2 * kPage);
    scene.end_frame();
    REQUIRE(scene.heap->allocate(kPage));
}

TEST_CASE("what the device has passed meanwhile is taken before anything grows or waits") {
    UploadScene scene(kRing + 8 * kPage, replay::ReplayMode::kImmediate);
    for (int i = 0; i < 20; ++i) {
        REQUIRE(scene.heap->allocate(kRing / 2));
        scene.end_frame();
    }
    CHECK(scene.heap->figures().pages_made == 0);
    CHECK(scene.heap->figures().stalls == 0);
}

TEST_CASE("only when nothing else helps the host waits for the oldest frame, and the stall is counted") {
    UploadScene scene(kRing);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(scene.heap->allocate(kPage));
        scene.end_frame();
    }
    REQUIRE(scene.heap->allocate(kPage));
    CHECK(scene.heap->figures().stalls == 1);
    CHECK(scene.heap->figures().pages_made == 0);
    CHECK(scene.timeline->completed()->value >= 1);
}

TEST_CASE("an upload larger than a page gets one of its own, which waits for the device") {
    UploadScene scene(kRing + 4 * kPage);
    const auto large = scene.heap->allocate(3 * kPage);
    REQUIRE(large);
    CHECK(large->offset_bytes == 0);
    CHECK(large->bytes.size() == 3 * kPage);
    CHECK(scene.heap->figures().large_pages_made == 1);
    CHECK(scene.heap->figures().used_bytes == 3 * kPage);
    CHECK(scene.heap->figures().peak_used_bytes == 3 * kPage);
    REQUIRE(scene.heap->validate_invariants());
    const std::uint64_t with_page = scene.device->counters().resources;
    scene.end_frame();
    scene.heap->release_completed(TimelineValue{0});
    CHECK(scene.device->counters().resources == with_page);
    scene.heap->release_completed(TimelineValue{1});
    CHECK(scene.device->counters().resources == with_page - 1);
    CHECK(scene.heap->figures().capacity_bytes == kRing);
    CHECK(scene.heap->figures().used_bytes == 0);
    REQUIRE(scene.heap->validate_invariants());
    CHECK_FALSE(scene.heap->allocate(5 * kPage));  // more than the heap may hold
}

TEST_CASE("pages that no frame needs go back") {
    UploadScene scene(kRing + 4 * kPage, replay::ReplayMode::kImmediate);
    for (int i = 0; i < 4; ++i) REQUIRE(scene.heap->allocate(kPage));
    CHECK(scene.heap->figures().capacity_bytes > kRing);
    for (int i = 0; i < 200; ++i) {
        scene.end_frame();
        scene.heap->release_completed(TimelineValue{scene.frame});
    }
    CHECK(scene.heap->figures().capacity_bytes == kRing);
}

TEST_CASE("a context takes blocks and divides them without the heap") {
    UploadScene scene(kRing + 8 * kPage);
    frame::ContextUploads context(*scene.heap, 3);
    context.set_frame(9);
    const auto first = context.allocate(100);
    const auto second = context.allocate(100, 64);
    REQUIRE((first && second));
    CHECK(second->buffer == first->buffer);
    CHECK(second->offset_bytes == first->offset_bytes + 128);
    CHECK(second->bytes.data() == first->bytes.data() + 128);
    CHECK(second->context == 3);
    CHECK(second->frame == 9);
    const auto large = context.allocate(kPage);
    REQUIRE(large);
    CHECK(large->bytes.size() == kPage);
    REQUIRE(context.flush());
    context.discard();
    const auto next = context.allocate(4);
    REQUIRE(next);
    CHECK(next->bytes.data() != second->bytes.data() + 112);
}

TEST_CASE("a context refuses what is not aligned or has no bytes, however much room its block has") {
    UploadScene scene(kRing + 8 * kPage);
    frame::ContextUploads context(*scene.heap, 0);
    const bool has_block = GENERATE(false, true);
    if (has_block) REQUIRE(context.allocate(100));
    for (const std::uint64_t alignment : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{12}, std::uint64_t{48}}) {
        const auto refused = context.allocate(64, alignment);
        INFO("alignment " << alignment);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        CHECK(refused.error().value == alignment);
    }
    CHECK(context.allocate(0).error().code == ErrorCode::kInvalidArgument);
    const auto first = context.allocate(24, 8);
    const auto next = context.allocate(16, 256);
    REQUIRE((first && next));
    CHECK(next->offset_bytes % 256 == 0);
    CHECK(next->offset_bytes >= first->offset_bytes + 24);
}

TEST_CASE("an upload that can never fit is refused at once, without waiting for the device") {
    UploadScene scene(kRing + 2 * kPage);
    for (int i = 0; i < 2; ++i) REQUIRE(scene.heap->allocate(kPage));  // the ring
    scene.end_frame();
    for (const std::uint64_t size : {2 * kPage + 1, kRing + 2 * kPage, 100 * kRing, ~std::uint64_t{15}}) {
        const auto refused = scene.heap->allocate(size);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kExhausted);
        CHECK(refused.error().value == size);
        CHECK(refused.error().limit == kRing + 2 * kPage);
    }
    CHECK(scene.timeline->completed()->value == 0);
    CHECK(scene.heap->figures().stalls == 0);
    REQUIRE(scene.heap->allocate(2 * kPage));  // beside the ring that the device still reads
    CHECK(scene.heap->figures().stalls == 0);
}

TEST_CASE("a large upload takes room from empty pages before it waits for the device") {
    UploadScene scene(kRing + 2 * kPage);
    for (int i = 0; i < 4; ++i) REQUIRE(scene.heap->allocate(kPage));  // the ring and two pages
    scene.end_frame();
    REQUIRE(scene.timeline->wait(TimelineValue{1}, 1'000'000'000));
    REQUIRE(scene.heap->allocate(2 * kPage));
    CHECK(scene.heap->figures().stalls == 0);
    CHECK(scene.heap->figures().capacity_bytes == kRing + 2 * kPage);
    scene.end_frame();
    REQUIRE(scene.heap->allocate(2 * kPage));  // nothing else helps: the device holds the room
    CHECK(scene.heap->figures().stalls == 1);
    CHECK(scene.heap->figures().stalled_ns > 0);
}

TEST_CASE("a request that fits does not wait behind one that waits for the device") {
    UploadScene scene(kRing, replay::ReplayMode::kImmediate);
    const auto gate = *scene.device->create_timeline(0);
    const device::TimelinePoint opened{.timeline = gate.get(), .value = TimelineValue{1}};
    REQUIRE(scene.device->submitter().submit(
        {.engine = {}, .waits = {&opened, 1}, .work = {}, .signals = {}, .lists = {}}));
    REQUIRE(scene.heap->allocate(kPage));
    scene.end_frame();
    std::atomic<int> served = 0;
    const auto ask = [&](std::uint64_t size_bytes) {
        return std::jthread([&, size_bytes] { served += scene.heap->allocate(size_bytes).has_value() ? 1 : 0; });
    };
    REQUIRE(scene.heap->allocate(kPage / 2));
    const std::jthread waiting = ask(kPage);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::jthread fitting = ask(test::kKib);
    for (int turn = 0; turn < 5'000 && served == 0; ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(served == 1);
    REQUIRE(gate->signal(TimelineValue{1}));
}

TEST_CASE("space that is written behind a submission is flushed with the commands that use it") {
    const auto device = replay::inject_faults(*replay::open_replay(test::bindable_report(), {.interpolate = true}), {});
    const auto render = *frame::RenderDevice::create(*device, test::render_policy(), {});
    const auto target = *device->resources().create_dedicated(
        model::BufferDescription{.size_bytes = 64, .usage = test::kBindableUsage}, MemoryTypeIndex{0}, 0.5f);
    const auto flushes = [&] { return device->counters().calls[static_cast<std::size_t>(replay::SeamCall::kFlush)]; };
    frame::DeviceContext& context = render->immediate();
    const auto submit = [&] {
        context.record(device::FillBuffer{.buffer = target, .offset_bytes = 0, .size_bytes = 16, .value = 1});
        REQUIRE(render->flush());
    };
    const auto space = context.allocate_upload(16);
    REQUIRE(space);
    frame::DynamicBuffer buffer(256);
    REQUIRE(buffer.map(context));
    submit();
    const std::uint64_t before = flushes();
    context.copy_from_upload(*space, target, 0);
    context.copy_from_upload(*space, target, 16);
    submit();
    CHECK(flushes() == before + 1);
    (void)buffer.place(context);
    submit();
    CHECK(flushes() == before + 2);
    submit();
    CHECK(flushes() == before + 2);
    render->release(target);
}

}  // namespace upload_heap_test
