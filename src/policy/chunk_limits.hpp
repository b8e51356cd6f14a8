// Rule: what the chunks of one bucket may take of the device, and whether a simulated rule keeps to it.
//   a frame       its part of the frame budget: an eighth, less where there are more than eight buckets, so that the
//                 worst frames of all of them together fit one frame
//   allocations   its part of eight times those that 256 MiB blocks take, of at most half of those that the policy
//                 allows
//   bytes         what its resources are expected to take, and an equal part of what the heap has beyond the whole
//                 workload; where the workload alone is more than the heap, no rule for chunks can keep within it
// Where nothing keeps to all of these, the device's own limits still count: the whole frame budget, the policy's
// allocations, the heap's bytes. Times in nanoseconds, sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "heapwright/policy/buckets.hpp"
#include "heapwright/policy/simulation.hpp"

namespace heapwright::policy {

// The worst frame of one bucket may spend this part of the frame budget on device memory.
inline constexpr std::uint64_t kFrameBudgetParts = 8;
// Device allocations may be this many times those that the Vulkan Memory Allocator's default blocks take.
inline constexpr std::uint64_t kAllocationsRatio = 8;

enum class LimitsKept : std::uint8_t { kAll, kOfDevice, kNone };  // the first is the best

struct ChunkLimits {
    std::uint64_t frame_budget_ns = 1;
    std::uint64_t frame_parts = kFrameBudgetParts;
    std::uint64_t wanted_allocations = 0;   // of the simulated resources
    std::uint64_t allowed_allocations = 0;  // of all resources
    double expected_bytes = 0;              // of all resources
    std::optional<double> most_bytes;       // reserved for all resources; empty where the workload exceeds the heap
    double simulated_share = 1;             // of the resources that the heap can hold
};

[[nodiscard]] LimitsKept limits_kept(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits);

// Which limits a rule breaks: those of LimitsKept::kNone, or where it keeps these those of kAll. Empty where it keeps
// them all.
[[nodiscard]] model::Statement limits_broken(const SimulatedFigures& figures, const ChunkRule& rule,
                                             const ChunkLimits& limits);

// What the whole workload leaves of a heap.
struct HeapRoom {
    std::optional<double> spare_bytes;  // empty where the workload alone exceeds the heap
    std::uint32_t memory_types = 0;     // of the heap, with ordinary resources
};

[[nodiscard]] std::vector<HeapRoom> find_room(const BucketInputs& inputs, std::span<const model::HeapPolicy> heaps);

}  // namespace heapwright::policy
