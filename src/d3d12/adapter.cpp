#include "heapwright/d3d12/adapter.hpp"

#include <utility>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/d3d12/call.hpp"

namespace heapwright::d3d12 {

Result<Com<ID3D12Device>> create_device_with(CreateDeviceFunction create, IUnknown* adapter) {
    leave_breadcrumb("D3D12CreateDevice");
    Com<ID3D12Device> device;
    const HRESULT result = create(adapter, D3D_FEATURE_LEVEL_11_0, IID_ID3D12Device, device.out());
    if (FAILED(result)) {
        // Whatever the reason, what it leaves is no device.
        Error error = call_error(result, "D3D12CreateDevice");
        error.code = ErrorCode::kDriverFailure;
        return fail(std::move(error));
    }
    if (!device) return fail(ErrorCode::kDriverFailure, "success, but no device", "D3D12CreateDevice");
    return device;
}

}  // namespace heapwright::d3d12
