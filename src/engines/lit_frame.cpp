#include <array>
#include <functional>
#include <utility>

#include "engines/delayed.hpp"
#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {

Status play_lit_frame(Conductor& c, const ExampleSettings& settings) {
    const std::uint64_t size = settings.piece_bytes();
    const ActorIndex copy_engine = c.queue("copy", ActorKind::kCopy);
    const ActorIndex render_engine = c.queue("graphics", ActorKind::kGraphics);
    const ActorIndex compute_engine = c.queue("compute", ActorKind::kCompute);
    const FenceIndex copied = c.fence("copyFence");
    const FenceIndex rendered = c.fence("renderFence");
    const FenceIndex computed = c.fence("computeFence");
    constexpr std::size_t kTextures = 4;
    const ResourceIndex uploads = c.buffer("uploads", size * (1 + kTextures), Place::kUpload);
    const ResourceIndex geometry = c.buffer("geometry", size);
    const std::array<ResourceIndex, kTextures> textures{c.buffer("tex1", size), c.buffer("tex2", size),
                                                        c.buffer("tex3", size), c.buffer("tex4", size)};
    const ResourceIndex rt1 = c.image("rt1", settings.side);
    const ResourceIndex rt1_texels = c.buffer("rt1 texels", size);
    const ResourceIndex buf1 = c.buffer("buf1", size);
    const ResourceIndex target = c.image("target", settings.side);
    const ResourceIndex pictures = c.buffer("pictures", size * (1 + kTextures));
    Delayed delayed(c, settings);
    delayed.add(copy_engine, ActorKind::kCopy);
    delayed.add(render_engine, ActorKind::kGraphics);
    delayed.add(compute_engine, ActorKind::kCompute);
    c.begin();

    const std::function<void()> copies = [&] {
        c.execute(copy_engine, "copy geometry", delayed.late(copy_engine, {copy({uploads}, {geometry}, size)}),
                  kCopyNs);
        c.signal(copy_engine, copied, 101);
        for (std::size_t i = 0; i < kTextures; ++i) {
            c.execute(copy_engine, "copy texture",
                      delayed.late(copy_engine, {copy({uploads, size * (1 + i)}, {textures[i]}, size)}), kCopyNs);
        }
        c.signal(copy_engine, copied, 102);
    };
    const std::function<void()> pre_pass = [&] {
        c.wait(render_engine, copied, 101);  // geometry copied
        // Reads at once and writes late.
        std::vector<device::Work> work = draw({geometry}, rt1, {rt1_texels});
        for (device::Work& more : delayed.delay(render_engine)) work.insert(work.end() - 1, std::move(more));
        c.execute(render_engine, "pre-pass", work, kDrawNs);
        c.signal(render_engine, rendered, 201);
    };
    const std::function<void()> lighting = [&] {
        c.wait(compute_engine, rendered, 201);  // pre-pass completed
        c.execute(compute_engine, "lighting",
                  delayed.late(compute_engine, {transform({rt1_texels}, {buf1}, size, 301, settings.rounds)}),
                  kComputeNs);
        c.signal(compute_engine, computed, 301);
    };
    const std::function<void()> final_draw = [&] {
        c.wait(render_engine, computed, 301);  // lighting calculated into buf1
        c.wait(render_engine, copied, 102);    // textures copied
        std::vector<device::Work> work = draw({buf1}, target, {pictures});
        for (std::size_t i = 0; i < kTextures; ++i) {
            for (device::Work& more : draw({textures[i]}, target, {pictures, size * (1 + i)}))
                work.push_back(std::move(more));
        }
        c.execute(render_engine, "final draw", work, kDrawNs);
    };

    std::array<const std::function<void()>*, 4> parts{&copies, &pre_pass, &lighting, &final_draw};
    // Each queue keeps its own order.
    if (settings.consumers_first) parts = {&pre_pass, &final_draw, &lighting, &copies};
    for (const auto* part : parts) (*part)();
    return c.status();
}

}  // namespace heapwright::engines
