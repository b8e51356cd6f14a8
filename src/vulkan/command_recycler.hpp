// The command buffers of one engine, used again when the engine's own timeline passed the submission that held them.
// A submission also keeps the semaphores that it waits for and signals alive until then.
// Not thread-safe: the Submitter's lock guards it.
// Beside it: what recorded commands keep until they are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/timeline.hpp"

namespace heapwright::vulkan {

// What recorded commands keep until they are done: small descriptor sets, and objects that must not end before.
// One for each command allocator; one thread at a time.

class RecordingArena {
public:
    explicit RecordingArena(const OpenDevice& context) : context_(context) {}
    RecordingArena(const RecordingArena&) = delete;
    RecordingArena& operator=(const RecordingArena&) = delete;
    ~RecordingArena();

    // A set of one of the layouts for tables. Errors: the driver's own.
    [[nodiscard]] Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout);

    void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }

    // The commands are done: sets are used again, objects let go.
    void reset();

private:
    [[nodiscard]] Status add_pool();

    const OpenDevice& context_;
    std::vector<VkDescriptorPool> pools_;
    std::size_t current_ = 0;
    std::vector<std::shared_ptr<const void>> kept_;
};

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
