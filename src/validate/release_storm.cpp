// Thousands of objects of every kind are made and released in each frame: buffers that a dispatch of the same frame
// reads, views and tables that nothing reads, pipelines, uploads on pages of their own. Nothing may end too early, and
// nothing may be left.
#include <vector>

#include "validate/binding_scenario.hpp"
#include "validate/upload_destination.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kLeastReleaseStormFrames = 16;
constexpr std::uint64_t kMostReleaseStormFrames = 96;
constexpr std::uint32_t kStormBuffers = 64;
constexpr std::uint32_t kViews = 1500;
constexpr std::uint32_t kTables = 300;
constexpr std::uint64_t kPipelineFrames = 8;
constexpr std::uint64_t kLargeUploadFrames = 4;
constexpr std::uint64_t kStride = 65'536;  // of large uploads in their destination

std::uint32_t storm_word(std::uint64_t frame, std::uint32_t buffer) {
    return static_cast<std::uint32_t>(0xA000'0000u + frame * 4096 + buffer);
}

Status use_and_release_buffer(BindingScene& scene, std::uint64_t frame, std::uint32_t number,
                              std::uint32_t static_table) {
    frame::DeviceContext& context = scene.render().immediate();
    HEAPWRIGHT_ASSIGN(const ScenePlacement buffer, scene.buffer_memory().place(BindingScene::bindable_buffer(256)));
    auto view = scene.render().create_view(
        device::ConstantBufferView{.buffer = buffer.resource, .offset_bytes = 0, .size_bytes = 256});
    if (!view) {
        scene.buffer_memory().discard(buffer);
        return fail(std::move(view.error()));
    }
    context.record(device::FillBuffer{
        .buffer = buffer.resource, .offset_bytes = 0, .size_bytes = 256, .value = storm_word(frame, number)});
    const Status dispatched = scene.dispatch(context, {.tables = {.static_constant = 1, .static_buffer = 1, .image = 1},
                                                       .static_table = static_table,
                                                       .other_constant = &*view,
                                                       .other_resource = buffer.resource,
                                                       .other_word = storm_word(frame, number)});
    context.release(buffer.resource);
    context.release(buffer.range);
    context.release(std::move(*view));
    return dispatched;
}

Status churn_views(BindingScene& scene) {
    frame::RenderDevice& render = scene.render();
    std::vector<frame::DescriptorHeapAllocation> views;
    for (std::uint32_t i = 0; i < kViews; ++i) {
        const auto slot = static_cast<std::uint32_t>(scene.random.below(BindingScene::kSlots));
        HEAPWRIGHT_ASSIGN(auto view,
                          render.create_view(i % 2 == 0 ? scene.constant_view(slot) : scene.buffer_view(slot)));
        views.push_back(std::move(view));
    }
    // Tables wait for the frames in flight, so one frame takes no more than its share of the static part.
    const frame::VisibleHeapLayout& heap = render.resource_heap().layout();
    std::uint32_t share = (heap.capacity - heap.dynamic_capacity) / (render.frames_in_flight() + 2);
    for (std::uint32_t i = 0; i < kTables; ++i) {
        const std::uint32_t count = 1 + i % 7;
        if (count > share) break;
        share -= count;
        HEAPWRIGHT_ASSIGN(auto table, render.resource_heap().allocate(count));
        views.push_back(std::move(table));
    }
    return {};
}

// Uploads on pages of their own, each compared once the device has passed its frame.
class LargeUploads {
public:
    explicit LargeUploads(BindingScene& scene)
        : scene_(scene), size_bytes_(scene.render().uploads().page_bytes() + 4), destination_(scene) {}

    Status set_up() {
        // More than the frames in flight hold, so that one that is not compared yet is never written again.
        in_flight_.resize(scene_.render().frames_in_flight() / kLargeUploadFrames + 2);
        return destination_.set_up(in_flight_.size() * stride_bytes());
    }

    Status send(std::uint64_t frame) {
        const std::uint64_t slot = next_++ % in_flight_.size();
        HEAPWRIGHT_TRY(compare(in_flight_[slot]));
        in_flight_[slot].frame = frame;
        return destination_.send(scene_.render().immediate(), slot * stride_bytes(), size_bytes_,
                                 in_flight_[slot].sent);
    }

    // The frame's list was submitted.
    void note_end() {
        Upload& last = in_flight_[(next_ - 1) % in_flight_.size()];
        if (!last.sent.empty() && last.end.value == 0) last.end = TimelineValue{scene_.render().clock().next()};
    }

    Status compare_all() {
        for (Upload& upload : in_flight_) HEAPWRIGHT_TRY(compare(upload));
        return {};
    }

private:
    struct Upload {
        std::vector<SentUpload> sent;
        std::uint64_t frame = 0;
        TimelineValue end;
    };

    [[nodiscard]] std::uint64_t stride_bytes() const { return (size_bytes_ + kStride - 1) / kStride * kStride; }

    Status compare(Upload& upload) {
        if (upload.sent.empty()) return {};
        HEAPWRIGHT_TRY(scene_.render().fence().wait(upload.end, frame::RenderDevice::kWaitTimeoutNs));
        HEAPWRIGHT_TRY(destination_.compare(upload.sent, upload.frame, upload.end.value - 1));
        upload.end = {};
        return {};
    }

    BindingScene& scene_;
    std::uint64_t size_bytes_;
    UploadDestination destination_;
    std::vector<Upload> in_flight_;
    std::uint64_t next_ = 0;
};

}  // namespace

Status play_release_storm(BindingScene& scene) {
    HEAPWRIGHT_TRY(scene.set_up());
    frame::RenderDevice& render = scene.render();
    scene.figures.recording_contexts = 1;
    HEAPWRIGHT_ASSIGN(auto table, scene.make_static_table({.static_constant = 1, .static_buffer = 1, .image = 1}));
    LargeUploads uploads(scene);
    HEAPWRIGHT_TRY(uploads.set_up());
    const std::uint64_t used_before = scene.buffer_memory().used_bytes();
    for (std::uint64_t frame = 0;; ++frame) {
        HEAPWRIGHT_ASSIGN(const bool goes_on, scene.more(frame, kLeastReleaseStormFrames, kMostReleaseStormFrames));
        if (!goes_on) break;
        HEAPWRIGHT_TRY(scene.begin_frame());
        for (std::uint32_t i = 0; i < kStormBuffers; ++i)
            HEAPWRIGHT_TRY(use_and_release_buffer(scene, frame, i, table.first_index()));
        HEAPWRIGHT_TRY(churn_views(scene));
        if (frame % kPipelineFrames == 0) {
            HEAPWRIGHT_ASSIGN(const device::PipelineId pipeline,
                              scene.device.recorder()->create_pipeline(device::ComputeProgram::kReadTables));
            render.immediate().release(pipeline);
        }
        if (frame % kLargeUploadFrames == 0) HEAPWRIGHT_TRY(uploads.send(frame));
        HEAPWRIGHT_TRY(scene.end_frame());
        uploads.note_end();
    }
    table.reset();
    HEAPWRIGHT_TRY(scene.drain());
    HEAPWRIGHT_TRY(uploads.compare_all());
    if (const std::uint64_t used = scene.buffer_memory().used_bytes(); used != used_before) {
        scene.log.add(model::Fault::kLeak, "memory ranges",
                      std::to_string(used - used_before) + " bytes are held although every buffer was released");
    }
    return {};
}

}  // namespace heapwright::validate
