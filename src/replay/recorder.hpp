// Command allocators, recorded lists and pipelines of a replay device. A list is bound when it is recorded and runs
// when it is submitted. Messages: an allocator reset or destroyed, or a pipeline destroyed, while submitted work uses
// it; a list that is submitted after a resource of it was destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/command_recorder.hpp"
#include "replay/resources.hpp"

namespace heapwright::replay {

struct BoundWork;
class ReplayDescriptors;

struct ReplayPipeline {
    device::ComputeProgram program = device::ComputeProgram::kReadTables;
    std::uint64_t pending_uses = 0;
};

class ReplayPipelines {
public:
    [[nodiscard]] device::PipelineId add_locked(device::ComputeProgram program);
    // What it was; null when there is none.
    [[nodiscard]] std::shared_ptr<ReplayPipeline> take_locked(device::PipelineId pipeline);
    [[nodiscard]] std::shared_ptr<ReplayPipeline> find_locked(device::PipelineId pipeline) const;
    [[nodiscard]] std::uint64_t count_locked() const { return pipelines_.size(); }

private:
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayPipeline>> pipelines_;
    std::uint64_t next_id_ = 1;
};

struct ReplayAllocator {
    device::EngineId engine;
    std::uint64_t pending_lists = 0;
    std::vector<std::uint64_t> lists;
};

struct ReplayList {
    std::shared_ptr<ReplayAllocator> allocator;
    std::vector<BoundWork> work;
    bool is_reusable = false;
};

class ReplayRecorder final : public device::CommandRecorder {
public:
    ReplayRecorder(ReplayContext& context, const std::vector<device::EngineInfo>& engines, ReplayResources& resources,
                   ReplayDescriptors& descriptors, ReplayPipelines& pipelines);
    ~ReplayRecorder() override;

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
    [[nodiscard]] Result<device::PipelineId> create_pipeline(device::ComputeProgram program) override;
    void destroy(device::PipelineId pipeline) override;

    // Null for a list that is gone, or was submitted before and is not reusable.
    [[nodiscard]] ReplayList* find_list_locked(device::CommandListId list);
    // A copy of a reusable one.
    [[nodiscard]] ReplayList take_list_locked(device::CommandListId list);
    [[nodiscard]] std::uint64_t allocator_count_locked() const { return allocators_.size(); }

private:
    [[nodiscard]] Result<device::CommandListId> record_list(device::CommandAllocatorId allocator,
                                                            std::span<const device::Work> work, bool is_reusable);
    void forget_lists_locked(ReplayAllocator& allocator);

    ReplayContext& context_;
    const std::vector<device::EngineInfo>& engines_;
    ReplayResources& resources_;
    ReplayDescriptors& descriptors_;
    ReplayPipelines& pipelines_;
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayAllocator>> allocators_;
    std::unordered_map<std::uint64_t, ReplayList> lists_;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::replay
