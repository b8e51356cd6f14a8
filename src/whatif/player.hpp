// Ways to allocate, each played over numbers, or over a device's own memory: the same steps, the same heaps, the same
// price of every call, the same clock of frames. What a frame gave up is free `frames_in_flight` frames later.
//   pool      a policy, by the pool's own placer (policy/played_pool.hpp)
//   VMA       the Vulkan Memory Allocator's default pools (policy/vma.hpp)
//   D3D12MA   the D3D12 Memory Allocator's default pools: those of VMA with blocks of 64 MiB on every heap, and buffers
//             of at most 32 KiB committed. Source: D3D12MemAlloc.cpp 3.0, AllocatorPimpl::CalcAllocationParams,
//             PrefersCommittedAllocation, on resource heap tier 2. Not compared with the library itself.
//   one each  a device allocation for every resource
// Those without a rule for it take memory types in the policy's order, as VMA's user states them.
// Sizes in bytes, times in nanoseconds. Not thread-safe. Ownership: the stage outlives what plays on it.
// Beside it: the steps that are played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/memory_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "policy/counted_memory.hpp"
#include "policy/vma.hpp"
#include "pool/memory_placer.hpp"
#include "whatif/account.hpp"

namespace heapwright::whatif {

// What a program does to its allocator as every player of a what-if takes it: one step after another, each creation
// with what the device asks for the resource. Sources make them (sources.hpp), players
// play them, a batch at a time, so that many players share one pass. Plain values; sizes in bytes.

struct Step {
    enum class Kind : std::uint8_t { kCreate, kDestroy, kEndFrame };

    Kind kind = Kind::kEndFrame;
    std::uint32_t slot = 0;  // of kCreate and kDestroy; dense, free again once destroyed
    // Of kCreate. Render targets are a class of their own; a player that does not keep them apart has them among the
    // optimal ones.
    pool::MemoryPlacer::Request request;
    std::uint64_t buffer_bytes = 0;  // of kCreate: as the program describes it; 0: an image, or not told
};

struct StepCounts {
    std::uint64_t operations = 0;  // creations and destructions
    std::uint64_t creations = 0;
    std::uint64_t frames = 0;
    std::uint64_t refused = 0;   // creations of resources that the device does not have; nobody plays them
    double asked_bytes = 0;      // of what is played
    double estimated_bytes = 0;  // of these: sizes that nothing in the report tells
};

// Not thread-safe; in memory that grows with what is alive, and not with the steps.
class StepSource {
public:
    virtual ~StepSource() = default;
    // The next ones, in place of what `steps` held; none: it is over. The last one ends a frame.
    [[nodiscard]] virtual Status read(std::vector<Step>& steps) = 0;
    [[nodiscard]] const StepCounts& counts() const { return counts_; }

protected:
    static constexpr std::size_t kBatch = 1024;
    StepCounts counts_;
};

struct Stage {
    const model::DeviceReport& facts;
    std::function<double(const policy::DeviceMemoryCall&)> price_ns;
    std::uint64_t frames_in_flight = 2;
    std::uint64_t frame_budget_ns = 16'666'667;
    std::uint64_t memory_limit_bytes = ~0ull;
    device::MemorySource* memory = nullptr;  // the device's own; null: numbers
};

class Player {
public:
    virtual ~Player() = default;
    // Errors: the pool's (kInvariantBroken). A request that finds no memory is a figure.
    [[nodiscard]] virtual Status play(std::span<const Step> steps) = 0;
    // Behind the last step.
    [[nodiscard]] virtual Status finish() { return {}; }
    [[nodiscard]] const Account& account() const { return account_; }

protected:
    Account account_;
};

// Errors: the policy does not fit the device (contract::BucketIndex::create). The policy outlives the player.
[[nodiscard]] Result<std::unique_ptr<Player>> make_pool_player(const Stage& stage, const model::DevicePolicy& policy);
[[nodiscard]] std::unique_ptr<Player> make_vma_player(const Stage& stage, const model::DevicePolicy& policy,
                                                      std::uint64_t large_heap_block_bytes);
[[nodiscard]] std::unique_ptr<Player> make_d3d12ma_player(const Stage& stage, const model::DevicePolicy& policy);
[[nodiscard]] std::unique_ptr<Player> make_one_each_player(const Stage& stage, const model::DevicePolicy& policy);

}  // namespace heapwright::whatif
