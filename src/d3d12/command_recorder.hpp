// device::CommandRecorder on Direct3D 12: an ID3D12CommandAllocator with the lists recorded from it, each with its own
// scratch memory. Thread-safety: the seam's; a list is submitted by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "d3d12/command_slot.hpp"
#include "d3d12/work_recorder.hpp"
#include "device/command_recorder.hpp"
#include "device/engine_choice.hpp"
#include "device/slot_map.hpp"

namespace heapwright::d3d12 {

struct RecordedList {
    std::size_t engine = 0;
    CommandSlot* slot = nullptr;  // the allocator's
    std::vector<device::ResourceId> freshly_used;
    bool is_reusable = false;
    bool is_submitted = false;  // and not reusable; guarded by the Submitter
};

class CommandRecorder final : public device::CommandRecorder {
public:
    CommandRecorder(const OpenDevice& context, const WorkObjects& objects) : context_(context), objects_(objects) {}
    CommandRecorder(const CommandRecorder&) = delete;
    CommandRecorder& operator=(const CommandRecorder&) = delete;

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
    // Command lists that were ever made.
    [[nodiscard]] std::size_t command_lists() const { return made_.load(); }

private:
    struct Allocator {
        std::size_t engine = 0;
        Com<ID3D12CommandAllocator> handle;
        std::vector<std::unique_ptr<CommandSlot>> slots;
        std::size_t used = 0;              // of `slots`
        std::vector<std::uint64_t> lists;  // ids
    };

    [[nodiscard]] Result<device::CommandListId> record_list(device::CommandAllocatorId id,
                                                            std::span<const device::Work> work, bool is_reusable);
    // In the recording state.
    [[nodiscard]] Result<CommandSlot*> begin(Allocator& allocator);
    void drop_lists(Allocator& allocator);

    const OpenDevice& context_;
    WorkObjects objects_;
    const std::array<device::EngineInfo, device::kDirect3d12EngineCount> engines_ = device::direct3d12_engines();
    device::SlotMap<Allocator> allocators_;
    device::SlotMap<RecordedList> lists_;
    std::atomic<std::size_t> made_{0};
};

}  // namespace heapwright::d3d12
