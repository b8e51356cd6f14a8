#include <algorithm>
#include <array>
#include <optional>

#include "engines/delayed.hpp"
#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {

Status play_copy_ring(Conductor& c, const ExampleSettings& settings) {
    if (settings.ring_length == 0) return fail(ErrorCode::kInvalidArgument, "a ring of no length", "ring_length");
    const std::uint64_t size = settings.piece_bytes();
    const std::uint64_t length = settings.ring_length;
    const ActorIndex copy_engine = c.queue("copy", ActorKind::kCopy);
    const ActorIndex render_engine = c.queue("graphics", ActorKind::kGraphics);
    const FenceIndex drawn = c.fence("fence1");
    const FenceIndex copied = c.fence("fence2");
    const ResourceIndex uploads = c.buffer("uploads", size * settings.frames, Place::kUpload);
    const ResourceIndex ring = c.buffer("ringCB", size * length);
    const ResourceIndex target = c.image("target", settings.side);
    Delayed delayed(c, settings);
    const Pictures pictures(c, settings, delayed, settings.frames);
    delayed.add(copy_engine, ActorKind::kCopy);
    delayed.add(render_engine, ActorKind::kGraphics);
    c.begin();
    for (std::uint64_t i = 1; i <= settings.frames && c.ok(); ++i) {
        const Piece slot{ring, size * (i % length)};
        if (i > length) c.wait(copy_engine, drawn, i - length);
        c.execute(copy_engine, "copy", delayed.late(copy_engine, {copy({uploads, size * (i - 1)}, slot, size)}),
                  kCopyNs);
        c.signal(copy_engine, copied, i);
        c.wait(render_engine, copied, i);
        c.execute(render_engine, "draw", pictures.draw(render_engine, slot, target, i - 1), kDrawNs);
        c.signal(render_engine, drawn, i);
    }
    return c.status();
}

Status play_pipelined(Conductor& c, const ExampleSettings& settings) {
    const std::uint64_t size = settings.piece_bytes();
    const std::uint64_t latency = settings.engine_latency;
    const std::uint64_t buffers = latency + 1;
    const ActorIndex compute_queue = c.queue("compute", ActorKind::kCompute);
    const ActorIndex graphics_queue = c.queue("graphics", ActorKind::kGraphics);
    const FenceIndex compute_fence = c.fence("computeFence");
    const FenceIndex graphics_fence = c.fence("graphicsFence");
    const ResourceIndex uploads = c.buffer("uploads", size, Place::kUpload);
    const ResourceIndex scene = c.buffer("scene", size);
    const ResourceIndex data = c.buffer("data", size * buffers);
    const ResourceIndex target = c.image("target", settings.side);
    Delayed delayed(c, settings);
    const Pictures pictures(c, settings, delayed, settings.frames);
    delayed.add(compute_queue, ActorKind::kCompute);
    delayed.add(graphics_queue, ActorKind::kGraphics);
    c.begin();
    c.execute(compute_queue, "load scene", {copy({uploads}, {scene}, size)}, kCopyNs);
    const auto version = [&](std::uint64_t frame) { return Piece{data, size * ((frame - 1) % buffers)}; };
    std::uint64_t frame = 0;
    while (frame < settings.frames && c.ok()) {
        if (frame > latency) c.wait(compute_queue, graphics_fence, frame - latency);
        if (frame > settings.cpu_latency) c.host_wait(compute_fence, frame - settings.cpu_latency);
        ++frame;
        c.execute(compute_queue, "compute",
                  delayed.late(compute_queue, {transform({scene}, version(frame), size, frame, settings.rounds)}),
                  kComputeNs);
        c.signal(compute_queue, compute_fence, frame);
        if (frame > latency) {
            const std::uint64_t shown = frame - latency;
            c.wait(graphics_queue, compute_fence, shown);
            c.execute(graphics_queue, "draw", pictures.draw(graphics_queue, version(shown), target, shown - 1),
                      kDrawNs);
            c.signal(graphics_queue, graphics_fence, shown);
        }
    }
    return c.status();
}

