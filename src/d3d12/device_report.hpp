// The report of one device: its facts, and with them the sweeps. Allocates no device memory but descriptor heaps.
#pragma once

#include "d3d12/adapter.hpp"
#include "d3d12/memory_layout.hpp"
#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// Identity, heaps, memory types, queues, features and limits; without the search for the largest descriptor heaps.
// A heap whose size nothing tells has the finding "zero-size-heap" and its pointer in `absent`.
[[nodiscard]] model::DeviceReport read_facts(const Adapter& adapter, ID3D12Device* device, const MemoryLayout& layout,
                                             std::uint32_t device_index);

// The facts, the descriptor heaps, the standard sweeps, and the workload's points where `options` names one.
// Errors: kInterrupted, kTimeLimit, kExhausted, those of D3D12CreateDevice.
[[nodiscard]] Result<model::DeviceReport> read_report(Adapter& adapter, std::uint32_t device_index,
                                                      const device::ReadOptions& options);

}  // namespace heapwright::d3d12
