// Threads record contexts of their own, submit them themselves, and free what any of them used, at random and while
// frames are in flight: buffers, images, pipelines, views, tables. Some contexts are thrown away first, because no list
// can hold what was recorded, and recorded anew; some go on behind a list that was closed.
// Memory that comes back is used again at once for other content, so that what comes back too early shows in what the
// device read.
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "validate/binding_scenario.hpp"
#include "validate/recording_threads.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastForeignFreesFrames = 12;
constexpr std::uint64_t kMostForeignFreesFrames = 96;
constexpr std::uint32_t kRecordingThreads = 4;
constexpr std::uint32_t kUses = 6;  // of one thread in one frame

// What one dispatch uses and whoever frees it next gives back.
struct Used {
    ScenePlacement buffer;
    std::uint32_t word = 0;
    std::optional<ScenePlacement> image;
    SceneTables tables;
    std::optional<device::PipelineId> pipeline;
    frame::DescriptorHeapAllocation view;
    frame::DescriptorHeapAllocation image_view;
    frame::DescriptorHeapAllocation table;
};

class Bin {
public:
    void put(Used used) {
        const std::lock_guard lock(mutex_);
        used_.push_back(std::move(used));
    }
    // Any of them.
    std::optional<Used> take(Random& random) {
        const std::lock_guard lock(mutex_);
        if (used_.empty()) return std::nullopt;
        std::swap(used_[static_cast<std::size_t>(random.below(used_.size()))], used_.back());
        Used taken = std::move(used_.back());
        used_.pop_back();
        return taken;
    }

private:
    std::mutex mutex_;
    std::vector<Used> used_;
};

// What there is of it.
void free_used(frame::RenderDevice& render, Used& used) {
    used.table.reset();
    used.image_view.reset();
    used.view.reset();
    if (used.buffer.range.owner != nullptr) {
        render.release(used.buffer.resource);
        render.release(used.buffer.range);
    }
    if (used.image) {
        render.release(used.image->resource);
        render.release(used.image->range);
    }
    if (used.pipeline) render.release(*used.pipeline);
}

// By the thread that ends the frames: an image's first use is a list of its own.
Status make_used(BindingScene& scene, std::uint64_t frame, std::uint32_t number, Used& used) {
    frame::RenderDevice& render = scene.render();
    used.word = static_cast<std::uint32_t>(0xF000'0000u + frame * 256 + number);
    used.tables = {.static_constant = number,
                   .static_buffer = number + 1,
                   .image = static_cast<std::uint32_t>((frame + number) % BindingScene::kImages)};
    HEAPWRIGHT_ASSIGN(used.pipeline,
                      scene.device.recorder()->create_pipeline(device::ComputeProgram::kReadTablesStaticSampler));
    HEAPWRIGHT_ASSIGN(used.buffer, scene.buffer_memory().place(BindingScene::bindable_buffer(256)));
    HEAPWRIGHT_ASSIGN(used.view, render.create_view(device::ConstantBufferView{
                                     .buffer = used.buffer.resource, .offset_bytes = 0, .size_bytes = 256}));
    if (number % 3 != 0) {
        HEAPWRIGHT_ASSIGN(used.table, scene.make_static_table(used.tables));
        return {};
    }
    HEAPWRIGHT_ASSIGN(used.image, scene.image_memory().place(BindingScene::image_description()));
    HEAPWRIGHT_TRY(scene.fill_image(used.image->resource, used.tables.image));
    HEAPWRIGHT_ASSIGN(used.image_view, render.create_view(device::ImageView{.image = used.image->resource}));
    HEAPWRIGHT_ASSIGN(used.table, scene.make_static_table(used.tables, used.image_view));
    return {};
}

// Nothing of it reaches the device.
Status throw_away(frame::DeviceContext& context, const Used& used) {
    context.record(
        device::FillBuffer{.buffer = used.buffer.resource, .offset_bytes = 0, .size_bytes = 256, .value = 0xBAD});
    HEAPWRIGHT_TRY(context.allocate_dynamic(device::DescriptorHeapKind::kCbvSrvUav, 3));
    HEAPWRIGHT_TRY(context.close());
    context.record(
        device::FillBuffer{.buffer = device::ResourceId{~0ull}, .offset_bytes = 0, .size_bytes = 256, .value = 0xBAD});
    if (context.close()) return fail(ErrorCode::kInvariantBroken, "a list holds a resource that there is not");
    context.discard();
    return {};
}

Status record_uses(BindingScene& scene, frame::DeviceContext& context, std::vector<Used>& uses, Bin& bin,
                   std::uint64_t seed) {
    frame::RenderDevice& render = scene.render();
    Random random(seed);
    if (random.below(3) == 0) HEAPWRIGHT_TRY(throw_away(context, uses.front()));
    for (const Used& used : uses) {
        context.record(device::FillBuffer{
            .buffer = used.buffer.resource, .offset_bytes = 0, .size_bytes = 256, .value = used.word});
        HEAPWRIGHT_TRY(
            scene.dispatch(context, {.tables = used.tables,
                                     .static_table = used.table.first_index(),
                                     .other_constant = &used.view,
                                     .other_resource = used.buffer.resource,
                                     .other_word = used.word,
                                     .other_image = used.image ? std::optional(used.image->resource) : std::nullopt,
                                     .pipeline = *used.pipeline}));
        if (random.below(4) == 0) HEAPWRIGHT_TRY(context.close());
    }
    HEAPWRIGHT_TRY(render.submit(context));
    for (Used& used : uses) bin.put(std::exchange(used, {}));
    for (std::uint64_t count = random.below(2 * kUses); count > 0; --count) {
        if (auto used = bin.take(random)) free_used(render, *used);
    }
    return {};
}

}  // namespace

