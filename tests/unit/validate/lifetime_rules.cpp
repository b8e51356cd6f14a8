// "Managing Resource Lifetimes": fences, and what is released; the rest stands in frame_rules.cpp.
#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "heap_doubles.hpp"
#include "lossy_devices.hpp"
#include "replay_scene.hpp"
#include "rule_bodies.hpp"

namespace heapwright::lifetime_rules {

using replay::ReplayMode;
using rules::kTables;
using validate::BindingScene;

namespace {

// --- what a draw uses, given back with it

enum class Object : std::uint8_t { kBuffer, kImage, kPipeline, kMemory };

template <Object kObject>
Status given_back_with_its_draw(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    const model::BufferDescription constants{
        .size_bytes = rules::kBufferBytes, .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst};
    HEAPWRIGHT_ASSIGN(auto own_memory, validate::SceneMemory::create(scene.device, scene.policy,
                                                                     model::MemoryUse::kUpload, constants, 64));
    validate::SceneMemory& memory = scene.keep(std::move(own_memory));
    HEAPWRIGHT_ASSIGN(const auto buffer, memory.place(constants));
    std::ranges::fill(buffer.bytes, std::byte{0x11});
    HEAPWRIGHT_ASSIGN(const auto image, scene.image_memory().place(BindingScene::image_description()));
    HEAPWRIGHT_TRY(scene.fill_image(image.resource, kTables.image));
    HEAPWRIGHT_ASSIGN(const auto pipeline,
                      scene.device.recorder()->create_pipeline(device::ComputeProgram::kReadTablesStaticSampler));
    {
        HEAPWRIGHT_ASSIGN(const auto constant, scene.render().create_view(device::ConstantBufferView{
                                                   .buffer = buffer.resource, .size_bytes = rules::kBufferBytes}));
        HEAPWRIGHT_ASSIGN(const auto texture, scene.render().create_view(device::ImageView{.image = image.resource}));
        HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables, texture));
        HEAPWRIGHT_TRY(scene.dispatch(scene.render().immediate(), {.tables = kTables,
                                                                   .static_table = table.first_index(),
                                                                   .other_constant = &constant,
                                                                   .other_resource = buffer.resource,
                                                                   .other_word = 0x1111'1111,
                                                                   .other_image = image.resource,
                                                                   .pipeline = pipeline}));
        HEAPWRIGHT_TRY(scene.end_frame());
    }
    const auto is_early = [&](Object object) { return is_sabotaged && object == kObject; };
    device::Device& device = scene.device;
    is_early(Object::kBuffer) ? device.resources().destroy(buffer.resource) : scene.render().release(buffer.resource);
    is_early(Object::kImage) ? device.resources().destroy(image.resource) : scene.render().release(image.resource);
    is_early(Object::kPipeline) ? device.recorder()->destroy(pipeline) : scene.render().release(pipeline);
    is_early(Object::kMemory)
        ? memory.free_range(buffer.range.offset_bytes, buffer.range.size_bytes, buffer.range.handle)
        : scene.render().release(buffer.range);
    scene.render().release(image.range);
    return scene.drain();
}

// --- what is used behind its release

// Past the contexts, or through a deferred one.
Status buffer_used_behind_release(BindingScene& scene, frame::DeviceContext& context, bool is_sabotaged) {
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    context.record(rules::fill(buffer.resource));
    if (!is_sabotaged) context.record(rules::fill(buffer.resource));
    if (context.kind() == frame::ContextKind::kImmediate) {
        rules::release(scene, buffer);
    } else {
        context.release(buffer.resource);
        context.release(buffer.range);
    }
    if (is_sabotaged) context.record(rules::fill(buffer.resource));
    return {};
}

Status used_behind_release(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_TRY(buffer_used_behind_release(scene, scene.render().immediate(), is_sabotaged));
    return scene.end_frame();
}

