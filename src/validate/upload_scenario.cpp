// Every size class through the upload heap, compared byte by byte: first one after the other with the policy's sizes,
// then frames of the ring's share as the workload writes them, then many frames of random sizes through a heap that is
// too small for them, so that it grows, gives pages to single uploads and waits for the device. Whether that wait comes
// depends on the device, so one is forced: a frame is held behind a gate that only the wait for it opens.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "device/gate.hpp"
#include "validate/binding_scenario.hpp"
#include "validate/upload_destination.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastUploadFrames = 24;
constexpr std::uint64_t kMostUploadFrames = 160;
constexpr std::uint64_t kLargestBytes = 16ull << 20;
constexpr std::uint64_t kRateFrames = 32;
constexpr std::uint64_t kPiecesOfFrame = 16;
constexpr std::uint64_t kSmallRingBytes = 512 * 1024;
constexpr std::uint64_t kSmallPageBytes = 256 * 1024;
constexpr std::uint64_t kSmallMostBytes = 2048 * 1024;
constexpr std::uint64_t kFrameBytes = 700 * 1024;  // more than the small ring

Status send_every_class(BindingScene& scene, std::uint64_t largest_bytes) {
    frame::RenderDevice& render = scene.render();
    UploadDestination destination(scene);
    HEAPWRIGHT_TRY(destination.set_up(largest_bytes));
    std::vector<std::uint64_t> sizes{12,
                                     100,
                                     1000,
                                     10'000,
                                     100'000,
                                     1'000'000,
                                     render.uploads().page_bytes() - 4,
                                     render.uploads().page_bytes(),
                                     render.uploads().page_bytes() + 4};
    for (std::uint64_t size = 4; size <= largest_bytes; size *= 2) sizes.push_back(size);
    for (const std::uint64_t size : sizes) {
        if (size > largest_bytes) continue;
        HEAPWRIGHT_TRY(scene.begin_frame());
        std::vector<SentUpload> sent;
        HEAPWRIGHT_TRY(destination.send(render.immediate(), 0, size, sent));
        HEAPWRIGHT_TRY(scene.end_frame());
        const TimelineValue end{render.clock().next()};
        HEAPWRIGHT_TRY(render.fence().wait(end, frame::RenderDevice::kWaitTimeoutNs));
        HEAPWRIGHT_TRY(destination.compare(sent, scene.frames() - 1, end.value - 1));
    }
    return render.wait_idle();
}

// A timeline whose waiters open the gate first that holds back what they wait for.
class GateOpener final : public device::Timeline {
public:
    GateOpener(device::Timeline& inner, device::Timeline& gate) : inner_(inner), gate_(gate) {}

    Result<TimelineValue> completed() override { return inner_.completed(); }
    Status signal(TimelineValue value) override { return inner_.signal(value); }
    Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
        HEAPWRIGHT_TRY(open());
        return inner_.wait(value, timeout_ns);
    }
    Status signal_event(TimelineValue value, CompletionEvent event) override {
        return inner_.signal_event(value, std::move(event));
    }
    Status open() { return std::exchange(is_open_, true) ? Status{} : device::open_gate(gate_); }

private:
    device::Timeline& inner_;
    device::Timeline& gate_;
    bool is_open_ = false;
};

