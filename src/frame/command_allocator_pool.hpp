// Command allocators that are reused and never destroyed before the pool. One that a submitted list used goes to the
// end of a queue with the value of that list; a request looks at the front alone and makes a new one when the device
// has not passed it.
// Thread-safe. Errors: those of CommandRecorder. Ownership: the recorder outlives it; the device is idle at its end.
// Source: "Managing Resource Lifetimes" (Diligent Engine), command lists.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "device/command_recorder.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"

namespace heapwright::frame {

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

}  // namespace heapwright::frame
