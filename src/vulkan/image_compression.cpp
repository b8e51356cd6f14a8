#include "vulkan/facts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/sweeps.hpp"

namespace heapwright::vulkan {
namespace {

// Empty when the driver refuses such an image, or failed.
std::optional<VkImageCompressionPropertiesEXT> ask(const Instance& instance, const PhysicalDevice& device,
                                                   const VkImageCreateInfo& image, VkImageCompressionFlagsEXT wanted,
                                                   probe::FailedQuestions& failed) {
    const VkImageCompressionControlEXT control{.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
                                               .pNext = nullptr,
                                               .flags = wanted,
                                               .compressionControlPlaneCount = 0,
                                               .pFixedRateFlags = nullptr};
    const VkPhysicalDeviceImageFormatInfo2 question{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                    .pNext = &control,
                                                    .format = image.format,
                                                    .type = image.imageType,
                                                    .tiling = image.tiling,
                                                    .usage = image.usage,
                                                    .flags = image.flags};
    VkImageCompressionPropertiesEXT compression{};
    compression.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT;
    VkImageFormatProperties2 answer{};
    answer.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
    answer.pNext = &compression;
    const VkResult result = instance.functions().get_image_format_properties2(device.handle(), &question, &answer);
    std::string failure = failure_of(result, "vkGetPhysicalDeviceImageFormatProperties2");
    if (!failure.empty()) failed.add(std::move(failure));
    if (result != VK_SUCCESS) return {};
    return compression;
}

bool is_listed(const std::vector<model::ImageCompression>& list, const model::ImageCase& image) {
    return std::any_of(list.begin(), list.end(), [&](const model::ImageCompression& entry) {
        return entry.format == image.format && entry.tiling == image.tiling && entry.dimension == image.dimension &&
               entry.usage == image.usage;
    });
}

}  // namespace

void read_image_compression(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    constexpr const char* kExtension = VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME;
    if (instance.functions().get_image_format_properties2 == nullptr || !device.has_extension(kExtension)) {
        report.unreported.push_back(
            {.name = "VkImageCompressionPropertiesEXT", .reason = why_unreported(instance, 0, kExtension)});
        return;
    }
    probe::FailedQuestions failed;
    for (const model::ImageCase& image : report.image_sweep.cases) {
        if (!image.table || is_listed(report.image_compression, image)) continue;
        const VkImageCreateInfo info = create_info(image);
        leave_breadcrumb("vkGetPhysicalDeviceImageFormatProperties2", model::info(image.format).name);
        const auto usual = ask(instance, device, info, VK_IMAGE_COMPRESSION_DEFAULT_EXT, failed);
        if (!usual) continue;
        const auto fixed = ask(instance, device, info, VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT, failed);
        report.image_compression.push_back({.format = image.format,
                                            .tiling = image.tiling,
                                            .dimension = image.dimension,
                                            .usage = image.usage,
                                            .default_flags = usual->imageCompressionFlags,
                                            .fixed_rate_flags = fixed ? fixed->imageCompressionFixedRateFlags : 0});
    }
    failed.tell("image-compression-not-measured",
                fmt::format("{} questions about compressed images have no answer", failed.count()),
                "/image_compression", report.findings);
}

}  // namespace heapwright::vulkan
