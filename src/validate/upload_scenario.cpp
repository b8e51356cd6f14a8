// Every size class through the upload heap, compared byte by byte: first one after the other with the policy's sizes,
// then many frames of random sizes through a heap that is too small for them, so that it grows, gives pages to single
// uploads and waits for the device.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "heapwright/core/count_text.hpp"
#include "heapwright/validate/binding_scenario.hpp"
#include "heapwright/validate/pattern.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastFrames = 24;
constexpr std::uint64_t kMostFrames = 160;
constexpr std::uint64_t kLargestBytes = 16ull << 20;
constexpr std::uint64_t kSmallRingBytes = 512 * 1024;
constexpr std::uint64_t kSmallPageBytes = 256 * 1024;
constexpr std::uint64_t kSmallMostBytes = 2048 * 1024;
constexpr std::uint64_t kFrameBytes = 700 * 1024;  // more than the small ring

struct Sent {
    std::uint64_t offset_bytes = 0;  // in the destination
    std::uint64_t size_bytes = 0;
    Pattern pattern;
};

// A device buffer that uploads go to, and where they are read back.
class Destination {
public:
    Destination(BindingScene& scene) : scene_(scene) {}
    ~Destination() {
        if (to_.range.owner != nullptr) memory_->discard(to_);
        if (back_.range.owner != nullptr) readback_memory_->discard(back_);
    }
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;

    Status set_up(std::uint64_t size_bytes) {
        const model::BufferDescription plain{
            .size_bytes = size_bytes, .usage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst};
        HEAPWRIGHT_ASSIGN(const auto requirements, scene_.device().resources().requirements(plain));
        const std::uint64_t heap_bytes = requirements.size_bytes + requirements.alignment_bytes;
        HEAPWRIGHT_ASSIGN(memory_, SceneMemory::create(scene_.device(), scene_.policy(), model::MemoryUse::kDeviceOnly,
                                                       plain, heap_bytes));
        HEAPWRIGHT_ASSIGN(readback_memory_, SceneMemory::create(scene_.device(), scene_.policy(),
                                                                model::MemoryUse::kReadback, plain, heap_bytes));
        HEAPWRIGHT_ASSIGN(to_, memory_->place(plain));
        HEAPWRIGHT_ASSIGN(back_, readback_memory_->place(plain));
        return {};
    }

    // Records the upload and its way back.
    Status send(runtime::DeviceContext& context, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                std::vector<Sent>& sent) {
        HEAPWRIGHT_ASSIGN(const runtime::UploadRange range, context.allocate_upload(size_bytes));
        const Pattern pattern{.base = static_cast<std::uint32_t>(scene_.random().next())};
        write_pattern(pattern, range.bytes);
        context.copy_from_upload(range, to_.resource, offset_bytes);
        context.record(device::CopyBuffer{.source = to_.resource,
                                          .destination = back_.resource,
                                          .source_offset_bytes = offset_bytes,
                                          .destination_offset_bytes = offset_bytes,
                                          .size_bytes = size_bytes});
        sent.push_back({.offset_bytes = offset_bytes, .size_bytes = size_bytes, .pattern = pattern});
        return {};
    }

    // The device is done with them: all went with one list.
    Status compare(std::vector<Sent>& sent, std::uint64_t frame, std::uint64_t command_list) {
        for (const Sent& one : sent) {
            HEAPWRIGHT_TRY(readback_memory_->invalidate(back_, one.offset_bytes, one.size_bytes));
            const auto mismatch = compare_pattern(one.pattern, back_.bytes.subspan(one.offset_bytes, one.size_bytes));
            if (mismatch) {
                scene_.log().add(
                    model::Fault::kStaleBytes, fmt::format("upload of {} bytes", one.size_bytes),
                    fmt::format("frame {}, command list {}: at byte {} of resource {} stands 0x{:08x} where "
                                "0x{:08x} was written",
                                frame, command_list, one.offset_bytes + mismatch->offset_bytes, back_.resource.value,
                                mismatch->seen, mismatch->expected));
            }
            scene_.add_checked_bytes(one.size_bytes);
        }
        sent.clear();
        return {};
    }

private:
    BindingScene& scene_;
    std::unique_ptr<SceneMemory> memory_;
    std::unique_ptr<SceneMemory> readback_memory_;
    ScenePlacement to_;
    ScenePlacement back_;
};

