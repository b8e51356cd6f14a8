// The Vulkan devices of this machine as a CapabilitySource.
#pragma once

#include <memory>

#include "heapwright/core/result.hpp"
#include "heapwright/device/capability_source.hpp"
#include "heapwright/vulkan/instance_options.hpp"

namespace heapwright::vulkan {

// Owns the instance; outlives the devices that it opens. Without a device adapters() is empty.
// With options.validation_layers every opened device is validated; without, open() refuses a request to validate.
// Errors: those of Instance::create().
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(
    const InstanceOptions& options);

}  // namespace heapwright::vulkan
