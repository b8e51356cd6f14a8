#include "d3d12/open_device.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/device_report.hpp"

namespace heapwright::d3d12 {

OpenDevice::OpenDevice(Adapter& of, Com<ID3D12Device> created, std::uint32_t device_index)
    : adapter(of),
      device(std::move(created)),
      layout(MemoryLayout::read(device.get())),
      facts(read_facts(of, device.get(), layout, device_index)),
      support(device.get()),
      query(device.get(), layout),
      host_waits(of.needs_host_waits()),
      copies_stencil(of.copies_stencil()),
      table_objection(of.table_objection()) {}

Status OpenDevice::check_alive() const {
    leave_call("ID3D12Device::GetDeviceRemovedReason");
    const HRESULT reason = device->GetDeviceRemovedReason();
    if (SUCCEEDED(reason)) return {};
    Error error = call_error(reason, "ID3D12Device::GetDeviceRemovedReason");
    error.code = ErrorCode::kDeviceLost;
    return fail(std::move(error));
}

}  // namespace heapwright::d3d12
