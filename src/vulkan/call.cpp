#include "vulkan/call.hpp"

#include <fmt/format.h>

namespace heapwright::vulkan {

std::string result_name(VkResult result) {
    switch (result) {
#define HEAPWRIGHT_RESULT(name) \
    case name: return #name;
        HEAPWRIGHT_RESULT(VK_SUCCESS)
        HEAPWRIGHT_RESULT(VK_NOT_READY)
        HEAPWRIGHT_RESULT(VK_TIMEOUT)
        HEAPWRIGHT_RESULT(VK_EVENT_SET)
        HEAPWRIGHT_RESULT(VK_EVENT_RESET)
        HEAPWRIGHT_RESULT(VK_INCOMPLETE)
        HEAPWRIGHT_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY)
        HEAPWRIGHT_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        HEAPWRIGHT_RESULT(VK_ERROR_INITIALIZATION_FAILED)
        HEAPWRIGHT_RESULT(VK_ERROR_DEVICE_LOST)
        HEAPWRIGHT_RESULT(VK_ERROR_MEMORY_MAP_FAILED)
        HEAPWRIGHT_RESULT(VK_ERROR_LAYER_NOT_PRESENT)
        HEAPWRIGHT_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT)
        HEAPWRIGHT_RESULT(VK_ERROR_FEATURE_NOT_PRESENT)
        HEAPWRIGHT_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER)
        HEAPWRIGHT_RESULT(VK_ERROR_TOO_MANY_OBJECTS)
        HEAPWRIGHT_RESULT(VK_ERROR_FORMAT_NOT_SUPPORTED)
        HEAPWRIGHT_RESULT(VK_ERROR_FRAGMENTED_POOL)
        HEAPWRIGHT_RESULT(VK_ERROR_UNKNOWN)
        HEAPWRIGHT_RESULT(VK_ERROR_OUT_OF_POOL_MEMORY)
        HEAPWRIGHT_RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        HEAPWRIGHT_RESULT(VK_ERROR_FRAGMENTATION)
        HEAPWRIGHT_RESULT(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
        HEAPWRIGHT_RESULT(VK_ERROR_VALIDATION_FAILED_EXT)
        HEAPWRIGHT_RESULT(VK_ERROR_NOT_PERMITTED_KHR)
        HEAPWRIGHT_RESULT(VK_ERROR_COMPRESSION_EXHAUSTED_EXT)
#undef HEAPWRIGHT_RESULT
        default: return fmt::format("VkResult {}", static_cast<int>(result));
    }
}

ErrorCode error_code(VkResult result) {
    switch (result) {
        case VK_ERROR_OUT_OF_HOST_MEMORY: return ErrorCode::kOutOfHostMemory;
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_COMPRESSION_EXHAUSTED_EXT: return ErrorCode::kOutOfDeviceMemory;
        case VK_ERROR_TOO_MANY_OBJECTS: return ErrorCode::kTooManyObjects;
        case VK_ERROR_OUT_OF_POOL_MEMORY:
        case VK_ERROR_FRAGMENTED_POOL:
        case VK_ERROR_FRAGMENTATION: return ErrorCode::kExhausted;
        case VK_ERROR_DEVICE_LOST: return ErrorCode::kDeviceLost;
        case VK_ERROR_INCOMPATIBLE_DRIVER: return ErrorCode::kNoDevice;
        case VK_ERROR_LAYER_NOT_PRESENT:
        case VK_ERROR_EXTENSION_NOT_PRESENT:
        case VK_ERROR_FEATURE_NOT_PRESENT:
        case VK_ERROR_FORMAT_NOT_SUPPORTED: return ErrorCode::kNotSupported;
        case VK_TIMEOUT: return ErrorCode::kTimeLimit;
        default: return ErrorCode::kDriverFailure;
    }
}

Error call_error(VkResult result, std::string_view call, std::string_view doing) {
    return {.code = error_code(result),
            .message = doing.empty() ? result_name(result) : fmt::format("{}: {}", doing, result_name(result)),
            .where = std::string(call),
            .native_code = static_cast<std::int64_t>(result)};
}

}  // namespace heapwright::vulkan
