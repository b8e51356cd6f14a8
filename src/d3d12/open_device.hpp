// What the parts of an opened device share: the ID3D12Device, how its memory is laid out, its facts, and what it turned
// out to support. Thread-safe: nothing changes after creation but the answers that `support` and `query` keep, under
// locks of their own. Owns the ID3D12Device; the Adapter outlives it and stays where it is.
#pragma once

#include "d3d12/adapter.hpp"
#include "d3d12/allocation_query.hpp"
#include "d3d12/com.hpp"
#include "d3d12/format_support.hpp"
#include "d3d12/memory_layout.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

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
