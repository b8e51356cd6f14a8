// The project's compute programs as host code on shadow bytes: descriptors are read when the dispatch runs, as on a
// device, so that one that was rewritten too early shows in the words that the program writes.
// All functions want the context's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/submitter.hpp"
#include "replay/descriptors.hpp"
#include "replay/recorder.hpp"

namespace heapwright::replay {

// A dispatch with what it names, all of it alive when it was bound.
struct BoundDispatch {
    device::DispatchTables tables;
    device::ComputeProgram program = device::ComputeProgram::kReadTables;
    std::shared_ptr<ReplayPipeline> pipeline;
    std::shared_ptr<ReplayDescriptorHeap> resource_heap;
    std::shared_ptr<ReplayDescriptorHeap> sampler_heap;  // null: the static sampler
    std::vector<std::shared_ptr<ReplayResource>> reads;
    std::vector<std::shared_ptr<ReplayResource>> writes;
};

// Errors: kInvalidArgument for a pipeline, a heap, a table or a resource that is not there.
[[nodiscard]] Result<std::shared_ptr<BoundDispatch>> bind_dispatch(const device::DispatchTables& tables,
                                                                   const ReplayResources& resources,
                                                                   const ReplayDescriptors& descriptors,
                                                                   const ReplayPipelines& pipelines);

// Around the time in which the dispatch is submitted and not over.
void begin_pending(BoundDispatch& dispatch);
void end_pending(BoundDispatch& dispatch);

void run_dispatch(const BoundDispatch& dispatch, ReplayContext& context);

}  // namespace heapwright::replay
