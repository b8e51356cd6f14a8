#include "engines/examples.hpp"

namespace heapwright::engines {

const std::array<Example, 9>& examples() {
    static constexpr std::array<Example, 9> kExamples{{
        {.name = "multi-engine-frame",
         .play = play_lit_frame,
         .settings = {},
         .takes_frames = false,
         .takes_consumers_first = true},
        {.name = "copy-ring", .play = play_copy_ring, .settings = {.frames = 12}, .takes_ring_length = true},
        {.name = "pipelined-compute", .play = play_pipelined, .settings = {.frames = 12}, .takes_latencies = true},
        {.name = "async-compute",
         .play = play_async,
         .settings = {.frames = 12},
         .decides = true,
         .takes_latencies = true},
        {.name = "async-compute-one-fence",
         .play = play_async_one_fence,
         .settings = {.frames = 12},
         .decides = true,
         .takes_latencies = true},
        {.name = "async-compute-renamed",
         .play = play_async_renamed,
         .settings = {.frames = 12},
         .decides = true,
         .takes_latencies = true},
        {.name = "streaming-copy",
         .play = play_streaming,
         .settings = {.frames = 12},
         .decides = true,
         .takes_ring_length = true},
        {.name = "background-compute",
         .play = play_background,
         .settings = {.frames = 6},
         .decides = true,
         .ahead = "draw",
         .behind = "slice"},
        {.name = "interrupting-compute",
         .play = play_interrupting,
         .settings = {.frames = 8},
         .ahead = "urgent",
         .behind = "first half"},
    }};
    return kExamples;
}

const Example& owned_frame() {
    static constexpr Example kOwnedFrame{.name = "multi-engine-frame-exclusive",
                                         .play = play_lit_frame,
                                         .settings = {},
                                         .takes_frames = false,
                                         .takes_consumers_first = true};
    return kOwnedFrame;
}

}  // namespace heapwright::engines
