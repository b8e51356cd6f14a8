// One queue of the device with all that is counted by it: its clock, the fence that the clock's numbers are signalled
// on, and the command allocators whose lists it runs.
//
// submit: the lists get the next command list number, and the fence is signalled with that number plus one, both under
//         one lock with the submission. A submission that fails took no number. After one that lost the device none is
//         tried any more, and its allocators are not used again: it may run all the same.
// Thread-safe. Errors: those of Submitter and Timeline. Ownership: the device outlives it and is idle at its end.
// Source: "Managing Resource Lifetimes" (Diligent Engine), submitting a command list.
// Beside it: the pool of command allocators.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "device/command_recorder.hpp"
#include "device/device.hpp"
#include "frame/release_point.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"

namespace heapwright::frame {

// Command allocators that are reused and never destroyed before the pool. One that a submitted list used goes to the
// end of a queue with the value of that list; a request looks at the front alone and makes a new one when the device
// has not passed it.
// Thread-safe. Errors: those of CommandRecorder. Ownership: the recorder outlives it; the device is idle at its end.
// Source: "Managing Resource Lifetimes" (Diligent Engine), command lists.

class CommandAllocatorPool {
public:
    explicit CommandAllocatorPool(device::CommandRecorder& recorder, device::EngineId engine = {})
        : recorder_(recorder), engine_(engine) {}
    ~CommandAllocatorPool();
    CommandAllocatorPool(const CommandAllocatorPool&) = delete;
    CommandAllocatorPool& operator=(const CommandAllocatorPool&) = delete;

    // Reset and ready.
    [[nodiscard]] Result<device::CommandAllocatorId> take(TimelineValue completed);
    // A list of it was submitted and is over at `last_use`.
    void give_back(device::CommandAllocatorId allocator, TimelineValue last_use);

    [[nodiscard]] std::uint64_t created_count() const;
    [[nodiscard]] std::uint64_t reused_count() const;

private:
    struct Waiting {
        device::CommandAllocatorId allocator;
        TimelineValue last_use;
    };

    device::CommandRecorder& recorder_;
    device::EngineId engine_;
    mutable std::mutex mutex_;
    suballoc::detail::FlatRing<Waiting> waiting_;
    std::vector<device::CommandAllocatorId> all_;
    std::uint64_t reused_ = 0;
};

class DeviceQueue {
public:
    // The device records command lists.
    [[nodiscard]] static Result<std::unique_ptr<DeviceQueue>> create(device::Device& device, device::EngineId engine);

    // The number of what was submitted.
    [[nodiscard]] Result<std::uint64_t> submit(std::span<const device::TimelinePoint> waits,
                                               std::span<const device::Work> work,
                                               std::span<const device::CommandListId> lists);

    // Of a list that was not submitted.
    void give_back_unsubmitted(device::CommandAllocatorId allocator);

    // Asks the fence.
    [[nodiscard]] Result<TimelineValue> poll();
    // The highest that it said.
    [[nodiscard]] TimelineValue last_completed() const {
        return TimelineValue{completed_.load(std::memory_order_acquire)};
    }

    [[nodiscard]] device::EngineId engine() const { return engine_; }
    [[nodiscard]] const CommandListClock& clock() const { return clock_; }
    [[nodiscard]] device::Timeline& fence() { return *fence_; }
    [[nodiscard]] CommandAllocatorPool& command_allocators() { return allocators_; }

private:
    DeviceQueue(device::Device& device, device::EngineId engine, std::unique_ptr<device::Timeline> fence);

    device::Device& device_;
    device::EngineId engine_;
    std::unique_ptr<device::Timeline> fence_;
    CommandAllocatorPool allocators_;
    CommandListClock clock_;
    std::mutex mutex_;
    std::optional<Error> lost_;
    std::atomic<std::uint64_t> completed_{0};
};

}  // namespace heapwright::frame