Status used_behind_release_in_deferred(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::DeviceContext& deferred = scene.render().take_deferred();
    HEAPWRIGHT_TRY(buffer_used_behind_release(scene, deferred, is_sabotaged));
    HEAPWRIGHT_TRY(scene.render().execute(deferred));
    return scene.end_frame();
}

enum class Released : std::uint8_t { kPipeline, kView, kTable, kSampler };

template <Released kReleased>
Status drawn_behind_release(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(const auto pipeline,
                      scene.device.recorder()->create_pipeline(device::ComputeProgram::kReadTables));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table(kTables));
    HEAPWRIGHT_ASSIGN(auto sampler, render.samplers().get({.address_v = device::AddressMode::kClampToEdge}));
    HEAPWRIGHT_ASSIGN(auto view, render.create_view(scene.constant_view(10)));
    const rules::PlaceOf place(view);
    const BindingScene::Use use{.tables = kTables,
                                .static_table = table.first_index(),
                                .address_u = device::AddressMode::kRepeat,
                                .sampler = sampler.visible_index(),
                                .other_constant = &place.descriptor,
                                .other_resource = scene.constants(),
                                .other_word = BindingScene::constant_word(10),
                                .pipeline = pipeline};
    const auto release = [&](Released object) {
        if (object == Released::kPipeline) render.release(pipeline);
        if (object == Released::kView) view.reset();
        if (object == Released::kTable) table.reset();
        if (object == Released::kSampler) std::exchange(sampler, {});
    };
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), use));
    if (is_sabotaged) release(kReleased);
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), use));
    for (const Released object : {Released::kPipeline, Released::kView, Released::kTable, Released::kSampler}) {
        if (!is_sabotaged || object != kReleased) release(object);
    }
    return scene.end_frame();
}

Status released_by_another_thread(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    for (int frame = 0; frame < 4; ++frame) {
        HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
        render.immediate().record(rules::fill(buffer.resource));
        HEAPWRIGHT_ASSIGN(const auto last, render.flush());
        Status released;
        std::jthread([&] {
            const frame::LastUse earlier{.queue = 0, .command_list = last.value() - 1};
            is_sabotaged ? void(released = render.release(buffer.resource, {&earlier, 1}))
                         : render.release(buffer.resource);
            render.release(buffer.range);
        }).join();
        HEAPWRIGHT_TRY(std::move(released));
        HEAPWRIGHT_TRY(rules::next_frame(scene));
    }
    return {};
}

// --- several queues

// Frames end meanwhile, and the graphics queue is through; the compute queue is kept behind a gate.
Status used_on_two_queues(BindingScene& scene,
                          Status (*release_it)(frame::RenderDevice& render, device::ResourceId buffer,
                                               std::uint64_t drawn, std::uint64_t computed, bool is_sabotaged),
                          bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene, {device::EngineId{0}, device::EngineId{1}}));
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(const auto gate, scene.device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    render.immediate(1).wait_for({.timeline = gate.get(), .value = TimelineValue{1}});
    render.immediate(1).record(rules::fill(buffer.resource));
    HEAPWRIGHT_ASSIGN(const auto computed, render.flush(1));
    render.immediate(0).record(rules::fill(buffer.resource));
    HEAPWRIGHT_ASSIGN(const auto drawn, render.flush(0));
    const Status released = release_it(render, buffer.resource, drawn.value(), computed.value(), is_sabotaged);
    render.release(buffer.range);
    const Status ended = render.finish_frame();
    HEAPWRIGHT_TRY(gate->signal(TimelineValue{1}));
    HEAPWRIGHT_TRY(Status(released));
    return ended;
}

Status released_by_a_context(BindingScene& scene, bool is_sabotaged) {
    return used_on_two_queues(
        scene,
        [](frame::RenderDevice& render, device::ResourceId buffer, std::uint64_t, std::uint64_t, bool is_early) {
            render.immediate(0).release(buffer, is_early ? frame::UsedBy::kThisQueue : frame::UsedBy::kEveryQueue);
            return Status{};
        },
        is_sabotaged);
}

