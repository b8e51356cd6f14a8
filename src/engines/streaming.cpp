#include <algorithm>
#include <cstring>

#include "engines/delayed.hpp"
#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {
namespace {

// What the host brings from elsewhere: a pattern of the asset.
std::vector<std::byte> asset_bytes(std::uint64_t asset, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    for (std::uint64_t word = 0; word < size_bytes / 4; ++word) {
        const auto value = static_cast<std::uint32_t>(asset << 24 ^ word * 0x9E37'79B1u);
        std::memcpy(bytes.data() + word * 4, &value, 4);
    }
    return bytes;
}

}  // namespace

Status play_streaming(Conductor& c, const ExampleSettings& settings) {
    if (settings.ring_length == 0) return fail(ErrorCode::kInvalidArgument, "no staging slots", "ring_length");
    const std::uint64_t size = settings.piece_bytes();
    const std::uint64_t assets = settings.frames;
    const std::uint64_t slots = settings.ring_length;
    const std::uint64_t most_frames = 2 * assets + 1;
    const ActorIndex copy_engine = c.queue("copy", ActorKind::kCopy);
    const ActorIndex render_engine = c.queue("graphics", ActorKind::kGraphics);
    const FenceIndex streamed = c.fence("copyFence");
    const FenceIndex drawn = c.fence("frameFence");
    const ResourceIndex staging = c.buffer("staging", size * slots, Place::kUpload);
    const ResourceIndex resident = c.buffer("assets", size * assets);
    const ResourceIndex placeholder = c.buffer("placeholder", size);
    const ResourceIndex target = c.image("target", settings.side);
    Delayed delayed(c, settings);
    const Pictures pictures(c, settings, delayed, most_frames);
    delayed.add(copy_engine, ActorKind::kCopy);
    delayed.add(render_engine, ActorKind::kGraphics);
    c.begin();

    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    for (std::uint64_t frame = 1; frame <= most_frames && arrived < assets && c.ok(); ++frame) {
        if (frame > settings.cpu_latency) c.host_wait(drawn, frame - settings.cpu_latency);
        arrived = c.completed(streamed);
        // The last frames insist, so that every asset comes on any device.
        if (frame > assets && arrived < sent) {
            c.host_wait(streamed, arrived + 1);
            arrived = c.completed(streamed);
        }
        // As much as fits the staging slots; the host never waits for one.
        while (sent < assets && sent < arrived + slots && c.ok()) {
            const Piece slot{staging, size * (sent % slots)};
            c.host_write("fill staging", staging, slot.offset_bytes, asset_bytes(sent + 1, size));
            c.execute(copy_engine, "stream", delayed.late(copy_engine, {copy(slot, {resident, size * sent}, size)}),
                      kCopyNs);
            c.signal(copy_engine, streamed, ++sent);
        }
        const Piece newest = arrived == 0 ? Piece{placeholder} : Piece{resident, size * (arrived - 1)};
        c.execute(render_engine, "draw", pictures.draw(render_engine, newest, target, frame - 1), kDrawNs);
        c.signal(render_engine, drawn, frame);
    }
    return c.status();
}

}  // namespace heapwright::engines
