// Which bucket takes a resource, asked without making it.
#include "contract/bucket_choice.hpp"
#include "vulkan/call.hpp"
#include "vulkan/engine_pool_parts.hpp"
#include "vulkan/requirements_answer.hpp"

namespace heapwright::vulkan {

BucketAnswer EnginePool::Parts::answer(const contract::Request& request) const {
    const contract::Destination to = contract::destination_of(placer.policy(), placer.index(), request);
    if (to.refused) return {.requirements = request.requirements, .refused = true};
    return {.requirements = request.requirements,
            .alone = to.memory_type && !to.bucket,
            .bucket = to.bucket,
            .memory_type = to.memory_type};
}

Result<BucketAnswer> EnginePool::bucket_of(const VkBufferCreateInfo& info, const AllocationWish& wish) const {
    HEAPWRIGHT_TRY(check_supported(info));
    if (parts_->device->open().enabled.maintenance4) {
        vulkan::RequirementsAnswer asked;
        const VkDeviceBufferMemoryRequirements question{
            .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pNext = nullptr, .pCreateInfo = &info};
        parts_->call().vkGetDeviceBufferMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(request_for_buffer(asked.result(), wish));
    }
    VkBuffer buffer = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateBuffer(parts_->handle(), &info, nullptr, &buffer),
                                 "vkCreateBuffer", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(buffer);
    parts_->call().vkDestroyBuffer(parts_->handle(), buffer, nullptr);
    return parts_->answer(request_for_buffer(requirements, wish));
}

Result<BucketAnswer> EnginePool::bucket_of(const VkImageCreateInfo& info, const AllocationWish& wish) const {
    HEAPWRIGHT_TRY(check_supported(info));
    if (parts_->device->open().enabled.maintenance4) {
        vulkan::RequirementsAnswer asked;
        const VkDeviceImageMemoryRequirements question{.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                       .pNext = nullptr,
                                                       .pCreateInfo = &info,
                                                       .planeAspect = VK_IMAGE_ASPECT_NONE};
        parts_->call().vkGetDeviceImageMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(request_for_image(asked.result(), info.tiling, info.usage, wish));
    }
    VkImage image = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateImage(parts_->handle(), &info, nullptr, &image),
                                 "vkCreateImage", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(image);
    parts_->call().vkDestroyImage(parts_->handle(), image, nullptr);
    return parts_->answer(request_for_image(requirements, info.tiling, info.usage, wish));
}

}  // namespace heapwright::vulkan
