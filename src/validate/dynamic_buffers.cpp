// Constants that are written anew for each dispatch, in dynamic buffers of several contexts: a new map takes new space,
// so that what earlier frames read stays as it was while a gate keeps them from starting.
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "device/gate.hpp"
#include "frame/dynamic_buffer.hpp"
#include "validate/binding_scenario.hpp"
#include "validate/recording_threads.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastDynamicBuffersFrames = 16;
constexpr std::uint64_t kMostDynamicBuffersFrames = 128;
constexpr std::uint32_t kMappingContexts = 3;
constexpr std::uint32_t kMappedDraws = 24;  // of one context
constexpr std::uint64_t kConstantBytes = 256;

Status record_draws(BindingScene& scene, frame::DeviceContext& context, std::uint64_t frame,
                    std::uint32_t static_table) {
    frame::DynamicBuffer constants(kConstantBytes);
    for (std::uint32_t draw = 0; draw < kMappedDraws; ++draw) {
        const auto word = static_cast<std::uint32_t>(0xD000'0000u + frame * 4096 + context.number() * 256 + draw);
        HEAPWRIGHT_ASSIGN(const auto bytes, constants.map(context));
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) std::memcpy(bytes.data() + at, &word, sizeof word);
        constants.unmap();
        const device::ConstantBufferView view = constants.constants(context);
        HEAPWRIGHT_TRY(scene.dispatch(context, {.tables = {.static_constant = 4, .static_buffer = 5, .image = 6},
                                                .static_table = static_table,
                                                .other_resource = view.buffer,
                                                .other_word = word,
                                                .written_constant = view}));
    }
    return context.close();
}

}  // namespace

Status play_dynamic_buffers(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = kMappingContexts;
    HEAPWRIGHT_ASSIGN(std::unique_ptr<device::Timeline> gate, scene.device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table({.static_constant = 4, .static_buffer = 5, .image = 6}));
    const auto play = [&]() -> Status {
        for (std::uint64_t frame = 0;; ++frame) {
            HEAPWRIGHT_ASSIGN(const bool goes_on,
                              scene.more(frame, kLeastDynamicBuffersFrames, kMostDynamicBuffersFrames));
            if (!goes_on) return {};
            HEAPWRIGHT_TRY(scene.begin_frame());
            render.set_gate(device::TimelinePoint{.timeline = gate.get(), .value = TimelineValue{frame + 1}});
            std::vector<frame::DeviceContext*> contexts;
            for (std::uint32_t thread = 0; thread < kMappingContexts; ++thread)
                contexts.push_back(&render.take_deferred());
            HEAPWRIGHT_TRY(on_threads(kMappingContexts, [&](std::uint32_t thread) {
                return record_draws(scene, *contexts[thread], frame, table.first_index());
            }));
            for (frame::DeviceContext* context : contexts) HEAPWRIGHT_TRY(render.execute(*context));
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
    const frame::UploadFigures seen = render.figures().dynamic_space;
    HEAPWRIGHT_ASSIGN(frame::UploadHeap* const heap, render.dynamic_space());
    scene.add_stalls(seen);
    scene.figures.limits = fmt::format("{} of dynamic space at most, in memory type {} first",
                                       byte_text(seen.peak_used_bytes), heap->memory_types().front().value);
    if (seen.used_bytes != 0) {
        scene.log.add(model::Fault::kLeak, "dynamic space",
                      fmt::format("{} bytes are held although the device is idle", seen.used_bytes));
    }
    return {};
}

}  // namespace heapwright::validate