Status send_every_class(BindingRun& run, std::uint64_t largest_bytes) {
    BindingScene& scene = run.scene;
    runtime::RenderDevice& render = scene.render();
    Destination destination(scene);
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
        std::vector<Sent> sent;
        HEAPWRIGHT_TRY(destination.send(render.immediate(), 0, size, sent));
        HEAPWRIGHT_TRY(scene.end_frame());
        const TimelineValue end{render.clock().next()};
        HEAPWRIGHT_TRY(render.fence().wait(end, runtime::RenderDevice::kWaitTimeoutNs));
        HEAPWRIGHT_TRY(destination.compare(sent, scene.frames() - 1, end.value - 1));
    }
    return render.wait_idle();
}

Status send_through_small_heap(BindingRun& run) {
    BindingScene& scene = run.scene;
    model::DevicePolicy small = scene.policy();
    small.uploads.ring_bytes.value = kSmallRingBytes;
    small.uploads.page_bytes.value = kSmallPageBytes;
    runtime::RenderDeviceOptions options = run.render_options();
    options.most_upload_bytes = kSmallMostBytes;
    const std::uint64_t slots = std::max<std::uint64_t>(1, small.frames_in_flight.value) + 1;
    Destination destination(scene);
    HEAPWRIGHT_TRY(destination.set_up(slots * kFrameBytes * 2));
    HEAPWRIGHT_ASSIGN(const auto render, runtime::RenderDevice::create(scene.device(), small, options));
    std::vector<std::vector<Sent>> sent(slots);
    std::vector<TimelineValue> ends(slots);
    std::uint64_t frames = 0;
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, run.more(frame, kLeastFrames, kMostFrames));
        if (!goes_on) break;
        const std::uint64_t slot = frame % slots;
        HEAPWRIGHT_TRY(render->fence().wait(ends[slot], runtime::RenderDevice::kWaitTimeoutNs));
        if (frame >= slots) HEAPWRIGHT_TRY(destination.compare(sent[slot], frame - slots, ends[slot].value - 1));
        std::uint64_t bytes = 0;
        while (bytes < kFrameBytes) {
            // Every fourth is large: some of them get a page of their own.
            const std::uint64_t most = scene.random().below(4) == 0 ? kSmallPageBytes + 65'536 : 8192;
            const std::uint64_t size = (1 + scene.random().below(most / 4)) * 4;
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
    const runtime::RenderDeviceFigures seen = render->figures();
    run.figures.frames += seen.frames;
    run.figures.command_lists += seen.command_lists;
    run.figures.peak_upload_bytes = seen.uploads.peak_used_bytes;
    run.figures.limits =
        fmt::format("a ring of {} bytes for frames of {}: {} beside it, {} of one upload", kSmallRingBytes, kFrameBytes,
                    counted(seen.uploads.pages_made, "page"), seen.uploads.large_pages_made);
    if (seen.uploads.pages_made == 0)
        scene.log().add(model::Fault::kInvariant, "the upload heap", "frames that do not fit the ring made no page");
    for (const runtime::BrokenRule& rule : render->checker().broken())
        scene.log().add(model::Fault::kBrokenRule, std::string(runtime::to_string(rule.rule)), rule.statement);
    return render->uploads().validate_invariants();
}

}  // namespace

Status play_upload(BindingRun& run) {
    const std::uint64_t largest = std::min(kLargestBytes, run.options.memory_limit_bytes / 16 / 4 * 4);
    runtime::RenderDeviceOptions options = run.render_options();
    options.most_upload_bytes = run.scene.policy().uploads.ring_bytes.value + 2 * largest;
    HEAPWRIGHT_TRY(run.scene.set_up(options));
    run.figures.recording_contexts = 1;
    HEAPWRIGHT_TRY(send_every_class(run, largest));
    return send_through_small_heap(run);
}

}  // namespace heapwright::validate
