// Descriptor heaps as the device has them: the increment of each type, and how large a heap of each type can be made.
//
// The search creates heaps of rising size and releases each at once: twice as many descriptors from the documented
// limit on until creation fails, then between the last two. It stops at 2^20 views, 2^16 of the other
// types, or where a heap would hold kMostDescriptorBytes; a type that never failed is "not enforced up to N", the
// finding "descriptor-heap-limit-not-enforced".
#pragma once

#include <cstdint>

#include "d3d12/api.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

inline constexpr std::uint64_t kMostDescriptorBytes = 64ull << 20;

// Adds limits of the groups "ID3D12Device::GetDescriptorHandleIncrementSize" and "ID3D12Device::CreateDescriptorHeap",
// the latter named TYPE (largest that was created) and "TYPE refused" where one was.
void read_descriptor_facts(ID3D12Device* device, model::DeviceReport& report);

}  // namespace heapwright::d3d12
