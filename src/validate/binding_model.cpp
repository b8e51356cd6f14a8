// The binding model of the source: static and mutable resources in tables of the static part, dynamic ones in tables
// that live for one frame. 1 to 32 threads record at the same time, each in a deferred context, though no more than the
// workload records, nor more dynamic samplers in a frame than it uses: for more of either the policy's heaps have no
// room. Every table is proven by the words that its dispatch writes.
#include <algorithm>
#include <array>
#include <vector>

#include "validate/binding_scenario.hpp"
#include "validate/recording_threads.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastBindingModelFrames = 20;
constexpr std::uint64_t kMostBindingModelFrames = 200;
constexpr std::array<std::uint32_t, 6> kThreads{1, 2, 4, 8, 16, 32};
constexpr std::uint32_t kBindings = 64;
constexpr std::uint32_t kDispatches = 128;  // of all contexts in one frame

struct Binding {
    SceneTables tables;
    frame::DescriptorHeapAllocation table;
};

SceneTables draw_tables(Random& random) {
    const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random.below(count)); };
    return {.static_constant = pick(BindingScene::kSlots),
            .static_buffer = pick(BindingScene::kSlots),
            .image = pick(BindingScene::kImages),
            .dynamic_constant = pick(BindingScene::kSlots),
            .dynamic_buffer = pick(BindingScene::kSlots)};
}

// A mutable binding never changes a table that the device may read: it takes another one.
Status rebind(BindingScene& scene, Binding& binding) {
    binding.tables = draw_tables(scene.random);
    HEAPWRIGHT_ASSIGN(binding.table, scene.make_static_table(binding.tables));
    return {};
}

Status record(BindingScene& scene, frame::DeviceContext& context, const std::vector<Binding>& bindings,
              const std::vector<frame::SamplerCache::Reference>& samplers, std::uint64_t seed, std::uint32_t dispatches,
              std::uint32_t most_dynamic_samplers) {
    Random random(seed);
    for (std::uint32_t i = 0; i < dispatches; ++i) {
        const Binding& binding = bindings[static_cast<std::size_t>(random.below(bindings.size()))];
        BindingScene::Use use{.tables = binding.tables, .static_table = binding.table.first_index()};
        const SceneTables dynamic = draw_tables(random);
        use.tables.dynamic_constant = dynamic.dynamic_constant;
        use.tables.dynamic_buffer = dynamic.dynamic_buffer;
        const auto mode = static_cast<std::size_t>(random.below(kAddressModes.size()));
        // A third with the static sampler, a third with a sampler of the static part, a third with a dynamic one as
        // long as there are any.
        switch (random.below(most_dynamic_samplers == 0 ? 2 : 3)) {
            case 0: break;
            case 1:
                use.address_u = kAddressModes[mode];
                use.sampler = samplers[mode].visible_index();
                break;
            default: {
                --most_dynamic_samplers;
                use.address_u = kAddressModes[mode];
                HEAPWRIGHT_ASSIGN(use.dynamic_sampler, scene.make_dynamic_sampler(context, samplers[mode]));
            }
        }
        HEAPWRIGHT_TRY(scene.dispatch(context, use));
    }
    return context.close();
}

}  // namespace

Status play_binding_model(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    std::vector<frame::SamplerCache::Reference> samplers;
    for (const device::AddressMode mode : kAddressModes) {
        HEAPWRIGHT_ASSIGN(auto sampler,
                          render.samplers().get({.address_u = mode, .address_v = device::AddressMode::kClampToEdge}));
        samplers.push_back(std::move(sampler));
    }
    std::vector<Binding> bindings(kBindings);
    for (Binding& binding : bindings) HEAPWRIGHT_TRY(rebind(scene, binding));

    const model::BindingHint& hint = scene.options.bindings;
    std::vector<std::uint32_t> thread_counts;
    for (const std::uint32_t count : kThreads) {
        if (count <= std::max(1u, hint.recording_contexts)) thread_counts.push_back(count);
    }
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastBindingModelFrames, kMostBindingModelFrames));
        if (!goes_on) break;
        const std::uint32_t threads = thread_counts[frame % thread_counts.size()];
        scene.figures.recording_contexts = std::max<std::uint64_t>(scene.figures.recording_contexts, threads);
        HEAPWRIGHT_TRY(scene.begin_frame());
        // A quarter of the bindings is mutable and changes now.
        for (std::uint32_t i = 0; i < kBindings; i += 4) HEAPWRIGHT_TRY(rebind(scene, bindings[i]));
        std::vector<frame::DeviceContext*> contexts;
        for (std::uint32_t thread = 0; thread < threads; ++thread) contexts.push_back(&render.take_deferred());
        const std::uint64_t seed = scene.random.next();
        HEAPWRIGHT_TRY(on_threads(threads, [&](std::uint32_t thread) {
            const std::uint32_t dynamic_samplers = hint.dynamic_samplers_per_frame / threads +
                                                   (thread < hint.dynamic_samplers_per_frame % threads ? 1 : 0);
            return record(scene, *contexts[thread], bindings, samplers, seed + thread, kDispatches / threads,
                          dynamic_samplers);
        }));
        for (frame::DeviceContext* context : contexts) {
            HEAPWRIGHT_TRY(render.execute(*context));
        }
        HEAPWRIGHT_TRY(scene.end_frame());
    }
    bindings.clear();
    samplers.clear();
    return {};
}

}  // namespace heapwright::validate
