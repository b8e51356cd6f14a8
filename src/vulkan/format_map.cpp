#include "vulkan/format_map.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

VkImageType image_type(const model::ImageDescription& image) {
    return image.dimension == model::ImageDimension::k3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
}

VkImageTiling image_tiling(const model::ImageDescription& image) {
    return image.tiling == model::ImageTiling::kLinear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
}

VkSharingMode sharing_mode(std::span<const std::uint32_t> queue_families) {
    return queue_families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
}

// Structures of one queue family must not list it.
std::uint32_t shared_family_count(std::span<const std::uint32_t> queue_families) {
    return queue_families.size() > 1 ? static_cast<std::uint32_t>(queue_families.size()) : 0;
}

Status at_most(const model::ImageDescription& image, std::string_view what, std::uint64_t value, std::uint64_t limit) {
    if (value <= limit) return {};
    return fail(Error{
        .code = ErrorCode::kNotSupported,
        .message = fmt::format("{} of a {} image is above the device's limit", what, model::info(image.format).name),
        .where = "vkGetPhysicalDeviceImageFormatProperties2",
        .value = value,
        .limit = limit});
}

}  // namespace

VkFormat vk_format(model::Format format) {
    return static_cast<VkFormat>(model::info(format).vk_format);
}

VkImageAspectFlags all_aspects(model::Format format) {
    const model::FormatInfo& info = model::info(format);
    VkImageAspectFlags aspects = 0;
    if (info.has_depth) aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (info.has_stencil) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    if (aspects == 0) aspects = VK_IMAGE_ASPECT_COLOR_BIT;
    return aspects;
}

VkImageCreateInfo image_create_info(const model::ImageDescription& image,
                                    std::span<const std::uint32_t> queue_families) {
    return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .pNext = nullptr,
            .flags = image.flags,
            .imageType = image_type(image),
            .format = vk_format(image.format),
            .extent = {image.width, image.height, image.depth},
            .mipLevels = image.mip_levels,
            .arrayLayers = image.array_layers,
            .samples = static_cast<VkSampleCountFlagBits>(image.samples),
            .tiling = image_tiling(image),
            .usage = image.usage,
            .sharingMode = sharing_mode(queue_families),
            .queueFamilyIndexCount = shared_family_count(queue_families),
            .pQueueFamilyIndices = queue_families.data(),
            .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
}

VkBufferCreateInfo buffer_create_info(const model::BufferDescription& buffer,
                                      std::span<const std::uint32_t> queue_families) {
    return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .pNext = nullptr,
            .flags = 0,
            .size = buffer.size_bytes,
            .usage = buffer.usage,
            .sharingMode = sharing_mode(queue_families),
            .queueFamilyIndexCount = shared_family_count(queue_families),
            .pQueueFamilyIndices = queue_families.data()};
}

VkExtent3D mip_extent(const model::ImageDescription& image, std::uint32_t mip_level) {
    const auto side = [mip_level](std::uint32_t texels) { return std::max(1u, texels >> mip_level); };
    return {side(image.width), side(image.height), side(image.depth)};
}

ResourceSupport::Answer ResourceSupport::image_limits(const model::ImageDescription& image) {
    const auto pair = [](std::uint32_t high, std::uint32_t low) {
        return (static_cast<std::uint64_t>(high) << 32) | low;
    };
    // The bit above the format keeps a key from being all 0.
    const std::array<std::uint64_t, 2> key{pair(image.usage, image.flags),
                                           (1ull << 32) | (static_cast<std::uint64_t>(image.format) << 8) |
                                               (static_cast<std::uint64_t>(image.tiling) << 1) |
                                               static_cast<std::uint64_t>(image.dimension)};
    if (const auto known = answers_.find(key)) {
        const auto high = [&](std::size_t i) { return static_cast<std::uint32_t>((*known)[i] >> 32); };
        const auto low = [&](std::size_t i) { return static_cast<std::uint32_t>((*known)[i]); };
        return {.result = static_cast<VkResult>(low(3)),
                .limits = {.maxExtent = {.width = high(0), .height = low(0), .depth = high(1)},
                           .maxMipLevels = low(1),
                           .maxArrayLayers = high(2),
                           .sampleCounts = low(2),
                           .maxResourceSize = (*known)[4]}};
    }

    const VkPhysicalDeviceImageFormatInfo2 info{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                .pNext = nullptr,
                                                .format = vk_format(image.format),
                                                .type = image_type(image),
                                                .tiling = image_tiling(image),
                                                .usage = image.usage,
                                                .flags = image.flags};
    VkImageFormatProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
    leave_breadcrumb("vkGetPhysicalDeviceImageFormatProperties2", model::info(image.format).name);
    const VkResult result =
        context_.instance->functions().get_image_format_properties2(context_.physical, &info, &properties);
    const Answer answer{.result = result, .limits = properties.imageFormatProperties};
    const VkImageFormatProperties& limits = answer.limits;
    answers_.insert(
        key,
        {pair(limits.maxExtent.width, limits.maxExtent.height), pair(limits.maxExtent.depth, limits.maxMipLevels),
         pair(limits.maxArrayLayers, limits.sampleCounts), static_cast<std::uint32_t>(result), limits.maxResourceSize});
    return answer;
}