Status released_with_its_last_uses(BindingScene& scene, bool is_sabotaged) {
    return used_on_two_queues(
        scene,
        [](frame::RenderDevice& render, device::ResourceId buffer, std::uint64_t drawn, std::uint64_t computed,
           bool is_early) {
            const std::vector<frame::LastUse> uses{{.queue = 0, .command_list = drawn},
                                                   {.queue = 1, .command_list = computed}};
            return render.release(buffer, std::span(uses).first(is_early ? 1 : 2));
        },
        is_sabotaged);
}

Status released_with_a_list_to_come(BindingScene& scene, bool is_sabotaged) {
    return used_on_two_queues(
        scene,
        [](frame::RenderDevice& render, device::ResourceId buffer, std::uint64_t, std::uint64_t computed,
           bool is_early) {
            const frame::LastUse use{.queue = 1, .command_list = computed + (is_early ? 1 : 0)};
            Status released = render.release(buffer, {&use, 1});
            if (!released) render.release(buffer);
            return released;
        },
        is_sabotaged);
}

// Its list comes behind the last one that was submitted.
Status released_beside_an_open_context(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    frame::DeviceContext& deferred = render.take_deferred();
    deferred.record(rules::fill(buffer.resource));
    render.immediate().record(rules::fill(buffer.resource));
    HEAPWRIGHT_ASSIGN(auto last, render.flush());
    if (!is_sabotaged) {
        HEAPWRIGHT_ASSIGN(last, render.submit(deferred));
    }
    const frame::LastUse use{.queue = 0, .command_list = last.value()};
    HEAPWRIGHT_TRY(render.release(buffer.resource, {&use, 1}));
    render.release(buffer.range);
    render.give_back(deferred);
    return scene.end_frame();
}

// All rows are taken but two chunks: one waits for a list behind a gate, the other for a list of another queue that is
// over.
Status rows_of_two_queues(BindingScene& scene, bool) {
    HEAPWRIGHT_TRY(rules::begin(scene, {device::EngineId{0}, device::EngineId{1}}));
    frame::RenderDevice& render = scene.render();
    frame::GPUDescriptorHeap& heap = render.resource_heap();
    HEAPWRIGHT_ASSIGN(const auto gate, scene.device.create_timeline(0));
    render.immediate(1).wait_for({.timeline = gate.get(), .value = TimelineValue{1}});
    HEAPWRIGHT_TRY(render.flush(1));
    std::vector<frame::DescriptorHeapAllocation> taken;
    const std::uint32_t chunk = heap.layout().dynamic_chunk;
    for (auto some = heap.allocate_dynamic(chunk); some; some = heap.allocate_dynamic(chunk))
        taken.push_back(std::move(*some));
    const TimelineValue behind = render.clock(1).submitted();
    taken[0].release_after(frame::ReleasePoint::of_queue(1, behind));
    taken[1].release_after(render.clock(0).submitted());
    if (auto* sabotaged = dynamic_cast<test::OneQueueHeap*>(&heap))
        sabotaged->wait_for({.timeline = &render.fence(1), .value = behind});
    const Status served = heap.allocate_dynamic(chunk).map([](const auto&) {});
    HEAPWRIGHT_TRY(gate->signal(TimelineValue{1}));
    HEAPWRIGHT_TRY(Status(served));
    taken.clear();
    return scene.end_frame();
}

std::unique_ptr<device::Device> swap_signals(device::Device& inner) {
    auto change = test::swap_signals();
    return std::make_unique<test::ChangingDevice<decltype(change)>>(inner, std::move(change));
}

}  // namespace

