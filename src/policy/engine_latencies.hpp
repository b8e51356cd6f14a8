// Rules: the latencies of the two pipelines of "Multi-engine synchronization" (Direct3D 12 programming guide), in
// frames. The measured best ones, within what the workload's frames in flight hold; for the host the smallest one whose
// frame is at most 5% longer than the shortest. Where the measurement of a pipeline did not settle, the source's
// figures (3 for the host, 2 between compute and graphics, a ring of 3) within the same bounds; where there is none,
// the source's 2 and what the frames in flight hold. The reason says so. Pure.
#pragma once

#include "heapwright/policy/engine_facts.hpp"

namespace heapwright::policy {

// At most a slot for each frame in flight and the one that is written.
[[nodiscard]] model::Decided<std::uint64_t> decide_copy_ring_length(const EngineFacts& facts,
                                                                    std::uint64_t frames_in_flight);

// At least 1.
[[nodiscard]] model::Decided<std::uint64_t> decide_compute_graphics_latency(const EngineFacts& facts,
                                                                            std::uint64_t frames_in_flight,
                                                                            const model::Decided<bool>& async_compute);

[[nodiscard]] model::Decided<std::uint64_t> decide_cpu_latency(const EngineFacts& facts, std::uint64_t frames_in_flight,
                                                               std::uint64_t compute_graphics_latency);

}  // namespace heapwright::policy
