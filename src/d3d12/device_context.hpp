// What the parts of an opened device share. Read-only after creation and so thread-safe.
#pragma once

#include "heapwright/d3d12/adapter.hpp"
#include "heapwright/d3d12/allocation_query.hpp"
#include "heapwright/d3d12/com.hpp"
#include "heapwright/d3d12/format_support.hpp"
#include "heapwright/d3d12/memory_layout.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

struct DeviceContext {
    DeviceContext(Adapter& of, Com<ID3D12Device> created, std::uint32_t device_index);
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    // kDeviceLost with the reason once the device was removed.
    [[nodiscard]] Status check_alive() const;

    Adapter& adapter;
    Com<ID3D12Device> device;
    MemoryLayout layout;
    model::DeviceReport facts;  // no sweep
    mutable FormatSupport support;
    mutable AllocationQuery query;
    bool host_waits;      // see Adapter::needs_host_waits()
    bool copies_stencil;  // see Adapter::copies_stencil()
    std::string table_objection;
};

}  // namespace heapwright::d3d12
