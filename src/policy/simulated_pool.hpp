// A whole policy run over numbers: the memory pool's own placer (pool/memory_placer.hpp) takes an application's
// operations on heaps that the report describes, and says where everything went. What a pool on the device would do,
// but for what others take of the device's memory meanwhile. Without prices nothing is prepared in the background, and
// what is not given by the operations happens at once; with them each frame has what its budget leaves for the
// background.
//   a resource is created through the ordinary interface; one that is refused as humongous is asked for by name
//   a destroyed one is given back when the frame in which it was destroyed is through, `frames_in_flight` frames later
// Sizes in bytes. Pure; same input, same outcome. Errors: those of contract::BucketIndex::create, and
// kInvariantBroken when the placer's books do not agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/policy/counted_heaps.hpp"
#include "heapwright/workload/operation.hpp"

namespace heapwright::policy {

// Where a resource went. All zero but the error where it went nowhere.
struct SimulatedPlace {
    std::optional<ErrorCode> error;
    bool alone = false;  // memory of its own: no bucket, chunk or offset
    std::uint32_t memory_type = 0;
    std::uint32_t bucket = 0;
    std::uint32_t chunk = 0;  // the bucket's slot
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const SimulatedPlace&, const SimulatedPlace&) = default;
};

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

// What a call of the device takes, or a creation within the pool: what one in ten takes longer than, the least, and
// what every other takes longer than.
struct SimulatedPrice {
    double late_ns = 0;
    double least_ns = 0;
    double median_ns = 0;

    SimulatedPrice& operator+=(const SimulatedPrice& other) {
        late_ns += other.late_ns;
        least_ns += other.least_ns;
        median_ns += other.median_ns;
        return *this;
    }
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

struct SimulatedPoolOptions {
    std::uint64_t memory_limit_bytes = ~0ull;
    std::uint64_t frames_in_flight = 2;
    std::uint64_t frame_budget_ns = 16'666'667;
    // What a call takes, and with it a background that keeps the policy's chunks ahead ready. Empty: neither. The clock
    // of the play goes by the late price.
    std::function<SimulatedPrice(const DeviceMemoryCall&)> price = {};
    SimulatedPrice creation = {};  // the pool's own part, in p99_frame_ns alone
};

// `requirements_of`: what the driver asks for a resource; an error of it is the creation's.
[[nodiscard]] Result<SimulatedPool> simulate_pool(
    const model::DeviceReport& facts, const model::DevicePolicy& policy,
    std::span<const workload::Operation> operations,
    const std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>& requirements_of,
    const SimulatedPoolOptions& options = {});

}  // namespace heapwright::policy
