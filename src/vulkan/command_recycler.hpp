// The command buffers of one engine, used again when the engine's own timeline passed the submission that held them.
// A submission also keeps the semaphores that it waits for and signals alive until then.
// Not thread-safe: the Submitter's lock guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/recording_arena.hpp"
#include "vulkan/timeline.hpp"

namespace heapwright::vulkan {

// A pool with one command buffer: resetting the pool is the cheapest way to use the buffer again.
struct CommandSlot {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    RecordingArena* arena = nullptr;  // the recycler's
};

class CommandRecycler {
public:
    CommandRecycler(const OpenDevice& context, QueueFamilyIndex family) : context_(&context), family_(family) {}
    CommandRecycler(CommandRecycler&& other) noexcept = default;
    CommandRecycler& operator=(CommandRecycler&&) = delete;
    CommandRecycler(const CommandRecycler&) = delete;
    CommandRecycler& operator=(const CommandRecycler&) = delete;
    // No submission of the engine runs any more.
    ~CommandRecycler();

    // A slot in the recording state.
    [[nodiscard]] Result<CommandSlot> begin();
    void give_back(CommandSlot slot);

    // Until the engine's timeline reaches `value`. A submission without work has no slot.
    void hold(std::uint64_t value, CommandSlot slot, std::vector<std::shared_ptr<TimelineSemaphore>> semaphores);
    void reclaim(std::uint64_t completed_value);

    [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }
    [[nodiscard]] std::size_t slots() const { return pools_.size(); }

private:
    struct InFlight {
        std::uint64_t value = 0;
        CommandSlot slot;
        std::vector<std::shared_ptr<TimelineSemaphore>> semaphores;
    };

    [[nodiscard]] Result<CommandSlot> create();

    const OpenDevice* context_;
    QueueFamilyIndex family_;
    std::vector<VkCommandPool> pools_;
    std::vector<std::unique_ptr<RecordingArena>> arenas_;  // one for each pool
    std::vector<CommandSlot> idle_;
    std::deque<InFlight> in_flight_;  // ascending values
};

}  // namespace heapwright::vulkan
