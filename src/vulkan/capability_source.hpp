// The Vulkan devices of this machine as a CapabilitySource.
#pragma once

#include <memory>

#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"
#include "vulkan/instance_options.hpp"

namespace heapwright::vulkan {

// Owns the instance; outlives the devices that it opens. Without a device adapters() is empty.
// The loader unloads drivers with the process's last source, and not every driver bears that often (NVIDIA's 580.159
// refuses instances after some 28 times): who opens devices again and again keeps a source.
// With options.validation_layers every opened device is validated; without, open() refuses a request to validate.
// Errors: those of Instance::create().
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(
    const InstanceOptions& options);

}  // namespace heapwright::vulkan
