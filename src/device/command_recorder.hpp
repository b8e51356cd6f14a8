// Command lists that are recorded apart from their submission, by several threads at once, and the allocators whose
// memory they take: ID3D12CommandAllocator and ID3D12GraphicsCommandList, VkCommandPool and VkCommandBuffer; and the
// pipelines that dispatches name. Never tracks lifetimes.
//
// Thread-safety: an allocator and its lists by one thread at a time; different allocators by different threads.
// Images: a recorded list finds every image in the state in which a Submission leaves it and leaves it so; an image's
// first use is through Submission::work.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

struct CommandAllocatorId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(CommandAllocatorId, CommandAllocatorId) = default;
};

class CommandRecorder {
public:
    virtual ~CommandRecorder() = default;

    [[nodiscard]] virtual Result<CommandAllocatorId> create_allocator(EngineId engine) = 0;

    // The memory of all its lists may be used again; the lists are gone. None of them is in submitted, unfinished work.
    [[nodiscard]] virtual Status reset(CommandAllocatorId allocator) = 0;
    virtual void destroy(CommandAllocatorId allocator) = 0;

    // The list may be submitted once. Errors: as Submitter::submit().
    [[nodiscard]] virtual Result<CommandListId> record(CommandAllocatorId allocator, std::span<const Work> work) = 0;

    // As record(); the list may be submitted again and again, each time after its last execution is over.
    [[nodiscard]] virtual Result<CommandListId> record_reusable(CommandAllocatorId, std::span<const Work>) {
        return fail(ErrorCode::kNotSupported, "command lists are submitted once here", "record_reusable");
    }

    [[nodiscard]] virtual Result<PipelineId> create_pipeline(ComputeProgram program) = 0;

    // No submitted work uses it.
    virtual void destroy(PipelineId pipeline) = 0;
};

}  // namespace heapwright::device