namespace {

enum class Variant { kThirdFence, kOneFence, kRenamed };

// Frames that graphics may draw from one result before it waits for the next one: the run has an end on any device.
constexpr std::uint64_t kMostRepeats = 2;

class AsyncPipeline {
public:
    AsyncPipeline(Conductor& conductor, const ExampleSettings& settings, Variant variant)
        : c_(conductor), settings_(settings), variant_(variant) {}

    Status play() {
        if (settings_.engine_latency == 0)
            return fail(ErrorCode::kInvalidArgument, "graphics and compute need two buffers", "engine_latency");
        delayed_.add(compute_queue_, ActorKind::kCompute);
        delayed_.add(graphics_queue_, ActorKind::kGraphics);
        c_.begin();
        if (variant_ == Variant::kRenamed) record_lists();
        c_.execute(compute_queue_, "load scene", {copy({uploads_}, {state_}, size_)}, kCopyNs);
        // The only wait that the graphics queue performs.
        c_.wait(graphics_queue_, compute_fence_, 1);
        while (c_.ok() && shown_ < settings_.frames) {
            if (next_stage() == kCompute) {
                compute();
            } else {
                graphics();
            }
        }
        return c_.status();
    }

private:
    enum Stage : std::size_t { kCompute, kGraphics };

    Stage next_stage() {
        const auto throttle = [this](FenceIndex fence, std::uint64_t frame) {
            return FencePoint{fence, frame > settings_.cpu_latency ? frame - settings_.cpu_latency : 0};
        };
        const std::array points{throttle(compute_fence_, compute_frame_), throttle(graphics_fence_, graphics_frame_)};
        if (compute_frame_ < settings_.frames) return static_cast<Stage>(c_.host_wait_any(points));
        c_.host_wait_any(std::span(points).subspan(1));
        return kGraphics;
    }

    void compute() {
        const std::uint64_t frame = ++compute_frame_;
        wait_for_readers(frame);
        if (variant_ == Variant::kRenamed) {
            c_.execute(compute_lists_[(frame - 1) % compute_lists_.size()]);
        } else {
            c_.execute(
                compute_queue_, "compute",
                delayed_.late(compute_queue_, {transform({state_}, version(frame), size_, frame, settings_.rounds)}),
                kComputeNs);
        }
        c_.signal(compute_queue_, compute_fence_, frame);
    }

    // Graphics is done with what this frame overwrites.
    void wait_for_readers(std::uint64_t frame) {
        if (frame <= buffers_) return;
        const std::uint64_t overwritten = frame - buffers_;
        if (variant_ != Variant::kOneFence) return c_.wait(compute_queue_, read_fence_, overwritten);
        // The last graphics frame that reads it or an older one.
        std::uint64_t last = 0;
        for (std::uint64_t graphics = 1; graphics <= used_.size(); ++graphics) {
            if (used_[graphics - 1] <= overwritten) last = graphics;
        }
        if (last > waited_for_) {
            c_.wait(compute_queue_, graphics_fence_, last);
            waited_for_ = last;
        }
    }

    void graphics() {
        if (shown_ != 0 && repeats_ == kMostRepeats) c_.host_wait(compute_fence_, shown_ + 1);
        // What compute was told to overwrite may not be taken any more; with a fence of its own compute waits for that.
        if (variant_ == Variant::kOneFence && compute_frame_ + 1 > buffers_)
            c_.host_wait(compute_fence_, compute_frame_ + 1 - buffers_);
        const std::uint64_t result = std::max<std::uint64_t>(1, c_.completed(compute_fence_));
        if (!c_.ok()) return;
        repeats_ = result == shown_ ? repeats_ + 1 : 1;
        shown_ = result;
        used_.push_back(result);
        const std::uint64_t frame = ++graphics_frame_;
        // Before new work: what the graphics queue is done with.
        if (variant_ != Variant::kOneFence) c_.signal(graphics_queue_, read_fence_, result - 1);
        if (variant_ == Variant::kRenamed) {
            c_.execute(draw_lists_[(frame - 1) % in_flight() * buffers_ + (result - 1) % buffers_]);
            c_.execute(graphics_queue_, "keep", {copy({shown_buffer_}, pictures_.at(frame - 1), size_)}, kCopyNs);
        } else {
            c_.execute(graphics_queue_, "draw", pictures_.draw(graphics_queue_, version(result), target_, frame - 1),
                       kDrawNs);
        }
        c_.signal(graphics_queue_, graphics_fence_, frame);
    }

