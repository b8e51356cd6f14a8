// Random frames of uploads by several contexts, on a device that is late: every upload holds its bytes until the device
// has passed its frame, whatever the ring, its pages and pages of one upload do meanwhile.
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "../../unit/frame/render_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "core/random.hpp"

using namespace heapwright;

namespace {

struct Upload {
    frame::UploadRange range;
    std::uint32_t word = 0;
};

void write(const Upload& upload) {
    for (std::size_t at = 0; at + 4 <= upload.range.bytes.size(); at += 4)
        std::memcpy(upload.range.bytes.data() + at, &upload.word, sizeof upload.word);
}

bool holds(const Upload& upload) {
    for (std::size_t at = 0; at + 4 <= upload.range.bytes.size(); at += 4) {
        std::uint32_t seen = 0;
        std::memcpy(&seen, upload.range.bytes.data() + at, sizeof seen);
        if (seen != upload.word) return false;
    }
    return true;
}

struct Frame {
    std::uint64_t value = 0;
    std::vector<Upload> uploads;
};

void run(std::uint64_t frames, std::uint64_t seed) {
    constexpr std::uint64_t kKib = 1024;
    const auto device = *replay::open_replay(test::bindable_report(),
                                             {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = seed});
    const auto timeline = *device->create_timeline(0);
    constexpr std::uint32_t kTypes[] = {1, 2};
    const auto heap = *frame::UploadHeap::create(
        *device, *timeline, kTypes, {.ring_bytes = 256 * kKib, .page_bytes = 128 * kKib, .most_bytes = 1024 * kKib});
    Random random(seed);
    std::vector<std::unique_ptr<frame::ContextUploads>> contexts;
    for (std::uint32_t i = 0; i < 3; ++i) contexts.push_back(std::make_unique<frame::ContextUploads>(*heap, i));
    std::deque<Frame> waiting;
    std::uint32_t word = 1;
    for (std::uint64_t value = 1; value <= frames; ++value) {
        INFO(test::replay_hint(seed, value));
        Frame frame{.value = value, .uploads = {}};
        const std::uint64_t uploads = random.below(12);
        for (std::uint64_t i = 0; i < uploads; ++i) {
            const std::uint64_t most = random.below(6) == 0 ? 200 * kKib : 8 * kKib;
            const std::uint64_t size = 4 * (1 + random.below(most / 4));
            const auto made = contexts[static_cast<std::size_t>(random.below(contexts.size()))]->allocate(
                size, 16ull << random.below(5));
            if (!made) {
                REQUIRE(made.error().code == ErrorCode::kExhausted);  // this frame alone holds too much
                continue;
            }
            frame.uploads.push_back({.range = *made, .word = word++});
            write(frame.uploads.back());
        }
        for (const auto& context : contexts) context->discard();
        const device::TimelinePoint signal{.timeline = timeline.get(), .value = TimelineValue{value}};
        REQUIRE(
            device->submitter().submit({.engine = {}, .waits = {}, .work = {}, .signals = {&signal, 1}, .lists = {}}));
        REQUIRE(heap->finish_frame(TimelineValue{value}));
        waiting.push_back(std::move(frame));
        // Out of step with the host: nothing for a while, then several frames at once; a stall may have passed some.
        if (random.below(3) == 0) device->advance(random.below(4));
        const auto completed = timeline->completed();
        REQUIRE(completed);
        while (!waiting.empty() && waiting.front().value <= completed->value) waiting.pop_front();
        for (const Frame& one : waiting) {
            for (const Upload& upload : one.uploads) REQUIRE(holds(upload));
        }
        if (random.below(2) == 0) heap->release_completed(*completed);
        REQUIRE(heap->validate_invariants());
    }
    CHECK(heap->figures().stalls > 0);
    CHECK(heap->figures().pages_made > 0);
    CHECK(heap->figures().large_pages_made > 0);
    REQUIRE(device->submitter().wait_idle());
    heap->release_completed(TimelineValue{frames});
    CHECK(heap->figures().used_bytes == 0);
}

}  // namespace

TEST_CASE("an upload holds its bytes until the device has passed its frame") {
    const std::uint64_t seed = test::property_seed();
    for (std::uint64_t i = 0; i < 4; ++i) run(test::property_operations() / 1000, seed + i);
}
