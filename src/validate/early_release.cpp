// Buffers in memory that the host reaches are released right after their last draw, with frames in flight. When their
// memory really comes back it is poisoned and used again; a release that came too early shows as poison, or as another
// buffer's word, in what the device read.
// A gate, which the host opens frame by frame, keeps the newest frames from starting at all, so that the device is
// certainly late.
#include <algorithm>
#include <cstring>
#include <memory>

#include "device/gate.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastEarlyReleaseFrames = 24;
constexpr std::uint64_t kMostEarlyReleaseFrames = 200;
constexpr std::uint32_t kBuffers = 48;
constexpr std::uint64_t kBufferBytes = 256;

model::BufferDescription host_constants() {
    return {.size_bytes = kBufferBytes, .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst};
}

Status draw_and_release(BindingScene& scene, SceneMemory& memory, std::uint64_t frame, std::uint32_t number,
                        std::uint32_t static_table) {
    frame::DeviceContext& context = scene.render().immediate();
    HEAPWRIGHT_ASSIGN(const ScenePlacement buffer, memory.place(host_constants()));
    const auto word = static_cast<std::uint32_t>(0x1000'0000u + frame * kBuffers + number);
    for (std::size_t at = 0; at + 4 <= buffer.bytes.size(); at += 4)
        std::memcpy(buffer.bytes.data() + at, &word, sizeof word);
    HEAPWRIGHT_TRY(memory.flush(buffer));
    auto view = scene.render().create_view(
        device::ConstantBufferView{.buffer = buffer.resource, .offset_bytes = 0, .size_bytes = kBufferBytes});
    if (!view) {
        memory.discard(buffer);
        return fail(std::move(view.error()));
    }
    const Status dispatched = scene.dispatch(context, {.tables = {.static_constant = 2, .static_buffer = 3, .image = 4},
                                                       .static_table = static_table,
                                                       .other_constant = &*view,
                                                       .other_resource = buffer.resource,
                                                       .other_word = word});
    context.release(buffer.resource);
    context.release(buffer.range);
    context.release(std::move(*view));
    return dispatched;
}

}  // namespace

Status play_early_release(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = 1;
    HEAPWRIGHT_ASSIGN(std::unique_ptr<device::Timeline> gate, scene.device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(auto own_memory,
                      SceneMemory::create(scene.device, scene.policy, model::MemoryUse::kUpload, host_constants(),
                                          kBuffers * (render.frames_in_flight() + 2)));
    SceneMemory& memory = scene.keep(std::move(own_memory));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table({.static_constant = 2, .static_buffer = 3, .image = 4}));

    const auto play = [&]() -> Status {
        for (std::uint64_t frame = 0;; ++frame) {
            HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastEarlyReleaseFrames, kMostEarlyReleaseFrames));
            if (!goes_on) return {};
            HEAPWRIGHT_TRY(scene.begin_frame());
            render.set_gate(device::TimelinePoint{.timeline = gate.get(), .value = TimelineValue{frame + 1}});
            for (std::uint32_t i = 0; i < kBuffers; ++i)
                HEAPWRIGHT_TRY(draw_and_release(scene, memory, frame, i, table.first_index()));
            // finish_frame() waits for this frame less those in flight: no other one may start.
            if (frame >= render.frames_in_flight())
                HEAPWRIGHT_TRY(gate->signal(TimelineValue{frame + 1 - render.frames_in_flight()}));
            HEAPWRIGHT_TRY(scene.end_frame());
        }
    };
    const Status played = play();
    render.set_gate({});
    HEAPWRIGHT_TRY(device::open_gate(*gate));
    table.reset();
    if (!played) scene.abandon_frames();
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_TRY(played);
    scene.figures.limits = "a gate kept the frames in flight from starting";
    return {};
}

}  // namespace heapwright::validate
