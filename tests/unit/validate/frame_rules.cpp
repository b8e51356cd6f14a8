// "Managing Resource Lifetimes": what belongs to a frame or a context, uploads, command lists and their submission.
#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "frame/dynamic_buffer.hpp"
#include "heap_doubles.hpp"
#include "lossy_devices.hpp"
#include "pool/defragmenter.hpp"
#include "replay/fault_injection.hpp"
#include "replay_scene.hpp"
#include "rule_bodies.hpp"

namespace heapwright::frame_rules {

using device::DescriptorHeapKind;
using rules::kTables;
using validate::BindingScene;

namespace {

// --- moving resources

// The copy is over when a list that was recorded behind it reads the old place.
Status old_place_freed_with_its_copy(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    const auto next_list = [&] { return TimelineValue{render.clock().next() + 1}; };
    HEAPWRIGHT_ASSIGN(auto own_pool, pool::MemoryPool::create(scene.device, scene.policy, {}));
    pool::MemoryPool& pool = scene.keep(std::move(own_pool));
    pool::ResourceTable table;
    pool::Defragmenter defragmenter(pool, table, {.strategy = suballoc::DefragmentationStrategy::kSortBySize});
    const model::ResourceDescription description = BindingScene::bindable_buffer(rules::kBufferBytes);
    HEAPWRIGHT_ASSIGN(auto in_front, pool.create(description, model::MemoryUse::kDeviceOnly));
    HEAPWRIGHT_ASSIGN(auto made, pool.create(description, model::MemoryUse::kDeviceOnly));
    const pool::ResourceHandle moved = table.insert(std::move(made), description);
    const auto draw = [&]() -> Status {
        const device::ResourceId buffer = table.find(moved)->resource.id();
        HEAPWRIGHT_ASSIGN(const auto view, render.create_view(device::ConstantBufferView{
                                               .buffer = buffer, .size_bytes = rules::kBufferBytes}));
        HEAPWRIGHT_ASSIGN(const auto static_table, scene.make_static_table(kTables));
        HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), {.tables = kTables,
                                                           .static_table = static_table.first_index(),
                                                           .other_constant = &view,
                                                           .other_resource = buffer,
                                                           .other_word = 1}));
        return render.flush().map([](const auto&) {});
    };
    render.immediate().record(rules::fill(table.find(moved)->resource.id()));
    HEAPWRIGHT_TRY(render.flush());
    in_front = {};
    HEAPWRIGHT_TRY(pool.release_completed(render.last_completed()));

    const TimelineValue copied = next_list();
    std::vector<device::Work> copies;
    HEAPWRIGHT_ASSIGN(const auto step, defragmenter.record_step(copied, copies));
    if (!step) return fail(ErrorCode::kInvariantBroken, "no buffer is moved");
    HEAPWRIGHT_TRY(render.submit_now(copies));
    HEAPWRIGHT_TRY(draw());
    HEAPWRIGHT_TRY(render.fence().wait(copied, frame::RenderDevice::kWaitTimeoutNs));
    if (!defragmenter.finish(copied, is_sabotaged ? copied : next_list()))
        return fail(ErrorCode::kInvariantBroken, "the copy is not over");
    HEAPWRIGHT_TRY(pool.release_completed(copied));
    HEAPWRIGHT_TRY(draw());
    HEAPWRIGHT_TRY(scene.end_frame());
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_TRY(table.erase(moved));
    return pool.release_completed(render.last_completed());
}

// --- upload memory

Status upload_given_back_with_its_copy(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    const std::uint64_t size_bytes = 2 * render.uploads().page_bytes();
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene, size_bytes));
    HEAPWRIGHT_ASSIGN(const auto content, render.immediate().allocate_upload(size_bytes));
    render.immediate().copy_from_upload(content, buffer.resource, 0);
    HEAPWRIGHT_TRY(scene.end_frame());
    if (is_sabotaged) render.uploads().release_completed(TimelineValue{~0ull});
    rules::release(scene, buffer);
    return {};
}

Status uploads_of_endless_frame(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    for (int frame = 0; frame < 40; ++frame) {
        HEAPWRIGHT_TRY(scene.render().uploads().allocate(test::kMib));
        if (!is_sabotaged) HEAPWRIGHT_TRY(scene.render().finish_frame());
    }
    return {};
}

