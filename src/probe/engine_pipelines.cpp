// The two pipelines of "Multi-engine synchronization" (Direct3D 12 programming guide): compute work that graphics work
// consumes some frames later, with the host held back by the compute fence; and the ring between copies and draws. The
// host's latency is not swept there: a host that runs less far ahead than the ring is long makes it a shorter ring, and
// one that runs further ahead changes nothing.
#include <algorithm>

#include <fmt/format.h>

#include "probe/engine_figures.hpp"
#include "probe/engine_phases.hpp"

namespace heapwright::probe {
namespace {

using device::EngineKind;
using device::TimelinePoint;

constexpr std::uint32_t kCpuLatencies = 3;
constexpr std::uint32_t kEngineLatencies = kRingSlots - 1;
constexpr std::uint32_t kRingThrottle = kRingSlots + 1;  // so that the ring holds the copies back, not the host
constexpr std::uint32_t kFrames = 12;                    // timed in one run of a setting
constexpr std::uint32_t kWindow = 4;
constexpr std::uint32_t kWarmFrames = 2;
constexpr std::uint32_t kMostRuns = 15;    // of a setting
constexpr std::uint32_t kEnoughRuns = 4;   // where they settle which latencies are the best
constexpr std::uint64_t kLoadDivisor = 4;  // a half of a frame takes a quarter of the other measurements' load

struct Setting {
    model::PipelinePoint point;
    TimeSeries frames;
};

struct Halves {
    std::size_t producer = 0;  // compute, copies
    std::size_t graphics = 0;
    std::uint64_t produce_amount = 1;
    std::uint64_t draw_amount = 1;
};

// The time of a frame from the moments at which frames end, without the first few: the means of kWindow frames in a
// row, since a pipeline that stalls on every second frame has no typical single one. No frame is in two of them: a
// single late moment moves two of the means, not most of them.
class FrameTimes {
public:
    FrameTimes(EngineBench& bench, TimeSeries& out) : bench_(bench), out_(out) {}

