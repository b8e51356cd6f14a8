// Opens a Direct3D 12 device behind the seams of src/device. Several may be open at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "d3d12/adapter.hpp"
#include "d3d12/allocation_query.hpp"
#include "d3d12/com.hpp"
#include "d3d12/format_support.hpp"
#include "d3d12/memory_layout.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// The adapter outlives the device. Errors: those of D3D12CreateDevice, CreateCommandQueue and CreateFence.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_device(Adapter& adapter, std::uint32_t device_index);

struct LiveObjects {
    std::size_t source_allocations = 0;  // by device::MemorySource::allocate
    std::size_t resources = 0;
    std::size_t command_lists = 0;  // ever made; they are used again
    std::size_t descriptor_heaps = 0;
    std::size_t command_allocators = 0;
    std::size_t pipelines = 0;

    friend bool operator==(const LiveObjects&, const LiveObjects&) = default;
};

// Nothing when `device` was not opened by open_device().
[[nodiscard]] std::optional<LiveObjects> live_objects(const device::Device& device);

// What the parts of an opened device share: the ID3D12Device, how its memory is laid out, its facts, and what it turned
// out to support. Thread-safe: nothing changes after creation but the answers that `support` and `query` keep, under
// locks of their own. Owns the ID3D12Device; the Adapter outlives it and stays where it is.

struct OpenDevice {
    OpenDevice(Adapter& of, Com<ID3D12Device> created, std::uint32_t device_index);
    OpenDevice(const OpenDevice&) = delete;
    OpenDevice& operator=(const OpenDevice&) = delete;

    // kDeviceLost with the reason once the device was removed.
    [[nodiscard]] Status check_alive() const;

    Adapter& adapter;
    Com<ID3D12Device> device;
    MemoryLayout layout;
    model::DeviceReport facts;      // no sweep
    mutable FormatSupport support;  // which formats, samples and layouts; asked for once
    mutable AllocationQuery query;  // what resources take; asked for once
    bool host_waits;                // see Adapter::needs_host_waits()
    bool copies_stencil;            // see Adapter::copies_stencil()
    std::string table_objection;    // see Adapter::table_objection()
};

}  // namespace heapwright::d3d12