// The heap is full of a frame that cannot end before the heap waits for it.
Status force_stall(BindingScene& scene) {
    device::Device& device = scene.device;
    const auto& uses = scene.policy.memory_uses;
    const auto upload = std::ranges::find(uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
    if (upload == uses.end())
        return fail(ErrorCode::kInvalidArgument, "the policy ranks no memory types for uploads", "/memory_uses");
    UploadDestination destination(scene);
    HEAPWRIGHT_TRY(destination.set_up(2 * kSmallRingBytes));
    HEAPWRIGHT_ASSIGN(const auto gate, device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(const auto ends, device.create_timeline(0));
    GateOpener fence(*ends, *gate);
    HEAPWRIGHT_ASSIGN(const auto heap, frame::UploadHeap::create(device, fence, upload->memory_types.value,
                                                                 {.ring_bytes = kSmallRingBytes,
                                                                  .page_bytes = kSmallRingBytes,
                                                                  .most_bytes = kSmallRingBytes}));
    std::array<std::vector<SentUpload>, 2> sent;
    const auto play_frame = [&](std::uint64_t frame) -> Status {
        HEAPWRIGHT_ASSIGN(const frame::UploadRange range, heap->allocate(kSmallRingBytes));
        std::vector<device::Work> work;
        destination.send(range, frame * kSmallRingBytes, work, sent[frame]);
        HEAPWRIGHT_TRY(heap->flush(range));
        const device::TimelinePoint opened{.timeline = gate.get(), .value = device::kOpenForGood};
        const device::TimelinePoint end{.timeline = ends.get(), .value = TimelineValue{frame + 1}};
        HEAPWRIGHT_TRY(device.submitter().submit(
            {.engine = {}, .waits = {&opened, 1}, .work = work, .signals = {&end, 1}, .lists = {}}));
        return heap->finish_frame(end.value);
    };
    Status played = play_frame(0);
    if (played) played = play_frame(1);
    // Whatever came of it, nothing stays behind the gate.
    HEAPWRIGHT_TRY(fence.open());
    HEAPWRIGHT_TRY(device.submitter().wait_idle());
    HEAPWRIGHT_TRY(played);
    for (std::uint64_t frame = 0; frame < sent.size(); ++frame)
        HEAPWRIGHT_TRY(destination.compare(sent[frame], frame, frame));
    const frame::UploadFigures seen = heap->figures();
    if (seen.stalls != 1) {
        scene.log.add(model::Fault::kInvariant, "the upload heap",
                      fmt::format("a frame behind a closed gate filled it, and the next one met {} instead of one",
                                  counted(seen.stalls, "stall")));
    }
    scene.add_stalls(seen);
    scene.figures.limits += "; one stall forced by a frame behind a gate, seen";
    return heap->validate_invariants();
}

// As much in each frame as the policy's ring holds of one.
Status send_at_the_rings_rate(BindingScene& scene, std::uint64_t most_bytes) {
    frame::RenderDevice& render = scene.render();
    const std::uint64_t flights = std::max<std::uint64_t>(1, scene.policy.frames_in_flight.value) + 1;
    const std::uint64_t ring_bytes = scene.policy.uploads.ring_bytes.value;
    const std::uint64_t frame_bytes = std::min(ring_bytes / flights, most_bytes / flights) / 16 * 16;
    const std::uint64_t piece_bytes = std::max<std::uint64_t>(frame_bytes / kPiecesOfFrame / 16 * 16, 16);
    UploadDestination destination(scene);
    HEAPWRIGHT_TRY(destination.set_up(flights * frame_bytes));
    const frame::UploadFigures before = render.uploads().figures();
    std::vector<std::vector<SentUpload>> sent(flights);
    std::vector<TimelineValue> ends(flights);
    for (std::uint64_t frame = 0; frame < kRateFrames + flights; ++frame) {
        const std::uint64_t slot = frame % flights;
        HEAPWRIGHT_TRY(render.fence().wait(ends[slot], frame::RenderDevice::kWaitTimeoutNs));
        HEAPWRIGHT_TRY(destination.compare(sent[slot], frame - std::min(frame, flights),
                                           ends[slot].value - std::min<std::uint64_t>(ends[slot].value, 1)));
        if (frame >= kRateFrames) continue;
        HEAPWRIGHT_TRY(scene.begin_frame());
        for (std::uint64_t at = 0; at + piece_bytes <= frame_bytes; at += piece_bytes)
            HEAPWRIGHT_TRY(destination.send(render.immediate(), slot * frame_bytes + at, piece_bytes, sent[slot]));
        HEAPWRIGHT_TRY(scene.end_frame());
        ends[slot] = TimelineValue{render.clock().next()};
    }
    const frame::UploadFigures after = render.uploads().figures();
    scene.figures.limits = fmt::format("the policy's ring of {} at {} of {} each: {} beside it, {}",
                                       byte_text(ring_bytes), counted(kRateFrames, "frame"), byte_text(frame_bytes),
                                       counted(after.pages_made - before.pages_made, "page"),
                                       counted(after.stalls - before.stalls, "stall"));
    return render.wait_idle();
}

Status send_through_small_heap(BindingScene& scene) {
    model::DevicePolicy small = scene.policy;
    small.uploads.ring_bytes.value = kSmallRingBytes;
    small.uploads.page_bytes.value = kSmallPageBytes;
    frame::RenderDeviceOptions options = scene.render_options();
    options.most_upload_bytes = kSmallMostBytes;
    const std::uint64_t slots = std::max<std::uint64_t>(1, small.frames_in_flight.value) + 1;
    UploadDestination destination(scene);
    HEAPWRIGHT_TRY(destination.set_up(slots * kFrameBytes * 2));
    HEAPWRIGHT_ASSIGN(const auto render, frame::RenderDevice::create(scene.device, small, options));
    std::vector<std::vector<SentUpload>> sent(slots);
    std::vector<TimelineValue> ends(slots);
    std::uint64_t frames = 0;
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastUploadFrames, kMostUploadFrames));
        if (!goes_on) break;
        const std::uint64_t slot = frame % slots;
        HEAPWRIGHT_TRY(render->fence().wait(ends[slot], frame::RenderDevice::kWaitTimeoutNs));
        if (frame >= slots) HEAPWRIGHT_TRY(destination.compare(sent[slot], frame - slots, ends[slot].value - 1));
        std::uint64_t bytes = 0;
        while (bytes < kFrameBytes) {
            // Every fourth is large: some of them get a page of their own.
            const std::uint64_t most = scene.random.below(4) == 0 ? kSmallPageBytes + 65'536 : 8192;
            const std::uint64_t size = (1 + scene.random.below(most / 4)) * 4;
            HEAPWRIGHT_TRY(destination.send(render->immediate(), slot * kFrameBytes * 2 + bytes, size, sent[slot]));
            bytes += (size + 15) & ~15ull;
        }
        HEAPWRIGHT_TRY(render->flush());
        ends[slot] = TimelineValue{render->clock().next()};
        HEAPWRIGHT_TRY(render->finish_frame());
        ++frames;
    }
    HEAPWRIGHT_TRY(render->wait_idle());
    for (std::uint64_t frame = frames - std::min(frames, slots); frame < frames; ++frame)
        HEAPWRIGHT_TRY(destination.compare(sent[frame % slots], frame, ends[frame % slots].value - 1));
    const frame::UploadFigures seen = render->uploads().figures();
    scene.add_figures(*render);
    scene.figures.limits += fmt::format(
        "; a ring of {} for frames of {}: {} beside it, {} of one upload, {}", byte_text(kSmallRingBytes),
        byte_text(kFrameBytes), counted(seen.pages_made, "page"), seen.large_pages_made, counted(seen.stalls, "stall"));
    if (seen.pages_made == 0)
        scene.log.add(model::Fault::kInvariant, "the upload heap", "frames that do not fit the ring made no page");
    scene.note_broken_rules(*render);
    return render->uploads().validate_invariants();
}

}  // namespace

Status play_upload(BindingScene& scene) {
    const std::uint64_t largest = std::min(kLargestBytes, scene.options.memory_limit_bytes / 16 / 4 * 4);
    frame::RenderDeviceOptions options = scene.render_options();
    options.most_upload_bytes = scene.policy.uploads.ring_bytes.value + 2 * largest;
    HEAPWRIGHT_TRY(scene.set_up(options));
    scene.figures.recording_contexts = 1;
    HEAPWRIGHT_TRY(send_every_class(scene, largest));
    HEAPWRIGHT_TRY(send_at_the_rings_rate(scene, scene.options.memory_limit_bytes / 16));
    HEAPWRIGHT_TRY(send_through_small_heap(scene));
    return force_stall(scene);
}

}  // namespace heapwright::validate
