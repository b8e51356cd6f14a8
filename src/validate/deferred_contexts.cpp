// Deferred contexts: recorded by several threads, some of them beside the immediate context's commands, and submitted
// in another order than they were recorded in. No two contexts hold a dynamic descriptor in common until they are
// submitted; what a context used is released after its list was submitted, in the same frame.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "validate/binding_scenario.hpp"
#include "validate/recording_threads.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastDeferredContextsFrames = 16;
constexpr std::uint64_t kMostDeferredContextsFrames = 128;
constexpr std::uint32_t kContexts = 8;
constexpr std::uint32_t kContextDispatches = 12;  // of one context

struct Recorded {
    frame::DeviceContext* context = nullptr;
    frame::DescriptorHeapAllocation table;  // its own; released once it is submitted
    std::vector<frame::DynamicDescriptors> rows;
};

Status record(BindingScene& scene, Recorded& recorded, std::uint64_t seed) {
    Random random(seed);
    const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random.below(count)); };
    SceneTables tables{.static_constant = pick(BindingScene::kSlots),
                       .static_buffer = pick(BindingScene::kSlots),
                       .image = pick(BindingScene::kImages)};
    HEAPWRIGHT_ASSIGN(recorded.table, scene.make_static_table(tables));
    for (std::uint32_t i = 0; i < kContextDispatches; ++i) {
        tables.dynamic_constant = pick(BindingScene::kSlots);
        tables.dynamic_buffer = pick(BindingScene::kSlots);
        HEAPWRIGHT_TRY(
            scene.dispatch(*recorded.context, {.tables = tables, .static_table = recorded.table.first_index()}));
        // A row that nothing is bound to, of odd sizes, so that chunks differ between the contexts.
        HEAPWRIGHT_ASSIGN(const auto row,
                          recorded.context->allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 1 + pick(24)));
        recorded.rows.push_back(row);
    }
    return recorded.context->close();
}

// Before any of them is submitted.
void check_apart(BindingScene& scene, const std::vector<Recorded>& all) {
    std::vector<frame::DynamicDescriptors> rows;
    for (const Recorded& recorded : all) rows.insert(rows.end(), recorded.rows.begin(), recorded.rows.end());
    std::ranges::sort(rows, {}, &frame::DynamicDescriptors::first);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i - 1].first + rows[i - 1].count <= rows[i].first) continue;
        scene.log.add(model::Fault::kOverlap, fmt::format("dynamic descriptor {}", rows[i].first),
                      fmt::format("frame {}, before command list {}: context {} holds it, and context {} the row of "
                                  "{} from {} on",
                                  scene.frames(), scene.render().clock().next(), rows[i].context, rows[i - 1].context,
                                  rows[i - 1].count, rows[i - 1].first));
        return;
    }
}

}  // namespace

Status play_deferred_contexts(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = kContexts + 1;
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on,
                          scene.more(frame, kLeastDeferredContextsFrames, kMostDeferredContextsFrames));
        if (!goes_on) break;
        HEAPWRIGHT_TRY(scene.begin_frame());
        std::vector<Recorded> recorded(kContexts);
        for (Recorded& one : recorded) one.context = &render.take_deferred();
        const std::uint64_t seed = scene.random.next();
        HEAPWRIGHT_TRY(on_threads(
            kContexts, [&](std::uint32_t thread) { return record(scene, recorded[thread], seed + thread); }));
        check_apart(scene, recorded);
        // Shuffled, with commands of the immediate context between.
        for (std::size_t left = recorded.size(); left > 1; --left)
            std::swap(recorded[left - 1], recorded[static_cast<std::size_t>(scene.random.below(left))]);
        HEAPWRIGHT_ASSIGN(auto shared, scene.make_static_table({.static_constant = 1, .static_buffer = 2, .image = 3}));
        for (Recorded& one : recorded) {
            HEAPWRIGHT_TRY(scene.dispatch(render.immediate(),
                                          {.tables = {.static_constant = 1,
                                                      .static_buffer = 2,
                                                      .image = 3,
                                                      .dynamic_constant = static_cast<std::uint32_t>(frame) % 64,
                                                      .dynamic_buffer = 5},
                                           .static_table = shared.first_index()}));
            HEAPWRIGHT_TRY(render.execute(*one.context));
            one.table.reset();
        }
        shared.reset();
        HEAPWRIGHT_TRY(scene.end_frame());
    }
    return {};
}

}  // namespace heapwright::validate
