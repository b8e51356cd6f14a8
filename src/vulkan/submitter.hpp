// device::Submitter on Vulkan. One queue an engine; every submission is a command buffer for its own work, then its
// lists, and signals the caller's timelines, then the engine's own; what it releases after lists has a second one.
//
// Buffers and images are shared between the queue families (concurrent sharing) and need no ownership moves, but for
// those that ResourceBinder::create_exclusive made: submissions hand these over as they are told. An image's layout is
// tracked in the order of submit() calls: submit work on one image in the order in which it is to run, also when it
// runs on several engines. submit() of different engines may come from different threads; a lock serialises their
// recording.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/submitter.hpp"
#include "vulkan/command_recorder.hpp"
#include "vulkan/command_recycler.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/ownership_transfer.hpp"
#include "vulkan/resource_binder.hpp"
#include "vulkan/timestamps.hpp"
#include "vulkan/work_plan.hpp"

namespace heapwright::vulkan {

class Submitter final : public device::Submitter {
public:
    [[nodiscard]] static Result<std::unique_ptr<Submitter>> create(const OpenDevice& context,
                                                                   const WorkObjects& objects,
                                                                   CommandRecorder& recorder, Timestamps& timestamps);
    Submitter(const Submitter&) = delete;
    Submitter& operator=(const Submitter&) = delete;
    // Waits until all work is done.
    ~Submitter() override;

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return infos_; }
    // The queues always do; a validation layer may not.
    [[nodiscard]] bool accepts_early_waits() const override {
        return engines_.size() == 1 || context_.instance->follows_early_waits();
    }
    [[nodiscard]] Status submit(const device::Submission& submission) override;
    [[nodiscard]] Status wait_idle() override;

    // Command buffers that were ever made, all engines together.
    [[nodiscard]] std::size_t command_buffers() const;

private:
    struct Engine {
        const DeviceQueue* queue = nullptr;
        std::shared_ptr<TimelineSemaphore> timeline;
        std::uint64_t submitted = 0;  // last value queued on `timeline`
        CommandRecycler recycler;
    };

    Submitter(const OpenDevice& context, const WorkObjects& objects, CommandRecorder& recorder, Timestamps& timestamps)
        : context_(context), objects_(objects), recorder_(recorder), timestamps_(timestamps) {}

    [[nodiscard]] Status make_room(Engine& engine);
    // Acquires, then the plan's work, between timestamps where there is a pool for them, then releases. No slot where
    // there is nothing of these.
    [[nodiscard]] Result<CommandSlot> record(Engine& engine, const TransferBarriers& acquires, const WorkPlan& plan,
                                             VkQueryPool timestamps, const TransferBarriers& releases);
    [[nodiscard]] Result<std::shared_ptr<TimelineSemaphore>> semaphore_of(const device::TimelinePoint& point) const;
    [[nodiscard]] Result<std::vector<RecordedList*>> lists_of(const Engine& engine,
                                                              const device::Submission& submission);
    // `before` and `after` stand around the lists; either may have no slot.
    [[nodiscard]] Status queue(Engine& engine, const device::Submission& submission, CommandSlot before,
                               std::span<RecordedList* const> lists, CommandSlot after);

    const OpenDevice& context_;
    WorkObjects objects_;
    CommandRecorder& recorder_;
    Timestamps& timestamps_;
    std::vector<device::EngineInfo> infos_;
    std::vector<Engine> engines_;
    mutable std::mutex mutex_;
};

}  // namespace heapwright::vulkan