const std::vector<rules::Rule>& all() {
    static const std::vector<rules::Rule> kRules{
        {.rule = "The fence's value is the number of lists that are over, and no more.",
         .section = "Basic Strategy",
         .sabotage = "The fence is one value ahead.",
         .plays = rules::scenario(validate::play_early_release),
         .stage = {.mode = ReplayMode::kImmediate, .lie = rules::kEarly<1>},
         .says = "descriptor [0-9]+ .dynamic constant. of context 0: .* through it where resource [0-9]+ holds 0x1"},
        {.rule = "The fence's value is one more than the number of the last list that is over.",
         .section = "Basic Strategy",
         .sabotage = "The fence says the number of the last list.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.lie = rules::before<test::BehindDevice>},
         .says = "stale descriptors: [0-9]+ are held at the end"},
        {.rule = "Numbers are taken and signalled in one order, whichever threads submit.",
         .section = "Basic Strategy",
         .sabotage = "Of two submissions each signals the number of the other.",
         .plays = rules::scenario(validate::play_foreign_frees),
         .stage = {.mode = ReplayMode::kImmediate, .lie = swap_signals},
         .says = "a timeline at [0-9]+ is signalled with [0-9]+"},
        {.rule = "A buffer is destroyed after the last list that uses it.",
         .section = "Introduction; Buffers, Textures, and Pipeline States",
         .sabotage = "It is destroyed right after its draw.",
         .plays = rules::body<given_back_with_its_draw<Object::kBuffer>>(),
         .stage = {},
         .says = rules::kStillUsed},
        {.rule = "A texture is destroyed after the last list that uses it.",
         .section = "Introduction; Buffers, Textures, and Pipeline States",
         .sabotage = "It is destroyed right after its draw.",
         .plays = rules::body<given_back_with_its_draw<Object::kImage>>(),
         .stage = {},
         .says = rules::kStillUsed},
        {.rule = "A pipeline is destroyed after the last list that uses it.",
         .section = "Introduction; Buffers, Textures, and Pipeline States",
         .sabotage = "It is destroyed right after its draw.",
         .plays = rules::body<given_back_with_its_draw<Object::kPipeline>>(),
         .stage = {},
         .says = "destroy: [0-9]+ pending dispatches still use pipeline [0-9]+"},
        {.rule = "Memory is used again after the last list that reads what lay in it.",
         .section = "Buffers, Textures, and Pipeline States",
         .sabotage = "The memory of a buffer comes back right after its draw.",
         .plays = rules::body<given_back_with_its_draw<Object::kMemory>>(),
         .stage = {},
         .says = "the device read 0xdeadbeef through it where resource [0-9]+ holds 0x11111111"},
        {.rule = "Descriptor heaps are alive while commands read them.",
         .section = "Introduction; Descriptor Heaps",
         .sabotage = "The render device ends without waiting for its queues.",
         .plays = rules::body<rules::end_under_way>(),
         .stage = {.lie = rules::before<test::ImpatientDevice>},
         .says = "destroy: [0-9]+ pending dispatches still read descriptor heap [0-9]+"},
        {.rule = "A resource is released after its last use was recorded in the immediate context.",
         .section = "Basic Strategy; Conclusion",
         .sabotage = "A buffer is used once more behind its release.",
         .plays = rules::body<used_behind_release>(),
         .stage = {},
         .says = "resource [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "A resource is released after its last use was recorded in a deferred context.",
         .section = "Basic Strategy; Conclusion",
         .sabotage = "A deferred context uses a buffer behind its own release.",
         .plays = rules::body<used_behind_release_in_deferred>(),
         .stage = {},
         .says = "resource [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "A pipeline is released after its last use was recorded.",
         .section = "Basic Strategy; Conclusion",
         .sabotage = "It is used once more behind its release.",
         .plays = rules::body<drawn_behind_release<Released::kPipeline>>(),
         .stage = {},
         .says = "pipeline [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "A view is released after its last use was recorded.",
         .section = "Descriptor Heaps; Conclusion",
         .sabotage = "It is used once more behind its release.",
         .plays = rules::body<drawn_behind_release<Released::kView>>(),
         .stage = {},
         .says = "view [0-9]+ of heap [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "A static descriptor is released after its last use was recorded.",
         .section = "Descriptor Heaps; Conclusion",
         .sabotage = "A table is used once more behind its release.",
         .plays = rules::body<drawn_behind_release<Released::kTable>>(),
         .stage = {},
         .says = "descriptor [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "A sampler is released after its last use was recorded.",
         .section = "Descriptor Heaps; Conclusion",
         .sabotage = "It is used once more behind its release.",
         .plays = rules::body<drawn_behind_release<Released::kSampler>>(),
         .stage = {},
         .says = "sampler descriptor [0-9]+ is used by context [0-9]+ in frame .*, but was released in frame .*"},
        {.rule = "Any thread may release: what it releases ends later than it could, never earlier.",
         .section = "Basic Strategy",
         .sabotage = "Another thread releases what waits for the list before the last one.",
         .plays = rules::body<released_by_another_thread>(),
         .stage = {},
         .says = rules::kStillUsed},
        {.rule = "What threads free, of every kind, waits for the lists of all of them.",
         .section = "Basic Strategy",
         .sabotage = "The fence is more than a frame's lists ahead while threads free at random.",
         .plays = rules::scenario(validate::play_foreign_frees),
         .stage = {.lie = rules::kEarly<40>},
         .says = "the device read 0x[0-9a-f]+ through it where resource [0-9]+ holds 0x[0-9a-f]+"},
        {.rule = "What a context releases waits for the last use on every queue.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "What two queues use is released as if one did.",
         .plays = rules::body<released_by_a_context>(),
         .stage = {.mode = ReplayMode::kImmediate},
         .says = rules::kStillUsed},
        {.rule = "A release that names last uses names that of each queue.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "It names that of one queue alone.",
         .plays = rules::body<released_with_its_last_uses>(),
         .stage = {.mode = ReplayMode::kImmediate},
         .says = rules::kStillUsed},
        {.rule = "What is released for one queue is used by no list of another one that is open or pending.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "It is, in a list that is not over.",
         .plays = rules::body<released_by_a_context>(),
         .stage = {.mode = ReplayMode::kImmediate},
         .says = "resource [0-9]+ is released in frame .*, and its use in command list .* is not over, is left out"},
        {.rule = "A release that names last uses leaves out none that a context has recorded and not submitted.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "It names the last list that was submitted, while a context with a use is open.",
         .plays = rules::body<released_beside_an_open_context>(),
         .stage = {},
         .says = "resource [0-9]+ is released in frame .*, and its use in context .* is open, is left out"},
        {.rule = "A release names lists that were submitted.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "It names the list that comes next.",
         .plays = rules::body<released_with_a_list_to_come>(),
         .stage = {.mode = ReplayMode::kImmediate},
         .says = "a last use is in a list that is not submitted"},
        {.rule = "A request for rows waits for no queue while another one is through with some.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "It waits for the queue whose rows are the oldest.",
         .plays = rules::body<rows_of_two_queues>(),
         .stage = {.mode = ReplayMode::kImmediate, .heap = test::OneQueueHeap::make},
         .says = "the timeline stays at [0-9]+"},
        {.rule = "Each queue has a fence of its own, and waits for that one.",
         .section = "Basic Strategy, extended to several queues",
         .sabotage = "The fence of each queue says how far the other queue is.",
         .plays = rules::scenario(validate::play_queue_lifetimes),
         .stage = {.lie = rules::kEarly<test::EarlyDevice::kExchanged>},
         .says = "descriptor [0-9]+ .dynamic constant. of context [0-9]+: .* holds 0x[23]"},
    };
    return kRules;
}

}  // namespace heapwright::lifetime_rules

std::span<const heapwright::rules::Rule> heapwright::rules::lifetime_rules() {
    return heapwright::lifetime_rules::all();
}
