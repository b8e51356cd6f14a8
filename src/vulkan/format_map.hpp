// The documents' descriptions as the API's structures, and whether a device can create them.
// The creation structures point at the families they were made with. Free functions are pure; ResourceSupport is
// thread-safe, its threads wait for nobody, and it asks the driver once for each combination of late.
#pragma once

#include <cstdint>
#include <span>

#include "heapwright_generated/volk.hpp"

#include "core/read_mostly_cache.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

[[nodiscard]] VkFormat vk_format(model::Format format);
[[nodiscard]] VkImageAspectFlags all_aspects(model::Format format);

// Concurrent sharing when `queue_families` has more than one entry.
[[nodiscard]] VkImageCreateInfo image_create_info(const model::ImageDescription& image,
                                                  std::span<const std::uint32_t> queue_families);
[[nodiscard]] VkBufferCreateInfo buffer_create_info(const model::BufferDescription& buffer,
                                                    std::span<const std::uint32_t> queue_families);

// Extent of a mip level in texels.
[[nodiscard]] VkExtent3D mip_extent(const model::ImageDescription& image, std::uint32_t mip_level);

class ResourceSupport {
public:
    explicit ResourceSupport(const OpenDevice& context) : context_(context) {}

    // Errors: kNotSupported with the property, the value and the limit; kInvalidArgument for zero sizes and counts and
    // for no usage at all; the driver's own.
    [[nodiscard]] Status check_image(const model::ImageDescription& image);
    [[nodiscard]] Status check_buffer(const model::BufferDescription& buffer) const;

private:
    struct Answer {
        VkResult result = VK_SUCCESS;
        VkImageFormatProperties limits{};
    };
    [[nodiscard]] Answer image_limits(const model::ImageDescription& image);

    const OpenDevice& context_;
    ReadMostlyCache<2, 5, 128> answers_;  // by usage and flags, then the rest
};

}  // namespace heapwright::vulkan
