// The examples of "Multi-engine synchronization" as schedules.
#pragma once

#include <array>
#include <cstdint>

#include "builder.hpp"

namespace heapwright::engines::test {

struct Engines {
    Builder builder;
    ActorIndex host = builder.host("host");
    ActorIndex copy = builder.queue("copy", ActorKind::kCopy, 1);
    ActorIndex graphics = builder.queue("graphics", ActorKind::kGraphics, 0);
    ActorIndex compute = builder.queue("compute", ActorKind::kCompute, 2);
};

inline Access read_of(ScheduledResourceIndex resource, std::uint64_t begin = 0, std::uint64_t end = ~0ull,
                      ResourceState state = ResourceState::kShaderResource) {
    return {resource, begin, end, false, state};
}

inline Access write_of(ScheduledResourceIndex resource, std::uint64_t begin = 0, std::uint64_t end = ~0ull,
                       ResourceState state = ResourceState::kCopyDest) {
    return {resource, begin, end, true, state};
}

// Copy geometry, then textures; pre-pass, lighting, final draw.
inline Schedule lit_frame() {
    Engines e;
    Builder& b = e.builder;
    const auto buffer = [&](const char* name) { return b.resource({name, true, false}); };
    const ScheduledResourceIndex geometry = buffer("geometry");
    const ScheduledResourceIndex rt1 = buffer("rt1");
    const ScheduledResourceIndex buf1 = buffer("buf1");
    const std::array textures = {buffer("tex1"), buffer("tex2"), buffer("tex3"), buffer("tex4")};
    const FenceIndex copied = b.fence("copyFence");
    const FenceIndex rendered = b.fence("renderFence");
    const FenceIndex computed = b.fence("computeFence");
    b.execute(e.copy, "copy geometry", {write_of(geometry)}, 10);
    b.signal(e.copy, copied, 101);
    for (const ScheduledResourceIndex texture : textures) b.execute(e.copy, "copy texture", {write_of(texture)}, 10);
    b.signal(e.copy, copied, 102);
    b.wait(e.graphics, copied, 101);
    b.execute(e.graphics, "pre-pass", {read_of(geometry), write_of(rt1, 0, ~0ull, ResourceState::kUnorderedAccess)}, 5);
    b.signal(e.graphics, rendered, 201);
    b.wait(e.compute, rendered, 201);
    b.execute(e.compute, "lighting", {read_of(rt1), write_of(buf1, 0, ~0ull, ResourceState::kUnorderedAccess)}, 5);
    b.signal(e.compute, computed, 301);
    b.wait(e.graphics, computed, 301);
    b.wait(e.graphics, copied, 102);
    b.execute(e.graphics, "final",
              {read_of(buf1), read_of(textures[0]), read_of(textures[1]), read_of(textures[2]), read_of(textures[3])},
              5);
    return b.schedule();
}

inline Schedule ring_buffer(std::uint64_t length, std::uint64_t frames) {
    Engines e;
    Builder& b = e.builder;
    const ScheduledResourceIndex ring = b.resource({"ringCB", true, false});
    const FenceIndex drawn = b.fence("fence1");
    const FenceIndex copied = b.fence("fence2");
    for (std::uint64_t i = 1; i <= frames; ++i) {
        const std::uint64_t begin = i % length * 256;
        if (i > length) b.wait(e.copy, drawn, i - length);
        b.execute(e.copy, "map", {write_of(ring, begin, begin + 256)});
        b.signal(e.copy, copied, i);
        b.wait(e.graphics, copied, i);
        b.execute(e.graphics, "draw", {read_of(ring, begin, begin + 256)});
        b.signal(e.graphics, drawn, i);
    }
    return b.schedule();
}

// `buffers` copies of the data that goes from compute to graphics.
inline Schedule pipelined(std::uint64_t cpu_latency, std::uint64_t latency, std::uint64_t buffers,
                          std::uint64_t frames) {
    Engines e;
    Builder& b = e.builder;
    const ScheduledResourceIndex data = b.resource({"data", true, false});
    const FenceIndex computed = b.fence("computeFence");
    const FenceIndex drawn = b.fence("graphicsFence");
    std::uint64_t frame = 0;
    const auto range = [&](std::uint64_t number) { return (number - 1) % buffers * 256; };
    while (frame < frames) {
        if (frame > latency) b.wait(e.compute, drawn, frame - latency);
        if (frame > cpu_latency) b.wait(e.host, computed, frame - cpu_latency);
        ++frame;
        b.execute(e.compute, "compute",
                  {write_of(data, range(frame), range(frame) + 256, ResourceState::kUnorderedAccess)}, 4);
        b.signal(e.compute, computed, frame);
        if (frame > latency) {
            const std::uint64_t shown = frame - latency;
            b.wait(e.graphics, computed, shown);
            b.execute(e.graphics, "draw", {read_of(data, range(shown), range(shown) + 256)}, 8);
            b.signal(e.graphics, drawn, shown);
        }
    }
    return b.schedule();
}

}  // namespace heapwright::engines::test
