// The rules of engines, and the measurements that they read.
//
// What the rules of engines read of a report's measurements, each with the pointer that cites it. A view: the context
// outlives it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/context.hpp"

namespace heapwright::policy {

// "graphics", "compute" and "copy" are the kinds of a report's engines.
inline constexpr std::string_view kGraphicsEngine = "graphics";
inline constexpr std::string_view kComputeEngine = "compute";
inline constexpr std::string_view kCopyEngine = "copy";

class EngineFacts {
public:
    // `measured` is the context's device's.
    EngineFacts(const Context& context, const model::EngineMeasurements& measured)
        : context_(context), measured_(measured) {}

    [[nodiscard]] const Context& context() const { return context_; }
    [[nodiscard]] const model::EngineMeasurements& measured() const { return measured_; }
    [[nodiscard]] const model::EngineDescription& engine(std::size_t index) const { return measured_.engines[index]; }

    // The engines of a kind and priority, in the report's order.
    [[nodiscard]] std::vector<std::size_t> engines(std::string_view kind, std::string_view priority = "normal") const;
    [[nodiscard]] std::optional<std::size_t> first(std::string_view kind) const;

    // The figures of a pair, of a copy, of a pipeline; nothing where they were not measured.
    [[nodiscard]] std::optional<std::size_t> overlap(std::size_t first, std::size_t second) const;
    [[nodiscard]] std::optional<std::size_t> copy(std::size_t engine, model::CopyDirection direction) const;
    [[nodiscard]] std::optional<std::size_t> pipeline(std::string_view name) const;

    // `member` is relative to the measurements: "engines/0/kind".
    [[nodiscard]] model::DecisionInput cite(std::string_view member, model::Figure value) const;
    [[nodiscard]] model::DecisionInput cite_ns(std::string_view member, std::uint64_t ns) const;
    [[nodiscard]] model::DecisionInput cite_engine(std::size_t index, std::string_view member) const;

private:
    const Context& context_;
    const model::EngineMeasurements& measured_;
};

// Which clock took the times that a reason rests on, at least one, and whether all of them settled.
[[nodiscard]] model::Statement by_clock(const std::vector<model::MeasuredTime>& times);

// The rules that decide_engines() applies, on what a report measured. Latencies in frames. Pure.

// Whether work beside draws pays on an engine of its own. It pays when the two at the same time save at least a tenth
// of the shorter one and nine of ten runs (of fewer than ten: all) stay below the time of one after the other. Without
// that measurement, with fewer than three samples of it, or where it was disturbed (the report says so, or more is
// gained than all of the shorter one by more than 5%), an engine whose queues are not the graphics ones is taken to
// pay. `kind` is the kind of the engine beside the graphics one.
[[nodiscard]] model::Decided<bool> decide_overlap(const EngineFacts& facts, std::string_view kind);

// Which engine does which work. Draws go to the graphics engine. Compute that a frame waits for goes to the compute
// engine where that pays; what no frame waits for to the engine of low priority, else to one that is not the frame's.
// Uploads go to the copy engine where copies beside draws pay and it copies a frame's uploads within the frame budget,
// else to the faster one; downloads beside them to a second copy engine that is about as fast.
[[nodiscard]] std::vector<model::EngineAssignment> assign_engines(const EngineFacts& facts,
                                                                  const model::Decided<bool>& async_copy,
                                                                  const model::Decided<bool>& async_compute);

// The latencies of the two pipelines of "Multi-engine synchronization" (Direct3D 12 programming guide): the measured
// best ones, within what the workload's frames in flight hold; for the host the smallest one whose frame is at most 5%
// longer than the shortest. Where the measurement of a pipeline did not settle, the engine article's figures (3 for the
// host, 2 between compute and graphics, a ring of 3) within the same bounds; where there is none, the article's 2 and
// what the frames in flight hold. The reason says so.

// At most a slot for each frame in flight and the one that is written.
[[nodiscard]] model::Decided<std::uint64_t> decide_copy_ring_length(const EngineFacts& facts,
                                                                    std::uint64_t frames_in_flight);

// At least 1.
[[nodiscard]] model::Decided<std::uint64_t> decide_compute_graphics_latency(const EngineFacts& facts,
                                                                            std::uint64_t frames_in_flight,
                                                                            const model::Decided<bool>& async_compute);

[[nodiscard]] model::Decided<std::uint64_t> decide_cpu_latency(const EngineFacts& facts, std::uint64_t frames_in_flight,
                                                               std::uint64_t compute_graphics_latency);

// What copies buffers within device memory, and which engine, and which copies images: of the copies by size that were
// measured the fastest at the largest size that all of them have and `largest_bytes` does not pass. Commands where they
// come within a tenth of it; of several engines within that tenth one beside draws, where that pays. Adds to `policy`,
// whose overlaps are decided; nothing where nothing was measured.
void decide_moves(const EngineFacts& facts, std::uint64_t largest_bytes, model::EnginePolicy& policy);

// Whether the host writes to device memory itself: where all memory that it maps is device memory; else where it writes
// there at nine tenths of the rate of the ring's memory and maps at least half of the device's memory.
[[nodiscard]] std::optional<model::Decided<bool>> decide_direct_uploads(const EngineFacts& facts);

// How work is spread over the device's engines. Nothing for a report that does not measure them: then nothing is known
// of what they gain. Pure.

// `largest_bytes`: of an ordinary resource.
[[nodiscard]] std::optional<model::EnginePolicy> decide_engines(const Context& context, std::uint64_t frames_in_flight,
                                                                std::uint64_t largest_bytes,
                                                                model::Statement& warnings);

}  // namespace heapwright::policy