    // A list is submitted again only when the host knows its last execution to be over; each has one version of the
    // data in it. Such a list always does the same, so the scene changes in place.
    void record_lists() {
        const std::uint64_t rounds = (in_flight() + buffers_ - 1) / buffers_;
        for (std::uint64_t list = 0; list < rounds * buffers_; ++list) {
            compute_lists_.push_back(
                c_.record(compute_queue_, "compute",
                          delayed_.late(compute_queue_, {transform({state_}, {state_}, size_, 7, settings_.rounds),
                                                         copy({state_}, version(list + 1), size_)}),
                          kComputeNs));
        }
        for (std::uint64_t list = 0; list < in_flight() * buffers_; ++list) {
            draw_lists_.push_back(c_.record(
                graphics_queue_, "draw",
                delayed_.late(graphics_queue_, draw(version(list % buffers_ + 1), target_, {shown_buffer_})), kDrawNs));
        }
    }

    [[nodiscard]] std::uint64_t in_flight() const { return settings_.cpu_latency + 1; }
    [[nodiscard]] Piece version(std::uint64_t frame) const { return {data_, size_ * ((frame - 1) % buffers_)}; }

    Conductor& c_;
    ExampleSettings settings_;
    Variant variant_;
    std::uint64_t size_ = settings_.piece_bytes();
    std::uint64_t buffers_ = settings_.engine_latency + 1;
    ActorIndex compute_queue_ = c_.queue("compute", ActorKind::kCompute);
    ActorIndex graphics_queue_ = c_.queue("graphics", ActorKind::kGraphics);
    FenceIndex compute_fence_ = c_.fence("computeFence");
    FenceIndex graphics_fence_ = c_.fence("graphicsFence");
    FenceIndex read_fence_ = variant_ == Variant::kOneFence ? FenceIndex{} : c_.fence("graphicsComputeFence");
    ResourceIndex uploads_ = c_.buffer("uploads", size_, Place::kUpload);
    ResourceIndex state_ = c_.buffer("scene", size_);
    ResourceIndex data_ = c_.buffer("data", size_* buffers_);
    ResourceIndex target_ = c_.image("target", settings_.side);
    ResourceIndex shown_buffer_ = variant_ == Variant::kRenamed ? c_.buffer("shown", size_) : ResourceIndex{};
    Delayed delayed_{c_, settings_};
    Pictures pictures_{c_, settings_, delayed_, settings_.frames* kMostRepeats + 1, variant_ != Variant::kRenamed};

    std::vector<ListIndex> compute_lists_;  // by frame
    std::vector<ListIndex> draw_lists_;     // by frame in flight and version
    std::uint64_t compute_frame_ = 0;
    std::uint64_t graphics_frame_ = 0;
    std::vector<std::uint64_t> used_;  // the compute frame that each graphics frame reads; never falls
    std::uint64_t waited_for_ = 0;     // of used_, by compute
    std::uint64_t shown_ = 0;
    std::uint64_t repeats_ = 0;
};

}  // namespace

Status play_async(Conductor& conductor, const ExampleSettings& settings) {
    return AsyncPipeline(conductor, settings, Variant::kThirdFence).play();
}

Status play_async_one_fence(Conductor& conductor, const ExampleSettings& settings) {
    return AsyncPipeline(conductor, settings, Variant::kOneFence).play();
}

Status play_async_renamed(Conductor& conductor, const ExampleSettings& settings) {
    return AsyncPipeline(conductor, settings, Variant::kRenamed).play();
}

}  // namespace heapwright::engines