Status space_used_in_next_frame(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    HEAPWRIGHT_ASSIGN(const auto space, scene.render().immediate().allocate_upload(rules::kBufferBytes));
    if (is_sabotaged) HEAPWRIGHT_TRY(rules::next_frame(scene));
    scene.render().immediate().copy_from_upload(space, buffer.resource, 0);
    HEAPWRIGHT_TRY(scene.end_frame());
    rules::release(scene, buffer);
    return {};
}

// --- dynamic buffers

enum class Mapping : std::uint8_t { kStaysMapped, kUsedInNextFrame };

template <Mapping kMapping>
Status mapped(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::DeviceContext& context = scene.render().immediate();
    frame::DynamicBuffer buffer(rules::kBufferBytes);
    HEAPWRIGHT_ASSIGN(const auto bytes, buffer.map(context));
    std::ranges::fill(bytes, std::byte{0x11});
    if (kMapping != Mapping::kStaysMapped || !is_sabotaged) buffer.unmap();
    if (kMapping == Mapping::kUsedInNextFrame && is_sabotaged) HEAPWRIGHT_TRY(rules::next_frame(scene));
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    const device::ConstantBufferView view = buffer.constants(context);
    HEAPWRIGHT_TRY(scene.dispatch(context, {.tables = kTables,
                                            .static_table = table.first_index(),
                                            .other_resource = view.buffer,
                                            .other_word = 0x1111'1111,
                                            .written_constant = view}));
    return scene.end_frame();
}

// --- dynamic descriptors and contexts

enum class Row : std::uint8_t { kOfLastFrame, kOfOtherContext, kOfSubmission };

template <Row kRow>
Status row_used(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::RenderDevice& render = scene.render();
    frame::DeviceContext& deferred = render.take_deferred();
    HEAPWRIGHT_ASSIGN(const auto sampler, render.samplers().get({.address_v = device::AddressMode::kClampToEdge}));
    HEAPWRIGHT_ASSIGN(const auto table, scene.make_static_table(kTables));
    const bool is_foreign = is_sabotaged && kRow == Row::kOfOtherContext;
    HEAPWRIGHT_ASSIGN(const auto row, scene.make_dynamic_sampler(is_foreign ? deferred : render.immediate(), sampler));
    const BindingScene::Use use{.tables = kTables,
                                .static_table = table.first_index(),
                                .address_u = device::AddressMode::kRepeat,
                                .dynamic_sampler = row};
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), use));
    if (is_sabotaged && kRow == Row::kOfSubmission) HEAPWRIGHT_TRY(render.flush());
    if (is_sabotaged && kRow == Row::kOfLastFrame) HEAPWRIGHT_TRY(rules::next_frame(scene));
    HEAPWRIGHT_TRY(scene.dispatch(render.immediate(), use));
    HEAPWRIGHT_TRY(render.execute(deferred));
    return scene.end_frame();
}

Status deferred_context_left_open(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    frame::DeviceContext& deferred = scene.render().take_deferred();
    deferred.record(rules::fill(buffer.resource));
    if (is_sabotaged) {
        HEAPWRIGHT_TRY(rules::next_frame(scene));
        HEAPWRIGHT_TRY(rules::next_frame(scene));
    }
    HEAPWRIGHT_TRY(scene.render().execute(deferred));
    rules::release(scene, buffer);
    return scene.end_frame();
}

Status context_submitted_twice(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::DeviceContext& deferred = scene.render().take_deferred();
    HEAPWRIGHT_TRY(scene.render().submit(deferred));
    if (is_sabotaged) HEAPWRIGHT_TRY(scene.render().submit(deferred));
    return scene.end_frame();
}

Status context_of_two_threads(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_ASSIGN(const auto buffer, rules::place(scene));
    frame::DeviceContext& context = scene.render().immediate();
    // It keeps the other thread in the middle of its call.
    auto* stopping = dynamic_cast<test::StoppingHeap*>(&scene.render().resource_heap());
    if (is_sabotaged != (stopping != nullptr)) return fail(ErrorCode::kInvariantBroken, "the heap is not the double");
    Status taken;
    {
        std::jthread other([&] {
            if (const auto row = context.allocate_dynamic(DescriptorHeapKind::kCbvSrvUav, 3); !row)
                taken = tl::unexpected(row.error());
        });
        if (stopping == nullptr) {
            other.join();
        } else {
            stopping->wait_until_inside();
        }
        context.record(rules::fill(buffer.resource));
        if (stopping != nullptr) stopping->let_go();
    }
    HEAPWRIGHT_TRY(std::move(taken));
    rules::release(scene, buffer);
    return scene.end_frame();
}

