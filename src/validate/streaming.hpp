// The scenario "streaming": an open world whose cells come and go as groups of resources while the camera moves. A cell
// behind is released at once; the one ahead is loaded over the next frames within an upload budget of bytes a frame.
// What a frame costs the allocator at worst is in the result's worst_frame_ns.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::validate {

// Errors as validate().
[[nodiscard]] Result<model::ScenarioResult> run_streaming(device::Device& device, const model::DevicePolicy& policy,
                                                          const model::Workload& workload,
                                                          const ValidateOptions& options);

}  // namespace heapwright::validate
