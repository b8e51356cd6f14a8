// VkResult as this project's errors: the name of the call, the name of the result, its number as native code.
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"

namespace heapwright::vulkan {

// "VK_ERROR_DEVICE_LOST"; "VkResult -12345" for a value that the headers do not know.
[[nodiscard]] std::string result_name(VkResult result);

[[nodiscard]] ErrorCode error_code(VkResult result);

// `call` is the API's name of the function ("vkAllocateMemory"), `doing` what it was wanted for.
[[nodiscard]] Error call_error(VkResult result, std::string_view call, std::string_view doing = {});

// Success for every non-negative result (VK_INCOMPLETE and VK_TIMEOUT are the caller's to look at).
[[nodiscard]] inline Status check(VkResult result, std::string_view call, std::string_view doing = {}) {
    if (result >= 0) return {};
    return fail(call_error(result, call, doing));
}

}  // namespace heapwright::vulkan