    // The host sees that the frame has ended now. `ended` is its work whose end is the frame's.
    Status moment(const TimedWork& ended) {
        Moment& now = moments_.emplace_back();
        now.host_ns = bench_.now_ns();
        HEAPWRIGHT_ASSIGN(const auto pair, bench_.timestamps_of(ended));
        if (pair && bench_.timestamps_compare()) now.device_ticks = pair->end_ticks;
        const std::size_t last = moments_.size() - 1;
        if (last < kWarmFrames + kWindow || (last - kWarmFrames) % kWindow != 0) return {};
        const Moment& then = moments_[last - kWindow];
        RunTime frame{.host_ns = (now.host_ns - then.host_ns) / kWindow, .device_ns = {}};
        if (now.device_ticks && then.device_ticks)
            frame.device_ns = bench_.ns_between(*then.device_ticks, *now.device_ticks);
        if (frame.device_ns) *frame.device_ns /= kWindow;
        out_.add(frame);
        return {};
    }
    [[nodiscard]] bool done() const { return moments_.size() > kWarmFrames + kFrames; }

private:
    struct Moment {
        std::uint64_t host_ns = 0;
        std::optional<std::uint64_t> device_ticks;
    };
    EngineBench& bench_;
    TimeSeries& out_;
    std::vector<Moment> moments_;
};

// What a draw waits for: what it reads and, because both write the render target, the draw before it.
std::vector<TimelinePoint> draw_waits(const TimelinePoint& produced, std::span<const TimelinePoint> drawn) {
    std::vector<TimelinePoint> waits{produced};
    if (drawn.size() > 1) waits.push_back(drawn.back());
    return waits;
}

// The pairs of timestamps that no frame's end was read from are free again.
Status give_back(EngineBench& bench, std::span<const TimedWork> left) {
    for (const TimedWork& timed : left) HEAPWRIGHT_TRY(bench.timestamps_of(timed));
    return {};
}

Status run_compute_graphics(const EnginePhase& phase, const Halves& halves, Setting& setting) {
    const std::uint64_t cpu_latency = setting.point.cpu_latency;
    const std::uint64_t latency = setting.point.engine_latency;
    const auto slot = [&](std::uint64_t frame) { return static_cast<std::uint32_t>(frame % (latency + 1)); };
    std::vector<TimedWork> computed(1);  // by frame, from 1 on
    std::vector<TimelinePoint> drawn(1);
    FrameTimes times(phase.bench, setting.frames);
    std::uint64_t read = 1;  // the first frame whose timestamps were not
    for (std::uint64_t frame = 0; !times.done();) {
        std::vector<TimelinePoint> waits;
        if (frame > latency) waits.push_back(drawn[frame - latency]);
        if (frame > cpu_latency) {
            HEAPWRIGHT_TRY(phase.bench.wait(computed[read].end));
            HEAPWRIGHT_TRY(times.moment(computed[read++]));
        }
        ++frame;
        HEAPWRIGHT_ASSIGN(const auto compute, phase.loads.compute_into(slot(frame), halves.produce_amount));
        HEAPWRIGHT_ASSIGN(const TimedWork timed, phase.bench.submit_compared(halves.producer, compute, waits));
        computed.push_back(timed);
        if (frame > latency) {
            const std::uint64_t graphics_frame = frame - latency;
            HEAPWRIGHT_ASSIGN(const auto draw, phase.loads.draw_from(slot(graphics_frame), halves.draw_amount));
            const std::vector<TimelinePoint> before = draw_waits(computed[graphics_frame].end, drawn);
            HEAPWRIGHT_ASSIGN(const TimelinePoint end, phase.bench.submit(halves.graphics, draw, before));
            drawn.push_back(end);
        }
    }
    HEAPWRIGHT_TRY(phase.bench.wait(computed.back().end));
    if (drawn.size() > 1) HEAPWRIGHT_TRY(phase.bench.wait(drawn.back()));
    return give_back(phase.bench, std::span(computed).subspan(read));
}

Status run_copy_graphics(const EnginePhase& phase, const Halves& halves, Setting& setting) {
    const std::uint64_t length = setting.point.engine_latency;
    std::vector<TimedWork> frames(1);     // the draws, by frame, from 1 on
    std::vector<TimelinePoint> drawn(1);  // their ends
    FrameTimes times(phase.bench, setting.frames);
    std::uint64_t read = 1;  // the first frame whose timestamps were not
    for (std::uint64_t i = 1; !times.done(); ++i) {
        std::vector<TimelinePoint> waits;
        if (i > length) waits.push_back(drawn[i - length]);
        if (i > setting.point.cpu_latency) {
            HEAPWRIGHT_TRY(phase.bench.wait(drawn[read]));
            HEAPWRIGHT_TRY(times.moment(frames[read++]));
        }
        const auto slot = static_cast<std::uint32_t>(i % length);
        HEAPWRIGHT_ASSIGN(const auto copy, phase.loads.upload_into(slot, halves.produce_amount));
        HEAPWRIGHT_ASSIGN(const TimelinePoint copied, phase.bench.submit(halves.producer, copy, waits));
        HEAPWRIGHT_ASSIGN(const auto draw, phase.loads.draw_from(slot, halves.draw_amount));
        HEAPWRIGHT_ASSIGN(const TimedWork timed,
                          phase.bench.submit_compared(halves.graphics, draw, draw_waits(copied, drawn)));
        frames.push_back(timed);
        drawn.push_back(timed.end);
    }
    HEAPWRIGHT_TRY(phase.bench.wait(drawn.back()));
    return give_back(phase.bench, std::span(frames).subspan(read));
}

using Run = Status (*)(const EnginePhase&, const Halves&, Setting&);

struct Pipeline {
    const char* name = nullptr;
    Run run = nullptr;
    Halves halves;
    std::vector<Setting> settings;
};

Result<Halves> halves_of(const EnginePhase& phase, EngineKind producer) {
    const auto graphics = phase.bench.first_of(EngineKind::kGraphics);
    if (!graphics) return fail(ErrorCode::kNotSupported, "the device has no graphics engine");
    Halves halves{.producer = phase.bench.first_of(producer).value_or(*graphics), .graphics = *graphics};
    const std::uint64_t load_ns = phase.load_ns / kLoadDivisor;
    HEAPWRIGHT_ASSIGN(halves.draw_amount,
                      phase.loads.amount_for(phase.bench, halves.graphics, LoadKind::kDraw, load_ns));
    if (producer == EngineKind::kCompute) {
        HEAPWRIGHT_ASSIGN(halves.produce_amount,
                          phase.loads.amount_for(phase.bench, halves.producer, LoadKind::kCompute, load_ns));
    } else {
        HEAPWRIGHT_ASSIGN(halves.produce_amount, phase.loads.slot_uploads_for(phase.bench, halves.producer, load_ns));
    }
    return halves;
}

Result<Pipeline> compute_graphics(const EnginePhase& phase) {
    Pipeline pipeline{.name = "compute-graphics", .run = run_compute_graphics, .halves = {}, .settings = {}};
    HEAPWRIGHT_ASSIGN(pipeline.halves, halves_of(phase, EngineKind::kCompute));
    for (std::uint32_t cpu = 1; cpu <= kCpuLatencies; ++cpu) {
        for (std::uint32_t engine = 1; engine <= kEngineLatencies; ++engine) {
            pipeline.settings.push_back({.point = {.cpu_latency = cpu, .engine_latency = engine}, .frames = {}});
        }
    }
    return pipeline;
}

Result<Pipeline> copy_graphics(const EnginePhase& phase) {
    Pipeline pipeline{.name = "copy-graphics", .run = run_copy_graphics, .halves = {}, .settings = {}};
    HEAPWRIGHT_ASSIGN(pipeline.halves, halves_of(phase, EngineKind::kCopy));
    for (std::uint32_t length = 1; length <= kRingSlots; ++length) {
        pipeline.settings.push_back({.point = {.cpu_latency = kRingThrottle, .engine_latency = length}, .frames = {}});
    }
    return pipeline;
}

model::PipelineMeasurement measured_by_now(const Pipeline& pipeline) {
    model::PipelineMeasurement measured{
        .name = pipeline.name, .points = {}, .statement = {}, .unsettled = std::nullopt};
    std::vector<double> errors;
    for (const Setting& setting : pipeline.settings) {
        if (setting.frames.empty()) continue;
        model::PipelinePoint point = setting.point;
        point.samples = static_cast<std::uint32_t>(setting.frames.size());
        point.frame = setting.frames.measured();
        measured.points.push_back(point);
        errors.push_back(error_of_median(setting.frames.ns()));
    }
    choose_latencies(measured, errors);
    const std::size_t left_out = pipeline.settings.size() - measured.points.size();
    if (left_out != 0 && !measured.points.empty() && !measured.unsettled) {
        measured.unsettled = fmt::format("{} of {} settings were not measured", left_out, pipeline.settings.size());
        measured.statement += "; not settled: " + *measured.unsettled;
    }
    return measured;
}

model::PipelineMeasurement finish(const EnginePhase& phase, const Pipeline& pipeline) {
    const auto left_out =
        std::ranges::count_if(pipeline.settings, [](const Setting& each) { return each.frames.empty(); });
    if (left_out != 0) {
        phase.result.skipped.push_back(fmt::format("{} of {} settings of the pipeline {}: {}", left_out,
                                                   pipeline.settings.size(), pipeline.name, model::kTimeWasUp));
    }
    model::PipelineMeasurement measured = measured_by_now(pipeline);
    const auto engines = phase.bench.engines();
    measured.statement = fmt::format("on {} and {}, means of {} frames: {}", engines[pipeline.halves.producer].name,
                                     engines[pipeline.halves.graphics].name, kWindow, measured.statement);
    return measured;
}

}  // namespace

Status measure_pipelines(const EnginePhase& phase) {
    std::vector<Pipeline> pipelines;
    for (const auto& [name, make] :
         {std::pair("compute-graphics", &compute_graphics), std::pair("copy-graphics", &copy_graphics)}) {
        auto made = make(phase);
        if (made) {
            pipelines.push_back(std::move(*made));
        } else {
            HEAPWRIGHT_TRY(phase.tolerate(fmt::format("pipeline {}", name), fail(made.error())));
        }
    }
    if (pipelines.empty()) return {};
    EnginePhase runs = phase;
    runs.samples = std::min(kMostRuns, phase.samples);
    runs.least_rounds = 1;
    std::vector<Pipeline*> unsettled;
    for (Pipeline& pipeline : pipelines) unsettled.push_back(&pipeline);
    std::uint32_t rounds = 0;
    const auto round = [&]() -> Status {
        if (rounds++ >= kEnoughRuns) {
            std::erase_if(unsettled, [](const Pipeline* each) { return !measured_by_now(*each).unsettled; });
            if (unsettled.empty()) runs.samples = 0;
        }
        for (Pipeline* const each : unsettled) {
            Pipeline& pipeline = *each;
            for (Setting& setting : pipeline.settings) {
                if (phase.bench.now_ns() > phase.last_ns) return {};
                HEAPWRIGHT_TRY(pipeline.run(phase, pipeline.halves, setting));
            }
        }
        return {};
    };
    HEAPWRIGHT_TRY(runs.in_rounds(round));
    for (const Pipeline& pipeline : pipelines) {
        model::PipelineMeasurement measured = finish(phase, pipeline);
        if (!measured.points.empty()) phase.result.pipelines.push_back(std::move(measured));
    }
    return {};
}

}  // namespace heapwright::probe