namespace {

// Usages of Vulkan 1.2 itself; the others belong to extensions, of which the device may have some switched on.
constexpr model::Flags kCoreImageUsages = 0xff;
constexpr model::Flags kCoreBufferUsages = 0x1ff | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

Status check_usage(model::Flags usage, model::Flags core, std::span<const model::FlagName> names,
                   std::string_view where) {
    const model::Flags beyond = usage & ~core;
    if (beyond == 0) return {};
    return fail(ErrorCode::kNotSupported,
                fmt::format("the usage {} needs an extension that is not enabled here", flags_text(beyond, names)),
                std::string(where));
}

}  // namespace

Status ResourceSupport::check_image(const model::ImageDescription& image) {
    HEAPWRIGHT_TRY(check_usage(image.usage, kCoreImageUsages, model::image_usage_names(), "VkImageCreateInfo"));
    if (image.width == 0 || image.height == 0 || image.depth == 0 || image.mip_levels == 0 || image.array_layers == 0 ||
        !is_power_of_two(image.samples) || image.usage == 0) {
        return fail(ErrorCode::kInvalidArgument,
                    "an image needs a usage, extents, mip levels and array layers of at least 1, and a power of two "
                    "of samples",
                    "VkImageCreateInfo");
    }
    const std::uint32_t full_chain = model::full_mip_chain(image.width, image.height, image.depth);
    if (image.mip_levels > full_chain) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "more mip levels than the extent has",
                          .where = "VkImageCreateInfo",
                          .value = image.mip_levels,
                          .limit = full_chain});
    }
    const Answer answer = image_limits(image);
    if (answer.result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        return fail(Error{
            .code = ErrorCode::kNotSupported,
            .message = fmt::format("the device has no {} {} {} image with usage {:#x}", model::info(image.format).name,
                                   image.tiling == model::ImageTiling::kLinear ? "linear" : "optimal",
                                   image.dimension == model::ImageDimension::k3d ? "3D" : "2D", image.usage),
            .where = "vkGetPhysicalDeviceImageFormatProperties2",
            .native_code = answer.result});
    }
    HEAPWRIGHT_TRY(check(answer.result, "vkGetPhysicalDeviceImageFormatProperties2"));
    const VkImageFormatProperties& limits = answer.limits;
    HEAPWRIGHT_TRY(at_most(image, "the width", image.width, limits.maxExtent.width));
    HEAPWRIGHT_TRY(at_most(image, "the height", image.height, limits.maxExtent.height));
    HEAPWRIGHT_TRY(at_most(image, "the depth", image.depth, limits.maxExtent.depth));
    HEAPWRIGHT_TRY(at_most(image, "the count of mip levels", image.mip_levels, limits.maxMipLevels));
    HEAPWRIGHT_TRY(at_most(image, "the count of array layers", image.array_layers, limits.maxArrayLayers));
    if ((image.samples & limits.sampleCounts) == 0) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = fmt::format("a {} image cannot have this many samples (supported counts: bits of "
                                                 "{:#x})",
                                                 model::info(image.format).name, limits.sampleCounts),
                          .where = "vkGetPhysicalDeviceImageFormatProperties2",
                          .value = image.samples});
    }
    if (image.samples > 1 && image.mip_levels > 1) {
        return fail(ErrorCode::kNotSupported, "a multisampled image has one mip level", "VkImageCreateInfo");
    }
    return at_most(image, "the packed size", model::packed_size_bytes(image), limits.maxResourceSize);
}

Status ResourceSupport::check_buffer(const model::BufferDescription& buffer) const {
    if (buffer.size_bytes == 0 || buffer.usage == 0) {
        return fail(ErrorCode::kInvalidArgument, "a buffer needs a usage and at least 1 byte", "VkBufferCreateInfo");
    }
    model::Flags usages = kCoreBufferUsages;
    if (context_.enabled.acceleration_structures)
        usages |= VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                  VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
    if (context_.enabled.ray_tracing_pipelines) usages |= VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR;
    HEAPWRIGHT_TRY(check_usage(buffer.usage, usages, model::buffer_usage_names(), "VkBufferCreateInfo"));
    if (buffer.size_bytes > context_.max_buffer_bytes) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = "the buffer is larger than maxBufferSize",
                          .where = "VkBufferCreateInfo",
                          .value = buffer.size_bytes,
                          .limit = context_.max_buffer_bytes});
    }
    if ((buffer.usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 && !context_.enabled.buffer_device_address) {
        return fail(ErrorCode::kNotSupported, "the device has no buffer device addresses", "VkBufferCreateInfo");
    }
    return {};
}

}  // namespace heapwright::vulkan
