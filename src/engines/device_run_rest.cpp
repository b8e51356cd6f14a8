// How a run that ends early brings the device to rest: once every queue is done or stands before a wait, the host gives
// the lowest value waited for that no signal still to come is at or below, then looks again.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engines/device_run.hpp"

namespace heapwright::engines {
namespace {

constexpr std::uint64_t kRestSliceNs = 1'000'000;

}  // namespace

Result<bool> DeviceRun::is_met(FencePoint point) const {
    HEAPWRIGHT_ASSIGN(const TimelineValue completed, fences_[point.fence.value].timeline->completed());
    return completed.value >= point.value;
}

// A signal from the host must be above what the fence has and below what is still to be signalled on it
// (VUID-VkSemaphoreSignalInfo-value-03258 and 03259); on Direct3D 12 a lower signal that comes later takes the fence
// back.
bool DeviceRun::may_be_given(FencePoint point) const {
    for (const Queue& queue : queues_) {
        for (std::uint64_t number = queue.seen; number < queue.submitted; ++number) {
            for (const FencePoint& signal : sent_[queue.sent[number]].signals) {
                if (signal.fence == point.fence && signal.value <= point.value) return false;
            }
        }
    }
    return true;
}

// Only where every queue that is not done stands before a wait: then nothing runs that could signal meanwhile. A queue
// stands so with its first submission that is not over; where queues are shared, nothing was submitted that could.
Result<bool> DeviceRun::release_lowest_wait() {
    std::optional<FencePoint> lowest;
    for (const Queue& queue : queues_) {
        if (queue.seen == queue.submitted) continue;
        bool stands = false;
        for (const FencePoint& wait : sent_[queue.sent[queue.seen]].waits) {
            HEAPWRIGHT_ASSIGN(const bool met, is_met(wait));
            if (met) continue;
            stands = true;
            if (may_be_given(wait) && (!lowest || wait.value < lowest->value)) lowest = wait;
        }
        if (!stands) return false;
    }
    if (!lowest) return false;
    HEAPWRIGHT_TRY(fences_[lowest->fence.value].timeline->signal({lowest->value}));
    return true;
}

Status DeviceRun::come_to_rest() {
    std::uint64_t left_ns = options_.host_wait_limit_ns;
    for (;;) {
        HEAPWRIGHT_TRY(look());
        bool busy = false;
        bool moved = false;
        for (Queue& queue : queues_) {
            if (queue.seen == queue.submitted) continue;
            busy = true;
            const Status waited = queue.chain->wait({queue.seen + 1}, kRestSliceNs);
            if (!waited && waited.error().code != ErrorCode::kTimeLimit) return waited;
            moved |= waited.has_value();
            if (!waited) left_ns -= std::min(left_ns, kRestSliceNs);
        }
        if (!busy) break;
        if (moved) continue;
        HEAPWRIGHT_ASSIGN(const bool released, release_lowest_wait());
        if (!released && left_ns == 0) return restless();
    }
    HEAPWRIGHT_TRY(device_.submitter().wait_idle());
    at_rest_ = true;
    return {};
}

tl::unexpected<Error> DeviceRun::restless() const {
    std::string who;
    std::uint64_t submissions = 0;
    for (std::size_t actor = 0; actor < queues_.size(); ++actor) {
        const std::uint64_t left = queues_[actor].submitted - queues_[actor].seen;
        if (left != 0) who += (who.empty() ? "" : ", ") + program().schedule.actors[actor].name;
        submissions += left;
    }
    return fail({.code = ErrorCode::kTimeLimit,
                 .message = fmt::format("the device does not come to rest: {} has submissions that are not over", who),
                 .where = "come_to_rest",
                 .value = submissions,
                 .limit = options_.host_wait_limit_ns});
}

// What the device may still touch is never destroyed, and is no more this run's.
void DeviceRun::give_up() {
    struct Kept {
        std::unique_ptr<ProgramMemory> memory;
        std::vector<Queue> queues;
        std::vector<Fence> fences;
    };
    static auto& kept = *new std::vector<Kept>;
    kept.push_back({std::move(memory_), std::exchange(queues_, {}), std::exchange(fences_, {})});
    at_rest_ = true;
}

}  // namespace heapwright::engines
