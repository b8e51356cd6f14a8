// What a caller chooses for a memory pool beside the policy. Plain value; sizes in bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heapwright/device/background_processor.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/budget_pressure.hpp"

namespace heapwright::pool {

// Collections (frames) that a kept empty chunk stays.
inline constexpr std::uint32_t kEmptyChunkAge = 120;
// Of a heap's usable bytes, for the empty chunks of all its buckets.
inline constexpr double kKeptEmptyShare = 0.125;

inline constexpr std::uint32_t kMostTimelines = 64;

struct PoolOptions {
    // On which resources have their last uses, such as one a queue; 1 to kMostTimelines.
    std::uint32_t timelines = 1;
    std::uint64_t memory_limit_bytes = ~0ull;  // over all heaps, beside the policy's own limits
    // Of a heap's usable bytes, for the empty chunks of all its buckets; 0: an empty chunk goes back at once.
    double kept_empty_share = kKeptEmptyShare;
    std::uint32_t empty_chunk_age = kEmptyChunkAge;  // collections (frames) until a kept empty chunk goes
                                                     // back, an eighth of it where its bucket has another
    // Of the device's live budget, left to other processes; empty: what the policy says of each heap. It counts as
    // it stands, also where heaps are one RAM.
    std::optional<double> budget_reserve_share = {};
    OnBudgetPressure on_budget_pressure = OnBudgetPressure::kEvict;
    // Called by a thread whose request does not fit the device's budget, after the pool has given back what it can, and
    // in release_completed() where the usage alone stays above the budget. No lock is held, and several threads may be
    // in it at once. It may release resources, call release_completed() and trim(), and free other memory of the
    // process; it must not allocate from the pool. Where bytes of the heap went back, the request is tried again.
    std::function<void(const BudgetPressure&)> tell_budget_pressure = {};
    // Of the memory of a bucket (VK_EXT_memory_priority), 0 to 1; empty: what the policy says of it.
    std::function<float(const model::BucketPolicy&)> chunk_priority = {};
    // BackgroundProcessor::submit() of a processor that outlives the pool. With it the pool keeps the policy's
    // `chunks_ahead` ready, from its creation on, and frees chunks of those buckets in the background; without it, and
    // in buckets that have none ahead, every chunk is taken and freed by the call that needs it or leaves it empty.
    // Give its threads normal priority: an idle thread that a busy machine stops may hold a lock of the driver or the
    // kernel, and frames wait for it.
    std::function<bool(device::WorkItem)> background = {};
};

}  // namespace heapwright::pool
