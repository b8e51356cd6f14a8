#include "engines/delayed.hpp"
#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {

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

}  // namespace heapwright::engines
