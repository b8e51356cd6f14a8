// "Managing Descriptor Heaps": the rules and their sabotages.
#include <type_traits>
#include <utility>
#include <vector>

#include "heap_doubles.hpp"
#include "lying_descriptors.hpp"
#include "replay_scene.hpp"
#include "rule_bodies.hpp"

namespace heapwright::descriptor_rules {

using device::DescriptorHeapKind;
using rules::kTables;
using validate::BindingScene;

namespace {

template <class T>
constexpr bool kMovesAlone = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;

Status draw_with(BindingScene& scene, const frame::DescriptorHeapAllocation& constant, std::uint32_t slot) {
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    return scene.dispatch(scene.render().immediate(), {.tables = kTables,
                                                       .static_table = table.first_index(),
                                                       .other_constant = &constant,
                                                       .other_resource = scene.constants(),
                                                       .other_word = BindingScene::constant_word(slot)});
}

Status visible_render_targets(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    device::DescriptorHeapSource& source = scene.render().descriptors();
    HEAPWRIGHT_ASSIGN(const auto heap,
                      source.create({.kind = DescriptorHeapKind::kRtv, .capacity = 8, .shader_visible = is_sabotaged}));
    source.destroy(heap);
    return scene.end_frame();
}

Status view_of_what_is_gone(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    HEAPWRIGHT_ASSIGN(const auto view, scene.render().create_view(device::ConstantBufferView{
                                           .buffer = buffer.resource, .size_bytes = rules::kBufferBytes}));
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    const auto release = [&] {
        rules::release(scene, buffer);
        return scene.drain();
    };
    if (is_sabotaged) HEAPWRIGHT_TRY(release());
    HEAPWRIGHT_TRY(scene.dispatch(scene.render().immediate(),
                                  {.tables = kTables,
                                   .static_table = table.first_index(),
                                   .other_constant = &view,
                                   .other_resource = is_sabotaged ? scene.constants() : buffer.resource}));
    HEAPWRIGHT_TRY(scene.end_frame());
    return is_sabotaged ? Status{} : release();
}

Status range_freed_twice(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(auto freed, scene.make_static_table(kTables));
    const frame::DescriptorRange range = freed.take_range();
    for (int owner = 0; owner < (is_sabotaged ? 2 : 1); ++owner) scene.render().resource_heap().free(range);
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    HEAPWRIGHT_ASSIGN(const auto other, scene.make_static_table({.static_constant = 90, .static_buffer = 91}));
    HEAPWRIGHT_TRY(
        scene.dispatch(scene.render().immediate(), {.tables = kTables, .static_table = table.first_index()}));
    return scene.end_frame();
}

Status range_freed_in_another_manager(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(auto view, scene.render().create_view(scene.constant_view(900)));
    frame::DescriptorRange range = view.take_range();
    // The scene's views fill the managers before this one, by twos: of a constant and of a buffer.
    if (range.manager_id == 0) return fail(ErrorCode::kInvariantBroken, "the view lies in the first manager");
    if (is_sabotaged) range.manager_id = 0;
    scene.render().cpu_heap(DescriptorHeapKind::kCbvSrvUav).free(range);
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_ASSIGN(const auto next, scene.render().create_view(scene.constant_view(901)));
    validate::SceneTables tables = kTables;
    tables.static_constant = tables.static_buffer = range.first / 2;
    HEAPWRIGHT_TRY(rules::draw(scene, scene.render().immediate(), tables));
    return scene.end_frame();
}

Status view_dropped_while_used(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(auto view, scene.render().create_view(scene.constant_view(10)));
    const rules::PlaceOf kept(view);
    if (is_sabotaged) view.reset();
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_ASSIGN(const auto next, scene.render().create_view(scene.constant_view(11)));
    HEAPWRIGHT_TRY(draw_with(scene, kept.descriptor, 10));
    return scene.end_frame();
}

Status view_free_before_its_fence(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(auto view, scene.render().create_view(scene.constant_view(10)));
    const rules::PlaceOf kept(view);
    HEAPWRIGHT_TRY(draw_with(scene, view, 10));
    if (!is_sabotaged) HEAPWRIGHT_TRY(draw_with(scene, view, 10));
    view.reset();
    if (is_sabotaged) scene.render().cpu_heap(DescriptorHeapKind::kCbvSrvUav).release_completed(TimelineValue{~0ull});
    HEAPWRIGHT_TRY(scene.render().flush());
    HEAPWRIGHT_ASSIGN(const auto next, scene.render().create_view(scene.constant_view(11)));
    const bool took_its_place =
        next.heap() == kept.descriptor.heap() && next.first_index() == kept.descriptor.first_index();
    if (took_its_place != is_sabotaged) {
        return fail(ErrorCode::kInvalidArgument,
                    took_its_place ? "the place was handed out before its fence" : "the place was not handed out");
    }
    if (is_sabotaged) HEAPWRIGHT_TRY(draw_with(scene, kept.descriptor, 10));
    return scene.end_frame();
}

Status row_larger_than_a_chunk(BindingScene& scene, bool) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    const std::uint32_t chunk = render.resource_heap().layout().dynamic_chunk;
    frame::DeviceContext& deferred = render.take_deferred();
    HEAPWRIGHT_ASSIGN(const auto large, render.immediate().allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 2 * chunk));
    HEAPWRIGHT_TRY(rules::draw(scene, deferred));
    HEAPWRIGHT_TRY(
        render.descriptors().write(render.resource_heap().heap(), large.first + chunk, scene.constant_view(99)));
    HEAPWRIGHT_TRY(render.execute(deferred));
    return scene.end_frame();
}

