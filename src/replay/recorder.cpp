#include "replay/recorder.hpp"

#include <utility>

#include <fmt/format.h>

#include "replay/work.hpp"

namespace heapwright::replay {

device::PipelineId ReplayPipelines::add_locked(device::ComputeProgram program) {
    pipelines_.emplace(next_id_, std::make_shared<ReplayPipeline>(ReplayPipeline{.program = program}));
    return device::PipelineId{next_id_++};
}

std::shared_ptr<ReplayPipeline> ReplayPipelines::take_locked(device::PipelineId pipeline) {
    auto found = find_locked(pipeline);
    pipelines_.erase(pipeline.value);
    return found;
}

std::shared_ptr<ReplayPipeline> ReplayPipelines::find_locked(device::PipelineId pipeline) const {
    const auto found = pipelines_.find(pipeline.value);
    return found == pipelines_.end() ? nullptr : found->second;
}

ReplayRecorder::ReplayRecorder(ReplayContext& context, const std::vector<device::EngineInfo>& engines,
                               ReplayResources& resources, ReplayDescriptors& descriptors, ReplayPipelines& pipelines)
    : context_(context), engines_(engines), resources_(resources), descriptors_(descriptors), pipelines_(pipelines) {}

ReplayRecorder::~ReplayRecorder() = default;

Result<device::CommandAllocatorId> ReplayRecorder::create_allocator(device::EngineId engine) {
    const std::scoped_lock lock(context_.mutex);
    if (engine.value >= engines_.size()) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "no such engine",
                     .where = "create_allocator",
                     .value = engine.value,
                     .limit = engines_.size() - 1});
    }
    allocators_.emplace(next_id_, std::make_shared<ReplayAllocator>(ReplayAllocator{.engine = engine}));
    return device::CommandAllocatorId{next_id_++};
}

void ReplayRecorder::forget_lists_locked(ReplayAllocator& allocator) {
    for (const std::uint64_t list : allocator.lists) lists_.erase(list);
    allocator.lists.clear();
}

Status ReplayRecorder::reset(device::CommandAllocatorId allocator) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = allocators_.find(allocator.value);
    if (found == allocators_.end())
        return fail(ErrorCode::kInvalidArgument, fmt::format("no command allocator {}", allocator.value), "reset");
    if (found->second->pending_lists != 0) {
        context_.message_locked(fmt::format("reset: {} lists of command allocator {} are pending",
                                            found->second->pending_lists, allocator.value));
    }
    forget_lists_locked(*found->second);
    return {};
}

void ReplayRecorder::destroy(device::CommandAllocatorId allocator) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = allocators_.find(allocator.value);
    if (found == allocators_.end()) {
        context_.message_locked(fmt::format("destroy: no command allocator {}", allocator.value));
        return;
    }
    if (found->second->pending_lists != 0) {
        context_.message_locked(fmt::format("destroy: {} lists of command allocator {} are pending",
                                            found->second->pending_lists, allocator.value));
    }
    forget_lists_locked(*found->second);
    allocators_.erase(found);
}

Result<device::CommandListId> ReplayRecorder::record_list(device::CommandAllocatorId allocator,
                                                          std::span<const device::Work> work, bool is_reusable) {
    const std::scoped_lock lock(context_.mutex);
    const auto found = allocators_.find(allocator.value);
    if (found == allocators_.end())
        return fail(ErrorCode::kInvalidArgument, fmt::format("no command allocator {}", allocator.value), "record");
    ReplayList list{.allocator = found->second, .work = {}, .is_reusable = is_reusable};
    const device::EngineKind kind = engines_[found->second->engine.value].kind;
    for (const device::Work& item : work) {
        HEAPWRIGHT_ASSIGN(auto bound, bind_work(item, kind, resources_, descriptors_, pipelines_));
        list.work.push_back(std::move(bound));
    }
    found->second->lists.push_back(next_id_);
    lists_.emplace(next_id_, std::move(list));
    return device::CommandListId{next_id_++};
}

Result<device::PipelineId> ReplayRecorder::create_pipeline(device::ComputeProgram program) {
    const std::scoped_lock lock(context_.mutex);
    return pipelines_.add_locked(program);
}

void ReplayRecorder::destroy(device::PipelineId pipeline) {
    const std::scoped_lock lock(context_.mutex);
    const auto taken = pipelines_.take_locked(pipeline);
    if (!taken) {
        context_.message_locked(fmt::format("destroy: no pipeline {}", pipeline.value));
    } else if (taken->pending_uses != 0) {
        context_.message_locked(
            fmt::format("destroy: {} pending dispatches still use pipeline {}", taken->pending_uses, pipeline.value));
    }
}

ReplayList* ReplayRecorder::find_list_locked(device::CommandListId list) {
    const auto found = lists_.find(list.value);
    return found == lists_.end() ? nullptr : &found->second;
}

ReplayList ReplayRecorder::take_list_locked(device::CommandListId list) {
    const auto found = lists_.find(list.value);
    if (found->second.is_reusable) return found->second;
    ReplayList taken = std::move(found->second);
    lists_.erase(found);
    return taken;
}

}  // namespace heapwright::replay
