// The whole policy run over numbers (simulated_pool.hpp) on the workload's own stream, all heaps, buckets and
// allocations of one resource together: the operations that the validation's mixed workload plays. Whatever says what
// the policy does to the workload (its promises, whether it fits) asks this. Sizes in bytes, times in nanoseconds.
// Pure; same input, same figures.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "policy/allocation_cost.hpp"
#include "policy/context.hpp"
#include "policy/played_workload.hpp"
#include "policy/simulated_pool.hpp"

namespace heapwright::policy {

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
