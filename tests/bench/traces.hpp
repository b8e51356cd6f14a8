// The traces of the suballocator benchmarks, made once from a seed and then replayed unchanged on every peer.
// Sizes are bytes (textures, frame data) or descriptors, each a multiple of the trace's granule (512 and 256 bytes, 1
// descriptor): what an engine would pass, so a peer without granules sees byte sizes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heapwright::bench {

struct Request {
    std::uint32_t size;
    std::uint32_t alignment;
    std::uint32_t victim;  // 32 random bits: the live suballocation to free is victim * live_count >> 32
};

enum class Pattern {
    kSteady,  // free random victims until the request fits under the target fill, then allocate
    kFrames,  // free in order, three frames behind
    kRamp,    // steady, with a target fill that rises from 50% to 100%, up to the first failed allocation
};

struct Trace {
    std::string_view name;
    Pattern pattern = Pattern::kSteady;
    std::uint64_t capacity = 0;
    std::uint64_t granule = 1;
    double target_fill = 0.0;
    std::uint32_t requests_per_frame = 0;
    std::vector<Request> warm_up;  // replayed before the clock starts
    std::vector<Request> requests;
};

[[nodiscard]] Trace make_a80(std::uint64_t seed);
[[nodiscard]] Trace make_a80al(std::uint64_t seed);
[[nodiscard]] Trace make_b90(std::uint64_t seed);
[[nodiscard]] Trace make_c(std::uint64_t seed);
[[nodiscard]] Trace make_ramp_textures(std::uint64_t seed);
[[nodiscard]] Trace make_ramp_aligned(std::uint64_t seed);
[[nodiscard]] Trace make_ramp_descriptors(std::uint64_t seed);

}  // namespace heapwright::bench
