// The functions of a device, by the specification's names. Calling one leaves its name first (core/breadcrumb.hpp), so
// that after a crash or a hang a report can say which call it was.
// Values without ownership; const functions are thread-safe, as far as the driver's are.
#pragma once

#include "heapwright_generated/volk.hpp"

#include "core/breadcrumb.hpp"

namespace heapwright::vulkan {

template <class Function>
class DriverCall;

// A null one must not be called.
template <class Answer, class... Arguments>
class DriverCall<Answer(VKAPI_PTR*)(Arguments...)> {
public:
    using Function = Answer(VKAPI_PTR*)(Arguments...);

    // `name` is a literal.
    constexpr DriverCall(const char* name) : name_(name) {}
    DriverCall& operator=(Function function) {
        function_ = function;
        return *this;
    }

    Answer operator()(Arguments... arguments) const {
        leave_call(name_);
        return function_(arguments...);
    }
    operator Function() const { return function_; }

private:
    const char* name_;
    Function function_ = nullptr;
};

// clang-format off
#define HEAPWRIGHT_DEVICE_CALLS(ENTRY) \
    ENTRY(vkAllocateCommandBuffers) \
    ENTRY(vkAllocateDescriptorSets) \
    ENTRY(vkAllocateMemory) \
    ENTRY(vkBeginCommandBuffer) \
    ENTRY(vkBindBufferMemory) \
    ENTRY(vkBindBufferMemory2) \
    ENTRY(vkBindImageMemory) \
    ENTRY(vkBindImageMemory2) \
    ENTRY(vkCmdBeginRendering) \
    ENTRY(vkCmdBindDescriptorBuffersEXT) \
    ENTRY(vkCmdBindDescriptorSets) \
    ENTRY(vkCmdBindPipeline) \
    ENTRY(vkCmdClearColorImage) \
    ENTRY(vkCmdClearDepthStencilImage) \
    ENTRY(vkCmdCopyBuffer) \
    ENTRY(vkCmdCopyBufferToImage) \
    ENTRY(vkCmdCopyImage) \
    ENTRY(vkCmdCopyImageToBuffer) \
    ENTRY(vkCmdDispatch) \
    ENTRY(vkCmdDraw) \
    ENTRY(vkCmdEndRendering) \
    ENTRY(vkCmdFillBuffer) \
    ENTRY(vkCmdPipelineBarrier) \
    ENTRY(vkCmdPushConstants) \
    ENTRY(vkCmdSetDescriptorBufferOffsetsEXT) \
    ENTRY(vkCmdSetScissor) \
    ENTRY(vkCmdSetViewport) \
    ENTRY(vkCmdWriteTimestamp) \
    ENTRY(vkCreateBuffer) \
    ENTRY(vkCreateCommandPool) \
    ENTRY(vkCreateComputePipelines) \
    ENTRY(vkCreateDescriptorPool) \
    ENTRY(vkCreateDescriptorSetLayout) \
    ENTRY(vkCreateGraphicsPipelines) \
    ENTRY(vkCreateImage) \
    ENTRY(vkCreateImageView) \
    ENTRY(vkCreatePipelineLayout) \
    ENTRY(vkCreateQueryPool) \
    ENTRY(vkCreateSampler) \
    ENTRY(vkCreateSemaphore) \
    ENTRY(vkCreateShaderModule) \
    ENTRY(vkDestroyBuffer) \
    ENTRY(vkDestroyCommandPool) \
    ENTRY(vkDestroyDescriptorPool) \
    ENTRY(vkDestroyDescriptorSetLayout) \
    ENTRY(vkDestroyDevice) \
    ENTRY(vkDestroyImage) \
    ENTRY(vkDestroyImageView) \
    ENTRY(vkDestroyPipeline) \
    ENTRY(vkDestroyPipelineLayout) \
    ENTRY(vkDestroyQueryPool) \
    ENTRY(vkDestroySampler) \
    ENTRY(vkDestroySemaphore) \
    ENTRY(vkDestroyShaderModule) \
    ENTRY(vkDeviceWaitIdle) \
    ENTRY(vkEndCommandBuffer) \
    ENTRY(vkFlushMappedMemoryRanges) \
    ENTRY(vkFreeMemory) \
    ENTRY(vkGetBufferDeviceAddress) \
    ENTRY(vkGetBufferMemoryRequirements) \
    ENTRY(vkGetBufferMemoryRequirements2) \
    ENTRY(vkGetBufferMemoryRequirements2KHR) \
    ENTRY(vkGetCalibratedTimestampsEXT) \
    ENTRY(vkGetDescriptorEXT) \
    ENTRY(vkGetDescriptorSetLayoutBindingOffsetEXT) \
    ENTRY(vkGetDescriptorSetLayoutSizeEXT) \
    ENTRY(vkGetDescriptorSetLayoutSupport) \
    ENTRY(vkGetDeviceBufferMemoryRequirements) \
    ENTRY(vkGetDeviceBufferMemoryRequirementsKHR) \
    ENTRY(vkGetDeviceImageMemoryRequirements) \
    ENTRY(vkGetDeviceImageMemoryRequirementsKHR) \
    ENTRY(vkGetDeviceImageSparseMemoryRequirements) \
    ENTRY(vkGetDeviceImageSparseMemoryRequirementsKHR) \
    ENTRY(vkGetDeviceQueue) \
    ENTRY(vkGetImageMemoryRequirements) \
    ENTRY(vkGetImageMemoryRequirements2) \
    ENTRY(vkGetImageMemoryRequirements2KHR) \
    ENTRY(vkGetImageSparseMemoryRequirements) \
    ENTRY(vkGetQueryPoolResults) \
    ENTRY(vkGetSemaphoreCounterValue) \
    ENTRY(vkGetSemaphoreCounterValueKHR) \
    ENTRY(vkInvalidateMappedMemoryRanges) \
    ENTRY(vkMapMemory) \
    ENTRY(vkQueueSubmit) \
    ENTRY(vkResetCommandPool) \
    ENTRY(vkResetDescriptorPool) \
    ENTRY(vkResetQueryPool) \
    ENTRY(vkResetQueryPoolEXT) \
    ENTRY(vkSignalSemaphore) \
    ENTRY(vkSignalSemaphoreKHR) \
    ENTRY(vkUnmapMemory) \
    ENTRY(vkUpdateDescriptorSets) \
    ENTRY(vkWaitSemaphores) \
    ENTRY(vkWaitSemaphoresKHR)
// clang-format on

struct DeviceCalls {
#define HEAPWRIGHT_ENTRY(name) DriverCall<PFN_##name> name{#name};
    HEAPWRIGHT_DEVICE_CALLS(HEAPWRIGHT_ENTRY)
#undef HEAPWRIGHT_ENTRY

    // What vkGetDeviceProcAddr gives for each; null for those that the device lacks.
    void load(VkDevice device) {
        VolkDeviceTable table{};
        volkLoadDeviceTable(&table, device);
#define HEAPWRIGHT_ENTRY(name) name = table.name;
        HEAPWRIGHT_DEVICE_CALLS(HEAPWRIGHT_ENTRY)
#undef HEAPWRIGHT_ENTRY
    }
};

#undef HEAPWRIGHT_DEVICE_CALLS

}  // namespace heapwright::vulkan
