// How the device of a report keeps shader-visible descriptors: the report's facts as device::DescriptorAbilities, and
// the plan that the Vulkan backend makes of the same ones. So a replay holds a heap to the limits that opening the
// device would set, and to no other. Pure.
#pragma once

#include <optional>

#include "device/descriptor_form.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::replay {

// Empty where the report says too little: Direct3D 12, or one that was asked for no features.
[[nodiscard]] std::optional<device::DescriptorPlan> stated_descriptor_plan(const model::DeviceReport& report);

}  // namespace heapwright::replay
