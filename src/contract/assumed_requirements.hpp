// What is assumed that a driver asks for a resource where a report holds no sweep, as an import does: packed bytes,
// rounded up, and every memory type that holds its class. Advice and replay assume alike. Pure and thread-safe.
//   images                  the common page of 64 KiB
//   buffers of Vulkan       the largest offset alignment that it lets a buffer need (Vulkan 1.3, table "Required
//                           Limits": 256)
//   buffers of Direct3D 12  64 KiB on every adapter (ID3D12Device::GetResourceAllocationInfo, remarks)
#pragma once

#include <cstdint>

#include "heapwright/model/report.hpp"

namespace heapwright::contract {

inline constexpr std::uint64_t kAssumedImageAlignment = 65536;
[[nodiscard]] std::uint64_t assumed_buffer_alignment(const model::DeviceReport& device);

[[nodiscard]] model::MemoryRequirements assumed_requirements(const model::DeviceReport& device,
                                                             const model::ResourceDescription& resource);

}  // namespace heapwright::contract
