#include "vulkan/image_support.hpp"

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {

VkImageCreateInfo create_info(const model::ImageCase& image) {
    return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .pNext = nullptr,
            .flags = image.flags,
            .imageType = image.dimension == model::ImageDimension::k3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
            .format = static_cast<VkFormat>(model::info(image.format).vk_format),
            .extent = {1, 1, 1},
            .mipLevels = 1,
            .arrayLayers = image.array_layers,
            .samples = static_cast<VkSampleCountFlagBits>(image.samples),
            .tiling = image.tiling == model::ImageTiling::kLinear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
            .usage = image.usage,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr,
            .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
}

std::string failure_of(VkResult result, std::string_view call) {
    if (result == VK_SUCCESS || result == VK_ERROR_FORMAT_NOT_SUPPORTED) return {};
    return fmt::format("{}: {}", call, result_name(result));
}

ImageSupport image_support(const Instance& instance, VkPhysicalDevice device, const model::ImageCase& image) {
    ImageSupport support;
    const VkImageCreateInfo info = create_info(image);
    leave_breadcrumb("vkGetPhysicalDeviceImageFormatProperties", model::info(image.format).name);
    const VkResult result = instance.functions().get_image_format_properties(
        device, info.format, info.imageType, info.tiling, info.usage, info.flags, &support.limits);
    const VkImageFormatProperties& limits = support.limits;
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        support.not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED for this tiling and usage";
    } else if (result != VK_SUCCESS) {
        support.failure = failure_of(result, "vkGetPhysicalDeviceImageFormatProperties");
        support.not_supported = support.failure;
    } else if (image.array_layers > limits.maxArrayLayers) {
        support.not_supported = fmt::format("{} array layers, limit {}", image.array_layers, limits.maxArrayLayers);
    } else if ((image.samples & limits.sampleCounts) == 0) {
        support.not_supported =
            fmt::format("{} samples, supported sample counts {:#x}", image.samples, limits.sampleCounts);
    } else if (image.full_mips && limits.maxMipLevels <= 1) {
        support.not_supported = fmt::format("full mip chains, limit {} mip level", limits.maxMipLevels);
    }
    return support;
}

}  // namespace heapwright::vulkan
