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

}  // namespace heapwright::engines
