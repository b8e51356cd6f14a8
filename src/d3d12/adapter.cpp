#include "d3d12/adapter.hpp"

#include <utility>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"

namespace heapwright::d3d12 {
namespace {

// The runtime is well; the adapter lacks what it asks for. vkd3d says E_FAIL for a missing Vulkan extension.
bool refuses_device(HRESULT result) {
    return result == E_FAIL || result == E_INVALIDARG || result == E_NOINTERFACE || result == E_NOTIMPL ||
           result == DXGI_ERROR_UNSUPPORTED;
}

}  // namespace

Result<Com<ID3D12Device>> create_device_with(CreateDeviceFunction create, IUnknown* adapter) {
    leave_breadcrumb("D3D12CreateDevice");
    Com<ID3D12Device> device;
    const HRESULT result = create(adapter, D3D_FEATURE_LEVEL_11_0, IID_ID3D12Device, device.out());
    if (FAILED(result)) {
        Error error = call_error(result, "D3D12CreateDevice");
        error.code = refuses_device(result) ? ErrorCode::kNotSupported : ErrorCode::kDriverFailure;
        return fail(std::move(error));
    }
    if (!device) return fail(ErrorCode::kDriverFailure, "success, but no device", "D3D12CreateDevice");
    return device;
}

}  // namespace heapwright::d3d12
