// A whole policy run over numbers, from an application's operations: played_pool.hpp says where everything went.
// Sizes in bytes. Pure; same input, same outcome. Errors: those of PlayedPool.
// Beside it: a whole policy on the workload's own stream, for the choice between policies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "policy/allocation_cost.hpp"
#include "policy/context.hpp"
#include "policy/counted_memory.hpp"
#include "policy/played_pool.hpp"
#include "policy/played_workload.hpp"
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

// The whole policy run over numbers on the workload's own stream, all heaps, buckets and
// allocations of one resource together: the operations that the validation's mixed workload plays. Whatever says what
// the policy does to the workload (its promises, whether it fits) asks this. Sizes in bytes, times in nanoseconds.
// Pure; same input, same figures.

struct PlayedPolicy {
    std::uint64_t seed = 0;
    SimulatedPool pool;  // without its places
    std::uint64_t peak_allocations = 0;
    std::uint64_t failures = 0;  // requests that found no memory
    bool served_any = false;
    double estimated_share = 0;              // PlayedStreams::Stream
    std::vector<std::uint64_t> frame_bytes;  // by heap: the most that resources of one frame take, on the device alone
    // By hint, images then buffers: bytes asked for in vain that would be in use, where their sum is largest.
    std::vector<std::uint64_t> without_memory;  // as the driver asks
    std::vector<std::uint64_t> refused;         // packed: the device has no such resource
};

// What a call of the device costs in a play: what one in ten takes longer than, for promises, or what captures of one
// device share, so that what is chosen by it repeats; such a play is a short one (PlayedStreams).
enum class PlayedCosts : std::uint8_t { kLate, kShared };

class PolicyPlayer {
public:
    // The context and the policy outlive it.
    PolicyPlayer(const Context& context, const model::DevicePolicy& policy, const SampleOptions& sample)
        : PolicyPlayer(context, policy, std::make_shared<const PlayedStreams>(context, sample)) {}
    PolicyPlayer(const Context& context, const model::DevicePolicy& policy,
                 std::shared_ptr<const PlayedStreams> streams);

    // Of the workload's bytes, the part that is played; of heaps and allocations there is as small a part then.
    [[nodiscard]] double scale() const { return streams_->scale(); }
    [[nodiscard]] double scale_of_hint(std::size_t hint) const { return streams_->scale_of_hint(hint); }
    [[nodiscard]] std::uint32_t churn_steps() const { return streams_->churn_steps(); }
    [[nodiscard]] const std::vector<AllocationCost>& costs() const { return costs_; }  // by memory type

    // The workload's seed and those that follow it, kPlayedSeeds in all, on a thread for each processor. Errors:
    // simulate_pool()'s, ResourceStream's.
    [[nodiscard]] Result<std::vector<PlayedPolicy>> play() const;
    [[nodiscard]] Result<PlayedPolicy> play_seed(std::uint64_t seed, PlayedCosts costs = PlayedCosts::kLate) const;

    // With as much memory of every type, and as many allocations, as it may ask for; one allocation is no larger for
    // that.
    [[nodiscard]] Result<PlayedPolicy> play_without_limits(std::uint64_t seed) const;

private:
    [[nodiscard]] Result<PlayedPolicy> play(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                                            std::uint64_t seed, PlayedCosts costs) const;
    void note_frame_bytes(std::span<const workload::Operation> operations, PlayedPolicy& played) const;

    const Context& context_;
    const model::DevicePolicy& policy_;
    std::shared_ptr<const PlayedStreams> streams_;
    std::vector<AllocationCost> costs_;
};

// So many show what any other does: one in a hundred at most leaves the doubled spread of 15, up to seven that of five
// (by figure, of 40 other seeds of each preset on two devices).
inline constexpr std::uint64_t kPlayedSeeds = 16;

// What the pool itself takes for a creation and what is released meanwhile, measured on the hosts of the committed
// policies; the median is taken to lie half-way. It is what a frame without any call of the device spends.
inline constexpr SimulatedPrice kOwnPriceOfCreation{.late_ns = 7'000, .least_ns = 3'000, .median_ns = 5'000};

}  // namespace heapwright::policy
