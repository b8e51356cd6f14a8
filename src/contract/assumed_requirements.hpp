// What is assumed that a driver asks for a resource where a report holds no sweep, as an import does: packed bytes,
// rounded up to the common page of 64 KiB for images and to the largest offset alignment that the specification lets a
// buffer need (Vulkan 1.3, table "Required Limits": 256), and every memory type that holds its class. Advice and replay
// assume alike. Pure and thread-safe.
#pragma once

#include <cstdint>

#include "heapwright/model/report.hpp"

namespace heapwright::contract {

inline constexpr std::uint64_t kAssumedImageAlignment = 65536;
inline constexpr std::uint64_t kAssumedBufferAlignment = 256;

[[nodiscard]] model::MemoryRequirements assumed_requirements(const model::DeviceReport& device,
                                                             const model::ResourceDescription& resource);

}  // namespace heapwright::contract
