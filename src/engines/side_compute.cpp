#include <algorithm>
#include <cstring>

#include "engines/delayed.hpp"
#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {
namespace {

constexpr std::uint64_t kSlices = 4;          // of a background job; each a submission, so that others come between
constexpr std::uint64_t kMostFramesAJob = 3;  // drawn before the host insists on the job's end
constexpr std::uint32_t kFirstHalfDelays = 4;

// What the host makes of a result: every word turned by its place.
std::vector<std::byte> decide(std::vector<std::byte> result) {
    for (std::size_t at = 0; at + 4 <= result.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, result.data() + at, 4);
        word = ~word + static_cast<std::uint32_t>(at);
        std::memcpy(result.data() + at, &word, 4);
    }
    return result;
}

}  // namespace

Status play_background(Conductor& c, const ExampleSettings& settings) {
    const std::uint64_t size = settings.piece_bytes();
    const std::uint64_t jobs = settings.frames;
    const ActorIndex background = c.queue("background", ActorKind::kCompute, device::EnginePriority::kLow);
    const ActorIndex render_engine = c.queue("graphics", ActorKind::kGraphics);
    const FenceIndex worked = c.fence("backgroundFence");
    const FenceIndex drawn = c.fence("frameFence");
    const ResourceIndex uploads = c.buffer("uploads", size, Place::kUpload);
    const ResourceIndex scene = c.buffer("scene", size);
    const ResourceIndex simulation = c.buffer("simulation", 2 * size);
    const ResourceIndex target = c.image("target", settings.side);
    Delayed delayed(c, settings);
    const Pictures pictures(c, settings, delayed, jobs * kMostFramesAJob + 1);
    delayed.add(background, ActorKind::kCompute);
    delayed.add(render_engine, ActorKind::kGraphics);
    c.begin();
    c.execute(background, "load scene", {copy({uploads}, {scene}, size)}, kCopyNs);

    const auto version = [&](std::uint64_t job) { return Piece{simulation, size * (job % 2)}; };
    std::uint64_t frame = 0;
    const auto start = [&](std::uint64_t job) {
        // Frames up to now may read the version that this job overwrites.
        if (job > 2) c.wait(background, drawn, frame);
        c.execute(background, "slice",
                  delayed.late(background, {transform({scene}, version(job), size, job, settings.rounds)}), kComputeNs);
        for (std::uint64_t slice = 1; slice < kSlices; ++slice) {
            c.signal(background, worked, (job - 1) * kSlices + slice);
            c.execute(background, "slice",
                      delayed.late(background, {transform(version(job), version(job), size, slice, settings.rounds)}),
                      kComputeNs);
        }
        c.signal(background, worked, job * kSlices);
    };
    std::uint64_t done = 0;
    std::uint64_t since = 0;
    start(1);
    while (done < jobs && c.ok()) {
        if (frame > settings.cpu_latency) c.host_wait(drawn, frame - settings.cpu_latency);
        // Looks once a frame.
        if (++since == kMostFramesAJob) c.host_wait(worked, (done + 1) * kSlices);
        if (c.completed(worked) >= (done + 1) * kSlices) {
            ++done;
            since = 0;
        }
        ++frame;
        // From the first result on.
        if (done != 0) {
            c.execute(render_engine, "draw", pictures.draw(render_engine, version(done), target, frame - 1), kDrawNs);
        }
        c.signal(render_engine, drawn, frame);
        if (since == 0 && done < jobs) start(done + 1);
    }
    return c.status();
}

Status play_interrupting(Conductor& c, const ExampleSettings& settings) {
    if (settings.cpu_latency == 0) return fail(ErrorCode::kInvalidArgument, "no frame in flight", "cpu_latency");
    const std::uint64_t size = settings.piece_bytes();
    const std::uint64_t slots = settings.cpu_latency;
    const ActorIndex urgent = c.queue("urgent", ActorKind::kCompute, device::EnginePriority::kHigh);
    const ActorIndex render_engine = c.queue("graphics", ActorKind::kGraphics);
    const FenceIndex answered = c.fence("urgentFence");
    const FenceIndex drawn = c.fence("frameFence");
    const ResourceIndex uploads = c.buffer("uploads", size, Place::kUpload);
    const ResourceIndex input = c.buffer("input", size);
    const ResourceIndex scene = c.buffer("scene", size);
    const ResourceIndex result = c.buffer("result", size);
    const ResourceIndex answer = c.buffer("answer", size, Place::kReadback);
    const ResourceIndex decisions = c.buffer("decisions", size * slots, Place::kUpload);
    const ResourceIndex decision = c.buffer("decision", size);
    const ResourceIndex target = c.image("target", settings.side);
    const ResourceIndex pictures = c.buffer("pictures", size * settings.frames * 2);
    Delayed delayed(c, settings);
    delayed.add(render_engine, ActorKind::kGraphics);
    c.begin();
    c.execute(urgent, "load input", {copy({uploads}, {input}, size)}, kCopyNs);
    c.execute(render_engine, "load scene", {copy({uploads}, {scene}, size)}, kCopyNs);
    for (std::uint64_t frame = 1; frame <= settings.frames && c.ok(); ++frame) {
        const Piece first_picture{pictures, size * (2 * frame - 2)};
        const Piece second_picture{pictures, size * (2 * frame - 1)};
        // Long beside the urgent work.
        std::vector<device::Work> busy = delayed.delay(render_engine, kFirstHalfDelays);
        busy.push_back(transform({scene}, {scene}, size, frame, settings.rounds));
        for (device::Work& more : draw({scene}, target, first_picture)) busy.push_back(std::move(more));
        c.execute(render_engine, "first half", busy, 4 * kDrawNs);

        c.execute(urgent, "urgent",
                  {transform({input}, {result}, size, frame, settings.rounds), copy({result}, {answer}, size)},
                  kComputeNs / 4);
        c.signal(urgent, answered, frame);
        c.host_wait(answered, frame);
        const Piece slot{decisions, size * (frame % slots)};
        std::vector<std::byte> decided = decide(c.host_read("read answer", answer, 0, size));
        if (frame > slots) c.host_wait(drawn, frame - slots);
        c.host_write("write decision", decisions, slot.offset_bytes, std::move(decided));

        std::vector<device::Work> rest{copy(slot, {decision}, size)};
        for (device::Work& more : draw({decision}, target, second_picture)) rest.push_back(std::move(more));
        c.execute(render_engine, "second half", rest, kDrawNs);
        c.signal(render_engine, drawn, frame);
    }
    return c.status();
}

}  // namespace heapwright::engines
