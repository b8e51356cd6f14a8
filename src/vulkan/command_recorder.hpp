// device::CommandRecorder on Vulkan: an allocator is a VkCommandPool with an arena for what its lists keep.
// Thread-safety: the seam's; a list is submitted by any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "device/command_recorder.hpp"
#include "device/slot_map.hpp"
#include "vulkan/dispatch_recorder.hpp"

namespace heapwright::vulkan {

struct RecordedList {
    std::uint32_t queue_family = 0;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::vector<device::ResourceId> resources;
    bool is_reusable = false;
    bool is_submitted = false;  // and not reusable; guarded by the Submitter
};

class CommandRecorder final : public device::CommandRecorder {
public:
    CommandRecorder(const OpenDevice& context, const WorkObjects& objects) : context_(context), objects_(objects) {}
    CommandRecorder(const CommandRecorder&) = delete;
    CommandRecorder& operator=(const CommandRecorder&) = delete;
    // No submitted work runs any more.
    ~CommandRecorder() override;

    [[nodiscard]] Result<device::CommandAllocatorId> create_allocator(device::EngineId engine) override;
    [[nodiscard]] Status reset(device::CommandAllocatorId allocator) override;
    void destroy(device::CommandAllocatorId allocator) override;
    [[nodiscard]] Result<device::CommandListId> record(device::CommandAllocatorId allocator,
                                                       std::span<const device::Work> work) override {
        return record_list(allocator, work, false);
    }
    [[nodiscard]] Result<device::CommandListId> record_reusable(device::CommandAllocatorId allocator,
                                                                std::span<const device::Work> work) override {
        return record_list(allocator, work, true);
    }
    [[nodiscard]] Result<device::PipelineId> create_pipeline(device::ComputeProgram program) override {
        return objects_.pipelines.create(program);
    }
    void destroy(device::PipelineId pipeline) override { objects_.pipelines.destroy(pipeline); }

    // Null for an id that is not live.
    [[nodiscard]] RecordedList* find(device::CommandListId list) { return lists_.find(list.value); }
    [[nodiscard]] std::size_t live_allocators() const { return allocators_.size(); }
    // Command buffers that were ever made.
    [[nodiscard]] std::size_t command_buffers() const { return made_.load(); }

private:
    struct Allocator {
        const DeviceQueue* queue = nullptr;
        VkCommandPool pool = VK_NULL_HANDLE;
        std::unique_ptr<RecordingArena> arena;
        std::vector<VkCommandBuffer> buffers;
        std::size_t used = 0;              // of `buffers`
        std::vector<std::uint64_t> lists;  // ids
    };

    [[nodiscard]] Result<device::CommandListId> record_list(device::CommandAllocatorId id,
                                                            std::span<const device::Work> work, bool is_reusable);
    [[nodiscard]] Result<VkCommandBuffer> begin(Allocator& allocator, bool is_reusable);
    void drop_lists(Allocator& allocator);

    const OpenDevice& context_;
    WorkObjects objects_;
    device::SlotMap<Allocator> allocators_;
    device::SlotMap<RecordedList> lists_;
    std::atomic<std::size_t> made_{0};
};

}  // namespace heapwright::vulkan
