// The scenarios of memory: each plays operations against an allocator and checks every byte. Errors as validate().
#pragma once

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

// Names of scenarios, beside model::kMixedWorkload.
inline constexpr std::string_view kStreaming = "streaming";
inline constexpr std::string_view kDefragmentation = "defragmentation";

// The scenario "mixed-workload": a seeded load of images and buffers, then churn in frames with several in flight.
// Each resource is created by the allocator under test, filled by the device, and read back at random times, at
// destruction for a share of them, and all of what is alive at the end; it is poisoned before its release where that
// is cheap, so that stale bytes show.
[[nodiscard]] Result<model::ScenarioResult> run_mixed_workload(device::Device& device,
                                                               const model::DevicePolicy& policy,
                                                               const model::Workload& workload,
                                                               const ValidateOptions& options);

// The scenario "streaming": an open world whose cells come and go as groups of resources while the camera moves. A cell
// behind is released at once; the one ahead is loaded over the next frames within an upload budget of bytes a frame.
// What a frame costs the allocator at worst is in the result's worst_frame_ns.
[[nodiscard]] Result<model::ScenarioResult> run_streaming(device::Device& device, const model::DevicePolicy& policy,
                                                          const model::Workload& workload,
                                                          const ValidateOptions& options);

// The scenario "defragmentation": resources are created and filled, most are released at random, and what is left is
// moved together a little every frame, within a budget of bytes and moves, by the runtime's defragmenter. Every byte is
// checked before, right after each move, and at the end; the shadow checker judges every placement.
// Runs the memory pool itself: no other allocator under test can move resources. All resources are in device memory.
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