Status frames_without_end(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    const std::uint64_t capacity = render.resource_heap().static_figures().capacity;
    for (int frame = 0; frame < 4; ++frame) {
        HEAPWRIGHT_ASSIGN(auto tables, render.resource_heap().allocate(static_cast<std::uint32_t>(capacity / 2 + 1)));
        tables.reset();
        if (!is_sabotaged) HEAPWRIGHT_TRY(render.finish_frame());
    }
    return {};
}

Status allocation_that_nobody_frees(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table(kTables));
    if (is_sabotaged) (void)table.take_range();
    return scene.end_frame();
}

Status samplers_that_differ(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    std::vector<frame::SamplerCache::Reference> users;
    const std::uint64_t capacity = scene.render().sampler_heap().static_figures().capacity;
    for (std::uint64_t user = 0; user <= capacity; ++user) {
        const float lod = is_sabotaged ? static_cast<float>(user) : 1.0f;
        HEAPWRIGHT_ASSIGN(auto sampler, scene.render().samplers().get({.max_lod = lod}));
        users.push_back(std::move(sampler));
    }
    return scene.end_frame();
}

Status sampler_from_a_full_heap(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(const auto sampler, render.samplers().get({.address_u = device::AddressMode::kClampToEdge,
                                                                 .address_v = device::AddressMode::kClampToEdge}));
    std::vector<frame::DescriptorHeapAllocation> taken;
    for (const std::uint32_t count : {render.sampler_heap().layout().dynamic_chunk, 1u}) {
        for (auto some = render.sampler_heap().allocate_dynamic(count); some;
             some = render.sampler_heap().allocate_dynamic(count))
            taken.push_back(std::move(*some));
    }
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    BindingScene::Use use{.tables = kTables, .static_table = table.first_index()};
    if (is_sabotaged) {
        use.address_u = device::AddressMode::kClampToEdge;
        HEAPWRIGHT_ASSIGN(use.dynamic_sampler, scene.make_dynamic_sampler(render.immediate(), sampler));
    }
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), use));
    return scene.end_frame();
}

