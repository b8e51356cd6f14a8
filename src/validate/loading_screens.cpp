// A few frames draw, then nothing is drawn for a while. What was released before and meanwhile has to come back in
// frames without commands: resources and their memory, views, tables; and tables of more than half of the static part
// can be had in every one of those frames, as long as each is released.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastLoadingScreensFrames = 12;
constexpr std::uint64_t kMostLoadingScreensFrames = 96;
constexpr std::uint32_t kLoadedBuffers = 16;
constexpr std::uint32_t kIdleFrames = 6;

std::uint32_t loading_word(std::uint64_t frame, std::uint32_t number) {
    return static_cast<std::uint32_t>(0x5000'0000u + frame * 256 + number);
}

// Dispatches whose buffers are released past the contexts, so that nothing but a frame's end gives them back.
Status draw_loaded(BindingScene& scene, std::uint64_t frame) {
    frame::RenderDevice& render = scene.render();
    const SceneTables tables{.static_constant = 3, .static_buffer = 4, .image = 5};
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(tables));
    for (std::uint32_t number = 0; number < kLoadedBuffers; ++number) {
        const std::uint32_t word = loading_word(frame, number);
        HEAPWRIGHT_ASSIGN(const ScenePlacement buffer, scene.buffer_memory().place(BindingScene::bindable_buffer(256)));
        Status dispatched;
        {
            const auto view =
                render.create_view(device::ConstantBufferView{.buffer = buffer.resource, .size_bytes = 256});
            if (view) {
                render.immediate().record(
                    device::FillBuffer{.buffer = buffer.resource, .offset_bytes = 0, .size_bytes = 256, .value = word});
                dispatched = scene.dispatch(render.immediate(), {.tables = tables,
                                                                 .static_table = table.first_index(),
                                                                 .other_constant = &*view,
                                                                 .other_resource = buffer.resource,
                                                                 .other_word = word});
            } else {
                dispatched = tl::unexpected(view.error());
            }
        }
        render.release(buffer.resource);
        render.release(buffer.range);
        HEAPWRIGHT_TRY(std::move(dispatched));
    }
    return {};
}

// The device is done with everything: one frame without commands gives all of it back, and each later one what was
// released in it.
Status load_nothing(BindingScene& scene, std::uint64_t used_bytes_before) {
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_TRY(render.fence().wait(render.clock().submitted(), frame::RenderDevice::kWaitTimeoutNs));
    const std::uint64_t lists_before = render.clock().next();
    for (std::uint32_t idle = 0; idle < kIdleFrames; ++idle) {
        const auto capacity = static_cast<std::uint32_t>(render.resource_heap().static_figures().capacity);
        auto tables =
            idle == 0 ? Result<frame::DescriptorHeapAllocation>{} : render.resource_heap().allocate(capacity / 2 + 1);
        if (!tables) {
            scene.log.add(model::Fault::kLeak, "the static part",
                          fmt::format("in frame {} without commands: {}", idle, to_string(tables.error())));
            return {};
        }
        HEAPWRIGHT_ASSIGN(auto view, render.create_view(scene.constant_view(idle)));
        view.reset();
        tables->reset();
        HEAPWRIGHT_TRY(render.finish_frame());
        const frame::RenderDeviceFigures seen = render.figures();
        const auto none = [&](const char* what, std::uint64_t count) {
            if (count == 0) return;
            scene.log.add(model::Fault::kLeak, what,
                          fmt::format("{} are held after {} frames without commands, although the device is idle",
                                      count, idle + 1));
        };
        none("static descriptors", seen.static_resources.stale);
        none("views", seen.cpu[0].stale);
        none("memory ranges", scene.buffer_memory().used_bytes() - used_bytes_before);
        none("upload bytes", seen.uploads.used_bytes);
    }
    if (render.clock().next() != lists_before) {
        scene.log.add(
            model::Fault::kInvariant, "command lists",
            fmt::format("{} were submitted in frames without commands", render.clock().next() - lists_before));
    }
    return {};
}

}  // namespace

Status play_loading_screens(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    scene.figures.recording_contexts = 1;
    const std::uint64_t used_bytes_before = scene.buffer_memory().used_bytes();
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastLoadingScreensFrames, kMostLoadingScreensFrames));
        if (!goes_on) return {};
        HEAPWRIGHT_TRY(scene.begin_frame());
        HEAPWRIGHT_TRY(draw_loaded(scene, frame));
        HEAPWRIGHT_TRY(scene.end_frame());
        if (frame % 3 == 2) HEAPWRIGHT_TRY(load_nothing(scene, used_bytes_before));
    }
}

}  // namespace heapwright::validate
