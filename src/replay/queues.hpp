// Submissions and timelines of a replay device. Each queue runs its submissions in order; a submission runs when the
// values that it waits for are reached, all of it at once. Which queue goes next, and when, is the mode's choice.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "device/timeline.hpp"
#include "replay/work.hpp"

namespace heapwright::replay {

class ReplayQueues final : public device::Submitter {
public:
    ReplayQueues(ReplayContext& context, ReplayMemory& memory, ReplayResources& resources,
                 ReplayDescriptors& descriptors);
    ~ReplayQueues() override;

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return engines_; }
    [[nodiscard]] bool accepts_early_waits() const override { return true; }
    [[nodiscard]] Status submit(const device::Submission& submission) override;
    [[nodiscard]] Status wait_idle() override;

    [[nodiscard]] std::unique_ptr<device::Timeline> create_timeline(std::uint64_t initial_value);
    [[nodiscard]] ReplayRecorder& recorder() { return recorder_; }
    [[nodiscard]] std::uint64_t pipelines_locked() const { return pipelines_.count_locked(); }
    std::uint64_t advance(std::uint64_t submissions);
    [[nodiscard]] std::uint64_t pending_locked() const;
    [[nodiscard]] std::uint64_t timelines_locked() const { return timelines_; }

private:
    class QueueTimeline;
    struct TimelineState {
        std::uint64_t completed = 0;
    };
    struct Point {
        std::shared_ptr<TimelineState> state;
        std::uint64_t value = 0;
    };
    struct Awaited {
        Point point;
        CompletionEvent event;
    };
    struct Transfer {
        std::shared_ptr<ReplayResource> resource;
        device::OwnershipTransfer what;
    };
    struct Pending {
        std::vector<Point> waits;
        std::vector<Transfer> acquires;
        std::vector<Transfer> releases;
        std::vector<BoundWork> work;
        std::vector<Point> signals;
        std::vector<std::shared_ptr<ReplayAllocator>> allocators;  // of the lists in it
    };
    struct Queue {
        QueueFamilyIndex family;
        std::uint32_t index = 0;
        std::deque<Pending> pending;
    };

    [[nodiscard]] Result<std::vector<Point>> points_of(std::span<const device::TimelinePoint> points) const;
    [[nodiscard]] Result<std::vector<Transfer>> transfers_of(
        std::span<const device::OwnershipTransfer> transfers) const;
    void use_locked(const BoundWork& bound, QueueFamilyIndex family);
    [[nodiscard]] Status check_lists_locked(std::span<const device::CommandListId> lists, device::EngineId engine);
    [[nodiscard]] Status charge_locked(const BoundWork& bound);
    [[nodiscard]] std::optional<std::size_t> pick_locked();
    void run_head_locked(Queue& queue);
    bool run_one_locked();
    void run_all_locked();
    // A call from outside: in the immediate mode everything that can run does; in the deferred mode, at times, a burst,
    // and everything while an event is awaited.
    void tick_locked();
    void signal_locked(TimelineState& state, std::uint64_t value, const char* who);

    ReplayContext& context_;
    ReplayMemory& memory_;
    ReplayResources& resources_;
    ReplayDescriptors& descriptors_;
    ReplayPipelines pipelines_;
    std::vector<device::EngineInfo> engines_;
    ReplayRecorder recorder_;
    std::vector<std::size_t> queue_of_engine_;
    std::vector<Queue> queues_;
    Random random_;
    std::condition_variable changed_;
    std::vector<Awaited> events_;  // of values that are not reached
    std::uint64_t timelines_ = 0;
};

// The engines that a backend chooses on such a device (engine_choice.hpp). A report without queue families gets one
// graphics engine.
[[nodiscard]] std::vector<device::EngineInfo> replay_engines(const model::DeviceReport& report);

}  // namespace heapwright::replay
