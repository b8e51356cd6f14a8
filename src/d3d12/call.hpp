// HRESULT as this project's errors: the name of the call, the name of the result, its number as native code.
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "d3d12/api.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

// "DXGI_ERROR_DEVICE_REMOVED"; "HRESULT 0x80001234" for one without a name here.
[[nodiscard]] std::string result_name(HRESULT result);

// The name with the number: "DXGI_ERROR_DEVICE_REMOVED (HRESULT 0x887A0005)".
[[nodiscard]] std::string result_text(HRESULT result);

// E_OUTOFMEMORY is kOutOfDeviceMemory: the API does not tell whose memory it was.
[[nodiscard]] ErrorCode error_code(HRESULT result);

// `call` is the API's name of the method ("ID3D12Device::CreateHeap"), `doing` what it was wanted for.
[[nodiscard]] Error call_error(HRESULT result, std::string_view call, std::string_view doing = {});

// Success for every non-negative result.
[[nodiscard]] Status check(HRESULT result, std::string_view call, std::string_view doing = {});

}  // namespace heapwright::d3d12
