// Two queues with a clock each. A gate keeps the compute queue behind the graphics queue, which has ended its lists
// meanwhile: its rows and what it alone used come back, are used again and must not be those that the compute queue
// still reads. What both used waits for both.
#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "device/gate.hpp"
#include "validate/binding_scenario.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastQueueLifetimesFrames = 16;
constexpr std::uint64_t kMostQueueLifetimesFrames = 128;
constexpr std::uint32_t kDispatchesOfQueue = 12;
constexpr std::size_t kGraphics = 0;
constexpr std::size_t kCompute = 1;
constexpr std::uint64_t kConstants = 256;

model::BufferDescription queue_constants() {
    return {.size_bytes = kConstants, .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst};
}

struct QueueConstant {
    ScenePlacement buffer;
    frame::DescriptorHeapAllocation view;
    std::uint32_t word = 0;
};

class QueueLifetimes {
public:
    QueueLifetimes(BindingScene& scene, SceneMemory& memory, std::uint32_t static_table)
        : scene_(scene), memory_(memory), static_table_(static_table) {}

    // Written by the host: the memory may be what a list of the other queue has given back.
    Result<QueueConstant> make(std::uint32_t word) {
        QueueConstant made{.buffer = {}, .view = {}, .word = word};
        HEAPWRIGHT_ASSIGN(made.buffer, memory_.place(queue_constants()));
        for (std::size_t at = 0; at + 4 <= made.buffer.bytes.size(); at += 4)
            std::memcpy(made.buffer.bytes.data() + at, &word, sizeof word);
        HEAPWRIGHT_TRY(memory_.flush(made.buffer));
        auto view = scene_.render().create_view(
            device::ConstantBufferView{.buffer = made.buffer.resource, .offset_bytes = 0, .size_bytes = kConstants});
        if (!view) {
            memory_.discard(made.buffer);
            return tl::unexpected(std::move(view.error()));
        }
        made.view = std::move(*view);
        return made;
    }

    Status use(frame::DeviceContext& context, const QueueConstant& constant) {
        return scene_.dispatch(context, {.tables = {.static_constant = 5, .static_buffer = 6, .image = 7},
                                         .static_table = static_table_,
                                         .other_constant = &constant.view,
                                         .other_resource = constant.buffer.resource,
                                         .other_word = constant.word});
    }

    static void release(frame::DeviceContext& context, QueueConstant& constant, frame::UsedBy used_by) {
        context.release(constant.buffer.resource, used_by);
        context.release(constant.buffer.range, used_by);
        context.release(std::move(constant.view), used_by);
    }

    // One list of the queue with constants that no other queue sees.
    Status play_own(std::size_t queue, std::uint64_t frame) {
        frame::DeviceContext& context = scene_.render().immediate(queue);
        for (std::uint32_t i = 0; i < kDispatchesOfQueue; ++i) {
            const auto word = static_cast<std::uint32_t>(0x2000'0000u + frame * 1024 + queue * 256 + i);
            HEAPWRIGHT_ASSIGN(QueueConstant constant, make(word));
            const Status used = use(context, constant);
            release(context, constant, frame::UsedBy::kThisQueue);
            HEAPWRIGHT_TRY(used);
        }
        return {};
    }

private:
    BindingScene& scene_;
    SceneMemory& memory_;
    std::uint32_t static_table_;
};

// The first engine beside engine 0 that takes dispatches.
std::optional<device::EngineId> second_engine(device::Device& device) {
    const auto engines = device.submitter().engines();
    for (std::uint32_t engine = 1; engine < engines.size(); ++engine) {
        if (engines[engine].kind != device::EngineKind::kCopy) return device::EngineId{engine};
    }
    return std::nullopt;
}

}  // namespace

Status play_queue_lifetimes(BindingScene& scene) {
    const auto engine = second_engine(scene.device);
    if (!engine) return fail(ErrorCode::kNotSupported, "the device has one queue that takes dispatches");
    frame::RenderDeviceOptions options = scene.render_options();
    options.queues = {device::EngineId{0}, *engine};
    HEAPWRIGHT_TRY(scene.set_up(options));
    frame::RenderDevice& render = scene.render();
    HEAPWRIGHT_TRY(render.wait_idle());  // the compute queue reads what the graphics queue has filled
    scene.figures.recording_contexts = 2;
    HEAPWRIGHT_ASSIGN(std::unique_ptr<device::Timeline> gate, scene.device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(auto own_memory,
                      SceneMemory::create(scene.device, scene.policy, model::MemoryUse::kUpload, queue_constants(),
                                          (2 * kDispatchesOfQueue + 1) * (render.frames_in_flight() + 3)));
    SceneMemory& memory = scene.keep(std::move(own_memory));
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table({.static_constant = 5, .static_buffer = 6, .image = 7}));
    QueueLifetimes lifetimes(scene, memory, table.first_index());
    const auto play = [&]() -> Status {
        for (std::uint64_t frame = 0;; ++frame) {
            HEAPWRIGHT_ASSIGN(const bool goes_on,
                              scene.more(frame, kLeastQueueLifetimesFrames, kMostQueueLifetimesFrames));
            if (!goes_on) return {};
            HEAPWRIGHT_TRY(scene.begin_frame());
            HEAPWRIGHT_ASSIGN(QueueConstant shared, lifetimes.make(static_cast<std::uint32_t>(0x3000'0000u + frame)));
            frame::DeviceContext& compute = render.immediate(kCompute);
            frame::DeviceContext& graphics = render.immediate(kGraphics);
            compute.wait_for({.timeline = gate.get(), .value = TimelineValue{frame + 1}});
            HEAPWRIGHT_TRY(lifetimes.play_own(kCompute, frame));
            HEAPWRIGHT_TRY(lifetimes.use(compute, shared));
            HEAPWRIGHT_ASSIGN(const auto behind, render.flush(kCompute));
            HEAPWRIGHT_TRY(lifetimes.play_own(kGraphics, frame));
            HEAPWRIGHT_TRY(lifetimes.use(graphics, shared));
            QueueLifetimes::release(graphics, shared, frame::UsedBy::kEveryQueue);
            HEAPWRIGHT_TRY(render.flush(kGraphics));
            // What reads the frame's words back is behind both.
            graphics.wait_for(render.end_of({.queue = kCompute, .command_list = behind.value_or(0)}));
            if (frame >= render.frames_in_flight())
                HEAPWRIGHT_TRY(gate->signal(TimelineValue{frame + 1 - render.frames_in_flight()}));
            HEAPWRIGHT_TRY(scene.end_frame());
        }
    };
    const Status played = play();
    HEAPWRIGHT_TRY(device::open_gate(*gate));
    table.reset();
    if (!played) scene.abandon_frames();
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_TRY(played);
    scene.figures.limits = fmt::format("queue {} behind a gate, {} lists on it and {} on the graphics queue",
                                       scene.device.submitter().engines()[engine->value].name,
                                       render.clock(kCompute).next(), render.clock(kGraphics).next());
    return {};
}

}  // namespace heapwright::validate
