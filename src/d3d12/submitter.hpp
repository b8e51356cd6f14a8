// device::Submitter on Direct3D 12: the queues of device::direct3d12_engines(). Every submission is a command list for
// its own work, then its lists, and signals the engine's own fence beside the caller's.
//
// Where queues cannot be trusted with waits (Adapter::needs_host_waits()) a submission is held back here until the host
// has seen all it waits for; what an earlier submission of the same engine signals needs no wait. Held submissions are
// released by every later call on the submitter or a timeline, by wait() while it waits.
// submit() of different engines may come from different threads; a lock serialises their recording.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "d3d12/command_recorder.hpp"
#include "d3d12/command_slot.hpp"
#include "d3d12/completion_waiter.hpp"
#include "d3d12/device.hpp"
#include "d3d12/resource_binder.hpp"
#include "d3d12/timeline.hpp"
#include "d3d12/timestamps.hpp"
#include "device/submitter.hpp"

namespace heapwright::d3d12 {

class Submitter final : public device::Submitter, public HeldWork {
public:
    [[nodiscard]] static Result<std::unique_ptr<Submitter>> create(const OpenDevice& context,
                                                                   const WorkObjects& objects,
                                                                   CommandRecorder& recorder, Timestamps& timestamps,
                                                                   CompletionWaiter& waiter);
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;
    // Waits until the work is done that can be done; a submission that waits for a signal nobody gave is dropped. Stops
    // the waiter then.
    ~Submitter() override;

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return infos_; }
    [[nodiscard]] bool accepts_early_waits() const override { return !context_.host_waits; }
    [[nodiscard]] Status submit(const device::Submission& submission) override;
    [[nodiscard]] Status wait_idle() override;

    [[nodiscard]] Status release_ready() override;
    [[nodiscard]] Status watch_submitted() override;

    // Command lists that were ever made, all engines together.
    [[nodiscard]] std::size_t command_lists() const;

private:
    struct Point {
        std::shared_ptr<Fence> fence;
        std::uint64_t value = 0;
    };
    // A fence with at most one signal on its way, whose value therefore never falls.
    struct DoneFence {
        Com<ID3D12Fence> fence;
        std::uint64_t value = 0;
    };
    struct Submitted {
        std::uint64_t engine_value = 0;
        DoneFence done;                                     // where the host keeps the fences' values
        std::unique_ptr<CommandSlot> slot;                  // null without work
        std::vector<Com<ID3D12GraphicsCommandList>> lists;  // of the caller, run after the slot's
        std::vector<Point> waits;
        std::vector<Point> signals;
    };
    struct Engine {
        Com<ID3D12CommandQueue> queue;
        std::shared_ptr<Fence> fence;
        std::uint64_t submitted = 0;  // last value that a submission of submit() will signal
        CommandRecycler recycler;
        std::deque<Submitted> held;
        std::deque<Submitted> in_flight;  // on the queue
        // On the queue, but a failed signal leaves nothing to see its end by: kept until all else has ended.
        std::vector<Submitted> unseen;
        std::vector<DoneFence> idle_fences;
    };

    Submitter(const OpenDevice& context, const WorkObjects& objects, CommandRecorder& recorder, Timestamps& timestamps,
              CompletionWaiter& waiter)
        : context_(context), objects_(objects), recorder_(recorder), timestamps_(timestamps), waiter_(waiter) {}

    [[nodiscard]] Status make_room(Engine& engine);
    [[nodiscard]] Status reclaim(Engine& engine);
    // Waits for what is on the queue after something failed, where no value tells of it: by one more signal.
    void drain(Engine& engine);
    // Submits nothing any more. From here every wait fails, and callers free what they used: so the queues end first.
    [[nodiscard]] Status give_up(Error error);
    // The host keeps the fences' values: raises those of submissions that are done.
    void raise_fences(Engine& engine);
    // A fence at the value that the next signal gives it.
    [[nodiscard]] Result<DoneFence> take_fence(Engine& engine);
    [[nodiscard]] Status signal(std::size_t index, const Submitted& submitted);
    [[nodiscard]] Result<std::vector<Point>> points_of(std::span<const device::TimelinePoint> points) const;
    [[nodiscard]] Result<std::unique_ptr<CommandSlot>> record(Engine& engine, const device::Submission& submission,
                                                              std::vector<device::ResourceId>& freshly_used);
    [[nodiscard]] Result<std::vector<RecordedList*>> lists_of(const device::Submission& submission) const;
    [[nodiscard]] Result<bool> is_ready(std::size_t engine, const Submitted& submitted) const;
    [[nodiscard]] Status execute(std::size_t engine, Submitted submitted);
    [[nodiscard]] Status release_locked();

    const OpenDevice& context_;
    WorkObjects objects_;
    CommandRecorder& recorder_;
    Timestamps& timestamps_;
    CompletionWaiter& waiter_;
    std::vector<device::EngineInfo> infos_;
    std::vector<Engine> engines_;
    std::optional<Error> broken_;  // the first failure of a queue; nothing is submitted after it
    mutable std::mutex mutex_;
};

}  // namespace heapwright::d3d12
