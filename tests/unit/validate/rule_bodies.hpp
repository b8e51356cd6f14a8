// What the bodies of the rules share: the begin and the end of frames, buffers, a draw with a table of its own, and the
// runs that several rules play.
#pragma once

#include <utility>
#include <vector>

#include "late_devices.hpp"
#include "rules.hpp"

namespace heapwright::rules {

inline constexpr validate::SceneTables kTables{
    .static_constant = 2, .static_buffer = 3, .image = 4, .dynamic_constant = 5, .dynamic_buffer = 6};
inline constexpr std::uint64_t kBufferBytes = 256;

// The device is idle, and a frame is begun.
inline Status begin(validate::BindingScene& scene, std::vector<device::EngineId> queues = {}) {
    frame::RenderDeviceOptions options = scene.render_options();
    options.queues = std::move(queues);
    HEAPWRIGHT_TRY(scene.set_up(options));
    HEAPWRIGHT_TRY(scene.render().wait_idle());
    return scene.begin_frame();
}

inline Status next_frame(validate::BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.end_frame());
    return scene.begin_frame();
}

inline device::Work fill(device::ResourceId buffer) {
    return device::FillBuffer{.buffer = buffer, .offset_bytes = 0, .size_bytes = kBufferBytes, .value = 1};
}

inline Result<validate::ScenePlacement> place(validate::BindingScene& scene, std::uint64_t size_bytes = kBufferBytes) {
    return scene.buffer_memory().place(validate::BindingScene::bindable_buffer(size_bytes));
}

inline void release(validate::BindingScene& scene, const validate::ScenePlacement& placement) {
    scene.render().release(placement.resource);
    scene.render().release(placement.range);
}

// Where a view lies, whoever owns it.
struct PlaceOf {
    explicit PlaceOf(const frame::DescriptorHeapAllocation& view)
        : facts{.heap = view.heap(), .addresses = {}},
          descriptor(nullptr, facts, {.first = view.first_index(), .count = 1}) {}

    frame::DescriptorHeapFacts facts;
    frame::DescriptorHeapAllocation descriptor;
};

// With a table of its own, which is released with the draw.
inline Status draw(validate::BindingScene& scene, frame::DeviceContext& context,
                   const validate::SceneTables& tables = kTables) {
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(tables));
    return scene.dispatch(context, {.tables = tables, .static_table = table.first_index()});
}

inline Status draw_frames(validate::BindingScene& scene, bool) {
    HEAPWRIGHT_TRY(begin(scene));
    for (std::uint32_t frame = 0; frame < 6; ++frame) {
        validate::SceneTables tables = kTables;
        tables.static_constant += frame;
        tables.dynamic_constant += frame;
        HEAPWRIGHT_TRY(draw(scene, scene.render().immediate(), tables));
        HEAPWRIGHT_TRY(next_frame(scene));
    }
    return {};
}

// Ends with a list that the device has not run.
inline Status end_under_way(validate::BindingScene& scene, bool) {
    HEAPWRIGHT_TRY(begin(scene));
    HEAPWRIGHT_TRY(draw(scene, scene.render().immediate()));
    HEAPWRIGHT_TRY(scene.end_frame());
    scene.abandon_frames();
    return {};
}

template <std::uint64_t kLead>
inline constexpr auto kEarly = before<test::EarlyDevice, kLead>;

}  // namespace heapwright::rules
