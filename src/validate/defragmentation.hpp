// The scenario "defragmentation": resources are created and filled, most are released at random, and what is left is
// moved together a little every frame, within a budget of bytes and moves, by the runtime's defragmenter. Every byte is
// checked before, right after each move, and at the end; the shadow checker judges every placement.
// Runs the memory pool itself: no other allocator under test can move resources. All resources are in device memory.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::validate {

// Errors as validate().
[[nodiscard]] Result<model::ScenarioResult> run_defragmentation(device::Device& device,
                                                                const model::DevicePolicy& policy,
                                                                const model::Workload& workload,
                                                                const ValidateOptions& options);

// The same moved in the order of size instead, the largest to the first chunk: a baseline beside it.
[[nodiscard]] Result<model::ScenarioResult> run_defragmentation_by_size(device::Device& device,
                                                                        const model::DevicePolicy& policy,
                                                                        const model::Workload& workload,
                                                                        const ValidateOptions& options);

}  // namespace heapwright::validate
