#include "d3d12/call.hpp"

#include <fmt/format.h>

namespace heapwright::d3d12 {
namespace {

struct ResultName {
    std::uint32_t value;
    const char* name;
    ErrorCode code;
};

constexpr ResultName kResults[] = {
    {0x00000000, "S_OK", ErrorCode::kDriverFailure},
    {0x80004001, "E_NOTIMPL", ErrorCode::kNotSupported},
    {0x80004002, "E_NOINTERFACE", ErrorCode::kNotSupported},
    {0x80004005, "E_FAIL", ErrorCode::kDriverFailure},
    {0x80070005, "E_ACCESSDENIED", ErrorCode::kDriverFailure},
    {0x8007000E, "E_OUTOFMEMORY", ErrorCode::kOutOfDeviceMemory},
    {0x80070057, "E_INVALIDARG", ErrorCode::kInvalidArgument},
    {0x887A0001, "DXGI_ERROR_INVALID_CALL", ErrorCode::kInvalidArgument},
    {0x887A0002, "DXGI_ERROR_NOT_FOUND", ErrorCode::kNoDevice},
    {0x887A0004, "DXGI_ERROR_UNSUPPORTED", ErrorCode::kNotSupported},
    {0x887A0005, "DXGI_ERROR_DEVICE_REMOVED", ErrorCode::kDeviceLost},
    {0x887A0006, "DXGI_ERROR_DEVICE_HUNG", ErrorCode::kDeviceLost},
    {0x887A0007, "DXGI_ERROR_DEVICE_RESET", ErrorCode::kDeviceLost},
    {0x887A0020, "DXGI_ERROR_DRIVER_INTERNAL_ERROR", ErrorCode::kDeviceLost},
    {0x887A002D, "DXGI_ERROR_SDK_COMPONENT_MISSING", ErrorCode::kNotSupported},
    {0x887E0001, "D3D12_ERROR_ADAPTER_NOT_FOUND", ErrorCode::kNoDevice},
    {0x887E0002, "D3D12_ERROR_DRIVER_VERSION_MISMATCH", ErrorCode::kDriverFailure},
};

const ResultName* find(HRESULT result) {
    for (const ResultName& entry : kResults) {
        if (entry.value == static_cast<std::uint32_t>(result)) return &entry;
    }
    return nullptr;
}

}  // namespace

std::string result_name(HRESULT result) {
    const ResultName* entry = find(result);
    return entry == nullptr ? fmt::format("HRESULT 0x{:08X}", static_cast<std::uint32_t>(result)) : entry->name;
}

std::string result_text(HRESULT result) {
    const ResultName* entry = find(result);
    if (entry == nullptr) return result_name(result);
    return fmt::format("{} (HRESULT 0x{:08X})", entry->name, entry->value);
}

ErrorCode error_code(HRESULT result) {
    const ResultName* entry = find(result);
    return entry == nullptr ? ErrorCode::kDriverFailure : entry->code;
}

Error call_error(HRESULT result, std::string_view call, std::string_view doing) {
    return {.code = error_code(result),
            .message = doing.empty() ? result_text(result) : fmt::format("{}: {}", doing, result_text(result)),
            .where = std::string(call),
            .native_code = static_cast<std::int64_t>(result)};
}

Status check(HRESULT result, std::string_view call, std::string_view doing) {
    if (result >= 0) return {};
    return fail(call_error(result, call, doing));
}

}  // namespace heapwright::d3d12
