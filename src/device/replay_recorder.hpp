// Command allocators, recorded lists and pipelines of a replay device. A list is bound when it is recorded and runs
// when it is submitted. Messages: an allocator reset or destroyed, or a pipeline destroyed, while submitted work uses
// it; a list that is submitted after a resource of it was destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heapwright/device/command_recorder.hpp"
#include "heapwright/device/replay_resources.hpp"

namespace heapwright::device {

struct BoundWork;
class ReplayDescriptors;

struct ReplayPipeline {
    ComputeProgram program = ComputeProgram::kReadTables;
    std::uint64_t pending_uses = 0;
};

class ReplayPipelines {
public:
    [[nodiscard]] PipelineId add_locked(ComputeProgram program);
    // What it was; null when there is none.
    [[nodiscard]] std::shared_ptr<ReplayPipeline> take_locked(PipelineId pipeline);
    [[nodiscard]] std::shared_ptr<ReplayPipeline> find_locked(PipelineId pipeline) const;
    [[nodiscard]] std::uint64_t count_locked() const { return pipelines_.size(); }

private:
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayPipeline>> pipelines_;
    std::uint64_t next_id_ = 1;
};

struct ReplayAllocator {
    EngineId engine;
    std::uint64_t pending_lists = 0;
    std::vector<std::uint64_t> lists;
};

struct ReplayList {
    std::shared_ptr<ReplayAllocator> allocator;
    std::vector<BoundWork> work;
    bool is_reusable = false;
};

class ReplayRecorder final : public CommandRecorder {
public:
    ReplayRecorder(ReplayContext& context, const std::vector<EngineInfo>& engines, ReplayResources& resources,
                   ReplayDescriptors& descriptors, ReplayPipelines& pipelines);
    ~ReplayRecorder() override;

    [[nodiscard]] Result<CommandAllocatorId> create_allocator(EngineId engine) override;
    [[nodiscard]] Status reset(CommandAllocatorId allocator) override;
    void destroy(CommandAllocatorId allocator) override;
    [[nodiscard]] Result<CommandListId> record(CommandAllocatorId allocator, std::span<const Work> work) override {
        return record_list(allocator, work, false);
    }
    [[nodiscard]] Result<CommandListId> record_reusable(CommandAllocatorId allocator,
                                                        std::span<const Work> work) override {
        return record_list(allocator, work, true);
    }
    [[nodiscard]] Result<PipelineId> create_pipeline(ComputeProgram program) override;
    void destroy(PipelineId pipeline) override;

    // Null for a list that is gone, or was submitted before and is not reusable.
    [[nodiscard]] ReplayList* find_list_locked(CommandListId list);
    // A copy of a reusable one.
    [[nodiscard]] ReplayList take_list_locked(CommandListId list);
    [[nodiscard]] std::uint64_t allocator_count_locked() const { return allocators_.size(); }

private:
    [[nodiscard]] Result<CommandListId> record_list(CommandAllocatorId allocator, std::span<const Work> work,
                                                    bool is_reusable);
    void forget_lists_locked(ReplayAllocator& allocator);

    ReplayContext& context_;
    const std::vector<EngineInfo>& engines_;
    ReplayResources& resources_;
    ReplayDescriptors& descriptors_;
    ReplayPipelines& pipelines_;
    std::unordered_map<std::uint64_t, std::shared_ptr<ReplayAllocator>> allocators_;
    std::unordered_map<std::uint64_t, ReplayList> lists_;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::device