Status play_foreign_frees(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = kRecordingThreads;
    Bin bin;
    std::vector<std::vector<Used>> uses(kRecordingThreads);
    const auto play = [&]() -> Status {
        for (std::uint64_t frame = 0;; ++frame) {
            HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastForeignFreesFrames, kMostForeignFreesFrames));
            if (!goes_on) return {};
            HEAPWRIGHT_TRY(scene.begin_frame());
            std::vector<frame::DeviceContext*> contexts;
            for (std::uint32_t thread = 0; thread < kRecordingThreads; ++thread) {
                uses[thread].clear();
                for (std::uint32_t i = 0; i < kUses; ++i)
                    HEAPWRIGHT_TRY(make_used(scene, frame, thread * kUses + i, uses[thread].emplace_back()));
                contexts.push_back(&render.take_deferred());
            }
            const std::uint64_t seed = scene.random.next();
            HEAPWRIGHT_TRY(on_threads(kRecordingThreads, [&](std::uint32_t thread) {
                return record_uses(scene, *contexts[thread], uses[thread], bin, seed + thread);
            }));
            // The oldest are freed sooner or later: no more stay than two frames make.
            std::vector<Used> kept;
            while (auto used = bin.take(scene.random)) {
                if (kept.size() < 2 * kRecordingThreads * kUses)
                    kept.push_back(std::move(*used));
                else
                    free_used(render, *used);
            }
            for (Used& used : kept) bin.put(std::move(used));
            HEAPWRIGHT_TRY(scene.end_frame());
        }
    };
    const std::uint64_t buffers_before = scene.buffer_memory().used_bytes();
    const std::uint64_t images_before = scene.image_memory().used_bytes();
    const Status played = play();
    while (auto used = bin.take(scene.random)) free_used(render, *used);
    for (std::vector<Used>& of_thread : uses) {
        for (Used& used : of_thread) free_used(render, used);
    }
    uses.clear();
    HEAPWRIGHT_TRY(played);
    HEAPWRIGHT_TRY(scene.drain());
    if (scene.buffer_memory().used_bytes() != buffers_before || scene.image_memory().used_bytes() != images_before)
        scene.log.add(model::Fault::kLeak, "memory ranges", "are held although everything was freed");
    return {};
}

}  // namespace heapwright::validate
