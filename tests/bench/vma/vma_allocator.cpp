#define VMA_VULKAN_VERSION 1001000
#define VMA_IMPLEMENTATION
#include "../vma_header.hpp"

#include "vma_allocator.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace heapwright::bench {

struct VmaAllocatorPeer::Resource {
    Request request;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    VmaAllocation allocation = VK_NULL_HANDLE;
};

struct VmaAllocatorPeer::State {
    VmaDevice device;
    Observer observer;
    VmaAllocator allocator = VK_NULL_HANDLE;
    Resource* creating = nullptr;
    std::map<std::uint64_t, std::uint64_t> memory;  // size by handle
    std::uint64_t next_handle = 1;
    std::uint64_t reserved_bytes = 0;
};

namespace {

// Handles that Vulkan would give out: the device is the state's address, the others are numbers or addresses.
template <class Handle>
Handle to_handle(std::uint64_t value) {
    return reinterpret_cast<Handle>(value);
}
template <class Handle>
std::uint64_t to_number(Handle handle) {
    return reinterpret_cast<std::uint64_t>(handle);
}

}  // namespace

VmaAllocatorPeer::VmaAllocatorPeer(const VmaDevice& device, Observer observer) : state_(std::make_unique<State>()) {
    state_->device = device;
    state_->observer = std::move(observer);

    VmaVulkanFunctions functions = {};
    functions.vkGetPhysicalDeviceProperties = [](VkPhysicalDevice physical, VkPhysicalDeviceProperties* properties) {
        const auto& state = *reinterpret_cast<const State*>(physical);
        *properties = {};
        properties->apiVersion = VK_API_VERSION_1_1;
        properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
        properties->limits.bufferImageGranularity = state.device.granularity_bytes;
        properties->limits.maxMemoryAllocationCount = state.device.most_allocations;
        properties->limits.nonCoherentAtomSize = 64;
    };
    functions.vkGetPhysicalDeviceMemoryProperties = [](VkPhysicalDevice physical,
                                                       VkPhysicalDeviceMemoryProperties* properties) {
        const auto& state = *reinterpret_cast<const State*>(physical);
        *properties = {};
        properties->memoryHeapCount = 1;
        properties->memoryHeaps[0] = {state.device.heap_bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
        properties->memoryTypeCount = 1;
        properties->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    };
    functions.vkAllocateMemory = [](VkDevice handle, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                                    VkDeviceMemory* memory) {
        auto& state = *reinterpret_cast<State*>(handle);
        if (info->allocationSize > state.device.limit_bytes - state.reserved_bytes)
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        *memory = to_handle<VkDeviceMemory>(state.next_handle);
        state.memory.emplace(state.next_handle++, info->allocationSize);
        state.reserved_bytes += info->allocationSize;
        if (state.observer) state.observer(info->allocationSize, true);
        return VK_SUCCESS;
    };
    functions.vkFreeMemory = [](VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks*) {
        auto& state = *reinterpret_cast<State*>(handle);
        const auto found = state.memory.find(to_number(memory));
        state.reserved_bytes -= found->second;
        if (state.observer) state.observer(found->second, false);
        state.memory.erase(found);
    };
    functions.vkMapMemory = [](VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void**) {
        return VK_ERROR_MEMORY_MAP_FAILED;
    };
    functions.vkUnmapMemory = [](VkDevice, VkDeviceMemory) {};
    functions.vkFlushMappedMemoryRanges = [](VkDevice, std::uint32_t, const VkMappedMemoryRange*) {
        return VK_SUCCESS;
    };
    functions.vkInvalidateMappedMemoryRanges = [](VkDevice, std::uint32_t, const VkMappedMemoryRange*) {
        return VK_SUCCESS;
    };
    functions.vkBindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) { return VK_SUCCESS; };
    functions.vkBindImageMemory = [](VkDevice, VkImage, VkDeviceMemory, VkDeviceSize) { return VK_SUCCESS; };
    functions.vkCreateBuffer = [](VkDevice handle, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                                  VkBuffer* buffer) {
        *buffer = reinterpret_cast<VkBuffer>(reinterpret_cast<State*>(handle)->creating);
        return VK_SUCCESS;
    };
    functions.vkCreateImage = [](VkDevice handle, const VkImageCreateInfo*, const VkAllocationCallbacks*,
                                 VkImage* image) {
        *image = reinterpret_cast<VkImage>(reinterpret_cast<State*>(handle)->creating);
        return VK_SUCCESS;
    };
    functions.vkDestroyBuffer = [](VkDevice, VkBuffer, const VkAllocationCallbacks*) {};
    functions.vkDestroyImage = [](VkDevice, VkImage, const VkAllocationCallbacks*) {};
    functions.vkCmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, std::uint32_t, const VkBufferCopy*) {};

    static constexpr auto kAnswer = [](const Request& request, VkMemoryRequirements2* requirements) {
        requirements->memoryRequirements = {request.size_bytes, request.alignment_bytes, 1};
        for (auto* next = static_cast<VkBaseOutStructure*>(requirements->pNext); next != nullptr; next = next->pNext) {
            if (next->sType != VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS) continue;
            auto& dedicated = *reinterpret_cast<VkMemoryDedicatedRequirements*>(next);
            dedicated.prefersDedicatedAllocation = request.prefers_dedicated ? VK_TRUE : VK_FALSE;
            dedicated.requiresDedicatedAllocation = VK_FALSE;
        }
    };
    functions.vkGetBufferMemoryRequirements2KHR = [](VkDevice, const VkBufferMemoryRequirementsInfo2* info,
                                                     VkMemoryRequirements2* requirements) {
        kAnswer(reinterpret_cast<const Resource*>(info->buffer)->request, requirements);
    };
    functions.vkGetImageMemoryRequirements2KHR = [](VkDevice, const VkImageMemoryRequirementsInfo2* info,
                                                    VkMemoryRequirements2* requirements) {
        kAnswer(reinterpret_cast<const Resource*>(info->image)->request, requirements);
    };
    functions.vkGetBufferMemoryRequirements = [](VkDevice, VkBuffer buffer, VkMemoryRequirements* requirements) {
        const Request& request = reinterpret_cast<const Resource*>(buffer)->request;
        *requirements = {request.size_bytes, request.alignment_bytes, 1};
    };
    functions.vkGetImageMemoryRequirements = [](VkDevice, VkImage image, VkMemoryRequirements* requirements) {
        const Request& request = reinterpret_cast<const Resource*>(image)->request;
        *requirements = {request.size_bytes, request.alignment_bytes, 1};
    };
    functions.vkBindBufferMemory2KHR = [](VkDevice, std::uint32_t, const VkBindBufferMemoryInfo*) {
        return VK_SUCCESS;
    };
    functions.vkBindImageMemory2KHR = [](VkDevice, std::uint32_t, const VkBindImageMemoryInfo*) { return VK_SUCCESS; };
    functions.vkGetPhysicalDeviceMemoryProperties2KHR = [](VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2*) {};

    VmaAllocatorCreateInfo info = {};
    info.flags = VMA_ALLOCATOR_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
    info.physicalDevice = reinterpret_cast<VkPhysicalDevice>(state_.get());
    info.device = reinterpret_cast<VkDevice>(state_.get());
    info.instance = reinterpret_cast<VkInstance>(state_.get());
    info.vulkanApiVersion = VK_API_VERSION_1_1;
    info.pVulkanFunctions = &functions;
    if (vmaCreateAllocator(&info, &state_->allocator) != VK_SUCCESS) std::abort();
}

