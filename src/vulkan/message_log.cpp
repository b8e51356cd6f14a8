#include "vulkan/message_log.hpp"

namespace heapwright::vulkan {
namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    static_cast<MessageLog*>(user)->add(data->pMessage == nullptr ? "(no text)" : data->pMessage);
    return VK_FALSE;
}

}  // namespace

VkDebugUtilsMessengerCreateInfoEXT MessageLog::messenger_info() {
    return {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
            .pNext = nullptr,
            .flags = 0,
            .messageSeverity =
                VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
            .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
            .pfnUserCallback = receive,
            .pUserData = this};
}

void MessageLog::add(std::string message) {
    const std::scoped_lock lock(mutex_);
    messages_.push_back(std::move(message));
}

std::vector<std::string> MessageLog::take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(messages_, {});
}

}  // namespace heapwright::vulkan
