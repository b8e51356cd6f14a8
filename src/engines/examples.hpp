// The examples of "Multi-engine synchronization" (Direct3D 12 programming guide) as code over a conductor, near to the
// document's own. Each leaves what every frame saw in a buffer of its own, so that a byte taken too early or too late
// shows at the end.
// Errors: the conductor's; kInvalidArgument for settings that an example cannot run with.
// An example is a schedule of the document with its settings; a workload is what an application says of itself
// (model/workload.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/conductor.hpp"

namespace heapwright::engines {

// What an execution does beside its own work, so that it takes a fast device long: those that write for another queue
// do it first, those that read for a picture do it before they read once more, into a picture of their own. A consumer
// that comes too early then finds nothing written, a producer that comes too early overwrites what is still read.
struct Delay {
    std::uint32_t rounds = 0;  // of a transform of a few words, on queues that compute
    std::uint32_t copies = 0;  // of a large piece, on copy queues

    [[nodiscard]] bool is_any() const { return rounds != 0 || copies != 0; }
};

struct ExampleSettings {
    std::uint32_t side = 32;           // of every image and piece of data, in texels; a multiple of 8
    std::uint32_t rounds = 32;         // of every transform
    std::uint64_t frames = 12;         // of the stage that makes data
    std::uint64_t ring_length = 3;     // copy ring, staging slots
    std::uint64_t cpu_latency = 3;     // frames that the host may be ahead of a queue
    std::uint64_t engine_latency = 2;  // frames that one queue may be ahead of another that takes its data
    bool consumers_first = false;      // submitted before what they wait for
    Delay delay{};

    [[nodiscard]] std::uint64_t piece_bytes() const { return std::uint64_t{side} * side * 4; }
};

// Copy geometry, then textures; pre-pass, lighting, final draw: the document's waits and no others.
Status play_lit_frame(Conductor& conductor, const ExampleSettings& settings);

// Heap-like memory through a ring between copy and graphics.
Status play_copy_ring(Conductor& conductor, const ExampleSettings& settings);

// Graphics consumes what compute made engine_latency frames ago; engine_latency + 1 buffers between them.
Status play_pipelined(Conductor& conductor, const ExampleSettings& settings);

// Graphics takes the newest result that the host knows to be complete. The document's index modulo its latency
// contradicts the latency + 1 buffers that its text asks for; here there are so many, and compute waits, as in the
// pipelined example, until graphics is done with the frame that it overwrites. Its min(1, completed) must be a max.
// Which results graphics takes depends on the device's speed.
Status play_async(Conductor& conductor, const ExampleSettings& settings);            // a third fence for what was read
Status play_async_one_fence(Conductor& conductor, const ExampleSettings& settings);  // a mapping of frames instead
Status play_async_renamed(Conductor& conductor, const ExampleSettings& settings);    // lists for each renamed version

// The copy engine brings assets through staging slots that the host fills, beside frames that draw what has come.
Status play_streaming(Conductor& conductor, const ExampleSettings& settings);

// A low-priority compute queue works in slices; the host looks once a frame and hands finished results to graphics.
Status play_background(Conductor& conductor, const ExampleSettings& settings);

// High-priority compute in the middle of each frame; the host works on its result and gives it to the frame's rest.
Status play_interrupting(Conductor& conductor, const ExampleSettings& settings);

struct Example {
    std::string_view name;
    Status (*play)(Conductor&, const ExampleSettings&);
    ExampleSettings settings{};
    bool decides = false;  // what it does depends on how far the device is when the host looks
    // Of the settings, those that it takes beside side and rounds.
    bool takes_frames = true;
    bool takes_ring_length = false;
    bool takes_latencies = false;
    bool takes_consumers_first = false;
    // Work that does not wait for other work submitted before it, and should be over while that still goes on.
    std::string_view ahead{};
    std::string_view behind{};
};

// In the order in which they run.
[[nodiscard]] const std::array<Example, 9>& examples();

// The frame once more, with resources that belong to one queue family at a time (ownership.hpp).
[[nodiscard]] const Example& owned_frame();

}  // namespace heapwright::engines
