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
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "device/memory_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "policy/counted_heaps.hpp"
#include "policy/vma.hpp"
#include "whatif/account.hpp"
#include "whatif/step.hpp"

namespace heapwright::whatif {

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
