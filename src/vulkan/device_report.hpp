// The report of one physical device: its facts, and with them the sweeps. Allocates no device memory.
#pragma once

#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// Everything but the sweeps; costs a handful of driver calls.
[[nodiscard]] model::DeviceReport read_facts(const Instance& instance, const PhysicalDevice& device,
                                             std::uint32_t device_index);

// The facts, the standard sweeps, the workload's points where `options` names one, and the time that they took.
// Errors: kInterrupted, kTimeLimit, kExhausted, and those of vkCreateDevice.
[[nodiscard]] Result<model::DeviceReport> read_report(const Instance& instance, const PhysicalDevice& device,
                                                      std::uint32_t device_index, const device::ReadOptions& options);

}  // namespace heapwright::vulkan