VmaAllocatorPeer::~VmaAllocatorPeer() {
    vmaDestroyAllocator(state_->allocator);
}

VmaAllocatorPeer::Resource* VmaAllocatorPeer::create(const Request& request) {
    auto resource = std::make_unique<Resource>();
    resource->request = request;
    state_->creating = resource.get();
    VmaAllocationCreateInfo allocation = {};
    VkResult result = VK_SUCCESS;
    if (request.is_optimal) {
        VkImageCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = VK_FORMAT_R8G8B8A8_UNORM;
        info.extent = {1, 1, 1};
        info.mipLevels = 1;
        info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.tiling = VK_IMAGE_TILING_OPTIMAL;
        info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
        result =
            vmaCreateImage(state_->allocator, &info, &allocation, &resource->image, &resource->allocation, nullptr);
    } else {
        VkBufferCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = request.size_bytes;
        info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        result =
            vmaCreateBuffer(state_->allocator, &info, &allocation, &resource->buffer, &resource->allocation, nullptr);
    }
    return result == VK_SUCCESS ? resource.release() : nullptr;
}

void VmaAllocatorPeer::destroy(Resource* resource) {
    const std::unique_ptr<Resource> owner(resource);
    if (resource->request.is_optimal)
        vmaDestroyImage(state_->allocator, resource->image, resource->allocation);
    else
        vmaDestroyBuffer(state_->allocator, resource->buffer, resource->allocation);
}

std::vector<std::uint64_t> VmaAllocatorPeer::allocations() const {
    std::vector<std::uint64_t> sizes;
    for (const auto& [handle, size] : state_->memory) sizes.push_back(size);
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

std::uint64_t VmaAllocatorPeer::reserved_bytes() const {
    return state_->reserved_bytes;
}

}  // namespace heapwright::bench
