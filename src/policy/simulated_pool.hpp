// A whole policy run over numbers, from an application's operations: played_pool.hpp says where everything went.
// Sizes in bytes. Pure; same input, same outcome. Errors: those of PlayedPool.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "policy/counted_heaps.hpp"
#include "policy/played_pool.hpp"
#include "workload/operation.hpp"

namespace heapwright::policy {

// What the device memory of a frame costs whoever renders it. The background's calls are no part of it, but for the
// dearest, which a call in the frame may have to wait for.
struct SimulatedTimes {
    double worst_frame_ns = 0;  // after the load, which the first end of a frame ends
    double mean_frame_ns = 0;   // after the load
    double worst_load_ns = 0;   // of one creation
    // The same by the least price of a call, and by the median, where no call waits for the background's.
    double least_worst_frame_ns = 0;
    double least_worst_load_ns = 0;
    double median_worst_frame_ns = 0;
    double median_worst_load_ns = 0;
    // What 99 frames of 100 after the load spend at most, creations of the pool's own included.
    double p99_frame_ns = 0;
    double least_p99_frame_ns = 0;
    double median_p99_frame_ns = 0;
    std::uint64_t most_calls = 0;   // of the device in one frame after the load, one that it waits for included
    std::uint64_t late_chunks = 0;  // after the load: requests that found none of the chunks ahead ready
    std::uint64_t frames = 0;       // after the load
};

struct SimulatedPool {
    std::vector<SimulatedPlace> places;  // of each creation, in order
    std::vector<DeviceMemoryCall> calls;
    std::vector<std::uint64_t> peak_bytes;  // by heap
    double mean_waste = 0;  // (reserved - used) / used, of the sums over the ends of frames; frames in flight use, too
    double peak_waste = 0;  // the same at the end of the frame that has most reserved
    SimulatedTimes times;   // all zero without prices
    // By bucket: that requests took from the device in one frame after the load.
    std::vector<std::uint64_t> most_new_chunks;
};

// `requirements_of`: what the driver asks for a resource; an error of it is the creation's.
[[nodiscard]] Result<SimulatedPool> simulate_pool(
    const model::DeviceReport& facts, const model::DevicePolicy& policy,
    std::span<const workload::Operation> operations,
    const std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>& requirements_of,
    const SimulatedPoolOptions& options = {});

}  // namespace heapwright::policy