void state_2048_samplers(model::DeviceReport& report) {
    report.identity.api = model::Api::kD3d12;
    report.limits.push_back({"ID3D12Device::CreateDescriptorHeap", "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER", 65'536});
}

// So that the scenario of exhaustion is quick.
void state_few_descriptors(model::DeviceReport& report) {
    report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetSampledImages", 8192});
    report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetStorageBuffers", 8192});
}

template <class Descriptors>
constexpr auto kDescriptors = rules::before<test::DescriptorDevice<Descriptors>>;

}  // namespace

const std::vector<rules::Rule>& all() {
    static const std::vector<rules::Rule> kRules{
        {.rule = "A command finds its resource through the descriptor that was put in its place.",
         .section = "Introduction",
         .sabotage = "Every tenth copy takes the descriptor beside the one that was asked for.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::NeighbourCopies>},
         .says = rules::kWrongWord},
        {.rule = "All descriptors of a command are in shader-visible heaps before it runs.",
         .section = "Introduction; GPU Descriptor Heap",
         .sabotage = "Tables are copied behind the submission that reads them.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.lie = rules::before<test::LateTablesDevice>},
         .says = rules::kRewritten},
        {.rule = "Heaps of RTV and DSV descriptors are not shader-visible.",
         .section = "Introduction",
         .sabotage = "A shader-visible heap of render target views is asked for.",
         .plays = rules::body<visible_render_targets>(),
         .stage = {},
         .says = "a heap of this kind cannot be shader-visible"},
        {.rule = "A sampler heap holds no more than the device states, 2048.",
         .section = "Introduction; Discussion",
         .sabotage = "The policy plans 8576 samplers.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.change_report = state_2048_samplers,
                   .change_policy =
                       [](model::DevicePolicy& policy) { policy.descriptors.samplers.capacity.value = 8576; }},
         .says = "8576 shader-visible sampler descriptors are planned, one heap of the device may hold 2048"},
        {.rule = "An allocation has one owner: it moves and is not copied.",
         .section = "Descriptor Heap Allocation",
         .sabotage = "An allocation, or a reference to a sampler, is copied.",
         .plays = {},
         .stage = {},
         .says = "It does not compile.",
         .is_forbidden_by_types =
             kMovesAlone<frame::DescriptorHeapAllocation> && kMovesAlone<frame::SamplerCache::Reference>},
        {.rule = "A range goes back once.",
         .section = "Descriptor Heap Allocation",
         .sabotage = "Two owners free the same range.",
         .plays = rules::body<range_freed_twice>(),
         .stage = {},
         .says = rules::kWrongWord},
        {.rule = "A range goes back to the manager that made it.",
         .section = "Descriptor Heap Allocation; CPU Descriptor Heap",
         .sabotage = "A view of the last manager is freed as one of the first.",
         .plays = rules::body<range_freed_in_another_manager>(),
         .stage = {},
         .says = rules::kWrongWord},
        {.rule = "A freed range of the static part is handed out again when the commands that may read it are over.",
         .section = "Descriptor Heap Allocation Manager; Shader Resource Binding",
         .sabotage = "The release queue of the static part waits for nothing.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.heap = test::HastyTablesHeap::make},
         .says = rules::kRewritten},
        {.rule = "Stale allocations come back at the end of each frame.",
         .section = "Descriptor Heap Allocation Manager",
         .sabotage = "Frames are never finished.",
         .plays = rules::body<frames_without_end>(),
         .stage = {.mode = replay::ReplayMode::kImmediate},
         .says = "the static part of the shader-visible CBV_SRV_UAV heap has no [0-9]+ descriptors in a row: .*"},
        {.rule = "Stale allocations come back in frames without commands, too.",
         .section = "Descriptor Heap Allocation Manager",
         .sabotage = "The fence says the value before the last one until another list comes.",
         .plays = rules::scenario(validate::play_loading_screens),
         .stage = {.mode = replay::ReplayMode::kImmediate, .lie = rules::before<test::BehindDevice>},
         .says =
             "static descriptors: [0-9]+ are held after [0-9]+ frames without commands, although the device is idle"},
        {.rule = "Nothing is left when everything was released.",
         .section = "Descriptor Heap Allocation Manager",
         .sabotage = "An allocation is dropped and not given back.",
         .plays = rules::body<allocation_that_nobody_frees>(),
         .stage = {},
         .says = "static descriptors: [0-9]+ are held at the end"},
        {.rule =
             "A CPU heap that is full gets a further manager with a heap of its own; what there is stays where it is.",
         .section = "CPU Descriptor Heap",
         .sabotage = "The further manager's heap is the first one again.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.lie = kDescriptors<test::OneHeapForAll>},
         .says = rules::kWrongWord},
        {.rule = "A view keeps its descriptor in the CPU heap as long as it lives.",
         .section = "Creating Resource View",
         .sabotage = "The view is released, and used after its frame is over.",
         .plays = rules::body<view_dropped_while_used>(),
         .stage = {},
         .says = rules::kWrongWord},
        {.rule = "A view's descriptor is free when the view is released and the fence has passed.",
         .section = "Creating Resource View; CPU Descriptor Heap",
         .sabotage = "Views that are released come back without the fence.",
         .plays = rules::body<view_free_before_its_fence>(),
         .stage = {},
         .says = rules::kWrongWord},
        {.rule = "What a view points to lives as long as commands use the view.",
         .section = "Creating Resource View",
         .sabotage = "A command is recorded with a view whose buffer is gone.",
         .plays = rules::body<view_of_what_is_gone>(),
         .stage = {},
         .says = "dispatch: descriptor [0-9]+ of heap [0-9]+ points to a destroyed resource"},
        {.rule = "A constant buffer view points to its buffer.",
         .section = "Creating Resource View",
         .sabotage = "Constant buffer views point to what the one before them points to.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::ConstantBufferView>>},
         .says = "descriptor [0-9]+ .static constant. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "A shader resource view of a buffer points to its buffer.",
         .section = "Creating Resource View",
         .sabotage = "Views of buffers point to what the one before them points to.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::BufferView>>},
         .says = "descriptor [0-9]+ .static buffer. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "A shader resource view of a texture points to its texture.",
         .section = "Creating Resource View",
         .sabotage = "Views of images point to what the one before them points to.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::ImageView>>},
         .says = "descriptor [0-9]+ .static image through its sampler. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "A sampler is the one that was written.",
         .section = "Creating Resource View",
         .sabotage = "Sampler descriptors hold the sampler before them.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::SamplerDescription>>},
         .says = "descriptor [0-9]+ .static image through its sampler. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "An unordered access view points to what it writes.",
         .section = "Creating Resource View",
         .sabotage = "Views for writing lie 256 bytes behind their place.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::ShiftedOutputs>},
         .says = rules::kWrongWord},
        {.rule = "A render target view points to its image.",
         .section = "Creating Resource View",
         .sabotage = "Render target views point to what the one before them points to.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::RenderTargetView>>},
         .says = "ClearRenderTarget: the descriptor is no view of the image that is named"},
        {.rule = "A depth stencil view points to its image.",
         .section = "Creating Resource View",
         .sabotage = "Depth stencil views point to what the one before them points to.",
         .plays = rules::scenario(validate::play_descriptor_views),
         .stage = {.lie = kDescriptors<test::EarlierViews<device::DepthStencilView>>},
         .says = "ClearDepthStencil: the descriptor is no view of the image that is named"},
        {.rule = "The static and the dynamic part of a heap do not overlap.",
         .section = "GPU Descriptor Heap",
         .sabotage = "Dynamic chunks are taken from the whole heap.",
         .plays = rules::scenario(validate::play_binding_model),
         .stage = {.mode = replay::ReplayMode::kImmediate, .heap = test::NoBoundaryHeap::make},
         .says = "descriptor [0-9]+ .static constant. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "A dynamic chunk belongs to one context, so that threads record without a lock.",
         .section = "GPU Descriptor Heap; Multithreading and GPU-safety concerns",
         .sabotage = "A chunk is handed to two contexts of two threads.",
         .plays = rules::scenario(validate::play_binding_model),
         .stage = {.mode = replay::ReplayMode::kImmediate, .heap = test::TwiceHandedHeap::make},
         .says = "descriptor [0-9]+ .dynamic constant. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "A deferred context keeps its dynamic descriptors until it is executed.",
         .section = "Multithreading and GPU-safety concerns",
         .sabotage = "A chunk of a deferred context is handed to another one meanwhile.",
         .plays = rules::scenario(validate::play_deferred_contexts),
         .stage = {.mode = replay::ReplayMode::kImmediate, .heap = test::TwiceHandedHeap::make},
         .says = "context ([0-9]+) holds it, and context (?!\\1 )[0-9]+ the row of [0-9]+ from [0-9]+ on"},
        {.rule = "A request larger than a chunk gets a range of its own size.",
         .section = "Allocating Dynamic Descriptor; Discussion",
         .sabotage = "It gets a chunk, and is told that it is as large as it asked for.",
         .plays = rules::body<row_larger_than_a_chunk>(),
         .stage = {.heap = test::EqualChunksHeap::make},
         .says = "descriptor [0-9]+ .dynamic constant. of context [0-9]+: .* holds 0x[0-9a-f]+"},
        {.rule = "Dynamic chunks go back when the context's list is executed.",
         .section = "GPU Descriptor Heap; Multithreading and GPU-safety concerns",
         .sabotage = "Chunks that a context gives back are lost.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.heap = test::KeptChunksHeap::make},
         .says = "dynamic descriptors: [0-9]+ are held at the end"},
        {.rule = "Dynamic chunks are handed out again when the list that reads them is over.",
         .section = "Allocating Dynamic Descriptor; Multithreading and GPU-safety concerns",
         .sabotage = "The release queue of the dynamic part waits for nothing.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.heap = test::HastyChunksHeap::make},
         .says = rules::kRewritten},
        {.rule = "The size that a heap reached is told.",
         .section = "Discussion",
         .sabotage = "The figures leave out the chunks that are in use.",
         .plays = rules::scenario(validate::play_descriptor_exhaustion),
         .stage = {.change_report = state_few_descriptors, .heap = test::UncountedChunksHeap::make},
         .says = "the heap: [0-9]+ of [0-9]+ descriptors are live at once"},
        {.rule = "One sampler is one descriptor, however many use it.",
         .section = "Discussion",
         .sabotage = "Each user's sampler differs from the others.",
         .plays = rules::body<samplers_that_differ>(),
         .stage = {},
         .says = "no descriptor for one sampler more: [0-9]+ distinct samplers are in use by [0-9]+ users"},
        {.rule = "A sampler that never changes is a static one and needs no descriptor.",
         .section = "Discussion",
         .sabotage = "With a full sampler heap, a command takes a dynamic sampler instead.",
         .plays = rules::body<sampler_from_a_full_heap>(),
         .stage = {},
         .says = "the dynamic part of the shader-visible sampler heap has no [0-9]+ descriptors in a row: .*"},
    };
    return kRules;
}

}  // namespace heapwright::descriptor_rules

std::span<const heapwright::rules::Rule> heapwright::rules::descriptor_rules() {
    return heapwright::descriptor_rules::all();
}