// --- submissions

Status submission_that_fails(BindingScene& scene, bool is_sabotaged) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    frame::DeviceContext& context = scene.render().immediate();
    HEAPWRIGHT_TRY(rules::draw(scene, context));
    if (scene.render().flush()) return fail(ErrorCode::kInvariantBroken, "the submission did not fail");
    if (is_sabotaged) context.discard();
    return scene.end_frame();
}

Status submission_that_is_repeated(BindingScene& scene, bool) {
    HEAPWRIGHT_TRY(rules::begin(scene));
    HEAPWRIGHT_TRY(rules::draw(scene, scene.render().immediate()));
    if (!scene.render().flush()) HEAPWRIGHT_TRY(scene.render().flush());
    return scene.end_frame();
}

// The second submission: the scene's own set-up is the first.
std::unique_ptr<device::Device> fail_second_submission(device::Device& inner) {
    return replay::inject_faults(std::make_unique<test::ForwardingDevice>(inner),
                                 {.fail_at = 2, .only = replay::SeamCall::kSubmit});
}

}  // namespace

const std::vector<rules::Rule>& all() {
    static const std::vector<rules::Rule> kRules{
        {.rule = "Upload memory of initial data lives until its list is over.",
         .section = "Buffers, Textures, and Pipeline States",
         .sabotage = "It comes back with the frame's end, without the fence.",
         .plays = rules::body<upload_given_back_with_its_copy>(),
         .stage = {},
         .says = rules::kStillUsed},
        {.rule = "The old place of a moved resource is free after the last list that reads it.",
         .section = "Buffers, Textures, and Pipeline States",
         .sabotage = "It is free once it is copied.",
         .plays = rules::body<old_place_freed_with_its_copy>(),
         .stage = {},
         .says = rules::kStillUsed},
        {.rule = "Dynamic descriptors are not used in another frame.",
         .section = "Dynamic descriptors; Conclusion",
         .sabotage = "A dynamic descriptor is used once more in the next frame.",
         .plays = rules::body<row_used<Row::kOfLastFrame>>(),
         .stage = {},
         .says = "dynamic descriptor [0-9]+ of frame [0-9]+ is used in frame [0-9]+ .*"},
        {.rule = "Dynamic descriptors are used by the context that allocated them.",
         .section = "Dynamic descriptors",
         .sabotage = "The immediate context uses one of a deferred context.",
         .plays = rules::body<row_used<Row::kOfOtherContext>>(),
         .stage = {},
         .says = "dynamic descriptor [0-9]+ of context [0-9]+ is used by context [0-9]+ .*"},
        {.rule = "Dynamic descriptors are stale once their context was submitted.",
         .section = "Dynamic descriptors; Submitting Command List to the Command Queue",
         .sabotage = "One is used once more in the same frame, behind the submission.",
         .plays = rules::body<row_used<Row::kOfSubmission>>(),
         .stage = {},
         .says = "dynamic descriptor [0-9]+ is used by context .* went back when the context was submitted before"},
        {.rule = "A deferred context is closed and executed in the frame in which it was begun, or in the next one.",
         .section = "Dynamic descriptors; Conclusion",
         .sabotage = "It is executed two frames later.",
         .plays = rules::body<deferred_context_left_open>(),
         .stage = {},
         .says = "deferred context [0-9]+ was begun in frame [0-9]+ and is not submitted at the end of frame [0-9]+.*"},
        {.rule = "Dynamic space is used in its frame: resources are updated within one frame.",
         .section = "Upload Heaps; Conclusion",
         .sabotage = "A copy from it is recorded in the next frame.",
         .plays = rules::body<space_used_in_next_frame>(),
         .stage = {},
         .says = "dynamic space at offset [0-9]+ of frame [0-9]+ is used in frame [0-9]+ .*"},
        {.rule = "A dynamic buffer is mapped anew in each frame that uses it.",
         .section = "Upload Heaps; Conclusion",
         .sabotage = "What was mapped in the frame before is bound.",
         .plays = rules::body<mapped<Mapping::kUsedInNextFrame>>(),
         .stage = {},
         .says = "dynamic space at offset [0-9]+ of frame [0-9]+ is used in frame [0-9]+ .*"},
        {.rule = "Dynamic buffers are unmapped before their commands are submitted.",
         .section = "Upload Heaps; Conclusion",
         .sabotage = "One stays mapped.",
         .plays = rules::body<mapped<Mapping::kStaysMapped>>(),
         .stage = {},
         .says = "[0-9]+ dynamic buffers are mapped while context [0-9]+ is submitted in frame .*"},
        {.rule = "The ring's tail comes back when its frame is over.",
         .section = "Upload Heaps",
         .sabotage = "The fence is more than a frame's lists ahead of uploads.",
         .plays = rules::scenario(validate::play_upload),
         .stage = {.lie = rules::kEarly<40>},
         .says = "upload of [0-9]+ bytes: .* stands 0x[0-9a-f]+ where 0x[0-9a-f]+ was written"},
        {.rule = "Space of dynamic buffers comes back when its frame is over.",
         .section = "Upload Heaps",
         .sabotage = "The fence is a frame's lists ahead of dynamic buffers.",
         .plays = rules::scenario(validate::play_dynamic_buffers),
         .stage = {.lie = rules::kEarly<12>},
         .says = "descriptor [0-9]+ .dynamic constant. of context [0-9]+: .* holds 0xd"},
        {.rule = "At the end of each frame the upload heap is recycled.",
         .section = "Upload Heaps; Finishing Frame",
         .sabotage = "Frames are never finished.",
         .plays = rules::body<uploads_of_endless_frame>(),
         .stage = {},
         .says = "the upload heap holds .*"},
        {.rule = "A command allocator is used again when its list is over.",
         .section = "Command Lists",
         .sabotage = "The fence is two values ahead.",
         .plays = rules::body<rules::draw_frames>(),
         .stage = {.lie = rules::kEarly<2>},
         .says = "reset: [0-9]+ lists of command allocator [0-9]+ are pending"},
        {.rule = "A command allocator is never destroyed while its list is pending.",
         .section = "Command Lists",
         .sabotage = "The render device ends without waiting for its queues.",
         .plays = rules::body<rules::end_under_way>(),
         .stage = {.lie = rules::before<test::ImpatientDevice>},
         .says = "destroy: [0-9]+ lists of command allocator [0-9]+ are pending"},
        {.rule = "A context goes back to the pool when it is submitted.",
         .section = "Submitting Command List to the Command Queue",
         .sabotage = "Its user submits it once more.",
         .plays = rules::body<context_submitted_twice>(),
         .stage = {},
         .says = "the context is not taken: it is an immediate one, or was submitted or given back"},
        {.rule = "A context is used by one thread at a time.",
         .section = "Managing Descriptor Heaps, Multithreading and GPU-safety concerns",
         .sabotage = "A thread records while another one is in a call of the context.",
         .plays = rules::body<context_of_two_threads>(),
         .stage = {.heap = test::StoppingHeap::make},
         .says = "context [0-9]+ is used by two threads at once in frame .*"},
        {.rule = "A submission that fails loses nothing: its commands run with the next one.",
         .section = "Submitting Command List to the Command Queue",
         .sabotage = "What was recorded is discarded when its submission fails.",
         .plays = rules::body<submission_that_fails>(),
         .stage = {.device = fail_second_submission},
         .says = rules::kWrongWord},
        {.rule = "A submission that fails has run nothing.",
         .section = "Submitting Command List to the Command Queue",
         .sabotage = "The queue takes the lists, and says that it did not.",
         .plays = rules::body<submission_that_is_repeated>(),
         .stage = {.lie = rules::before<test::DenyingDevice, 2>},
         .says = "the command list is gone or was submitted before"},
    };
    return kRules;
}

}  // namespace heapwright::frame_rules

std::span<const heapwright::rules::Rule> heapwright::rules::frame_rules() {
    return heapwright::frame_rules::all();
}
