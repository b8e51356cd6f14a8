// Which bucket takes a resource, asked without making it.
#include "heapwright/adopt/engine_pool_parts.hpp"
#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/vulkan/call.hpp"
#include "heapwright/vulkan/requirements_answer.hpp"

namespace heapwright::adopt {

BucketAnswer EnginePool::Parts::answer(const Asked& asked) const {
    const pool::MemoryPlacer::Request& request = asked.request;
    const model::DevicePolicy& policy = placer.policy();
    BucketAnswer answer{.requirements = request.requirements};
    const contract::Treatment treatment = contract::treatment_of(policy, request.requirements);
    answer.refused = treatment == contract::Treatment::kRefused && !asked.alone;
    if (answer.refused) return answer;
    answer.alone = asked.alone || treatment == contract::Treatment::kOwn;
    for (const contract::BucketIndex::TypeBuckets& type :
         placer.index().candidates(request.resource_class, request.use, request.transient_attachment)) {
        if (!contract::admits(request.requirements.memory_type_bits, type.memory_type)) continue;
        answer.memory_type = type.memory_type;
        if (answer.alone) return answer;
        const contract::TypePlan plan = contract::plan_in_type(policy, type.buckets, request.requirements);
        answer.alone = plan.own_first || plan.buckets.empty();
        if (!answer.alone) answer.bucket = plan.buckets.front();
        return answer;
    }
    answer.alone = false;
    return answer;
}

Result<BucketAnswer> EnginePool::bucket_of(const VkBufferCreateInfo& info, const AllocationWish& wish) const {
    HEAPWRIGHT_TRY(check_supported(info));
    if (parts_->device->open().enabled.maintenance4) {
        vulkan::RequirementsAnswer asked;
        const VkDeviceBufferMemoryRequirements question{
            .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pNext = nullptr, .pCreateInfo = &info};
        parts_->call().vkGetDeviceBufferMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(asked_of_buffer(asked.result(), wish));
    }
    VkBuffer buffer = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateBuffer(parts_->handle(), &info, nullptr, &buffer),
                                 "vkCreateBuffer", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(buffer);
    parts_->call().vkDestroyBuffer(parts_->handle(), buffer, nullptr);
    return parts_->answer(asked_of_buffer(requirements, wish));
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
        return parts_->answer(asked_of_image(asked.result(), info.tiling, info.usage, wish));
    }
    VkImage image = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateImage(parts_->handle(), &info, nullptr, &image),
                                 "vkCreateImage", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(image);
    parts_->call().vkDestroyImage(parts_->handle(), image, nullptr);
    return parts_->answer(asked_of_image(requirements, info.tiling, info.usage, wish));
}

}  // namespace heapwright::adopt
