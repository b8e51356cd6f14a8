#define VMA_VULKAN_VERSION 1001000
#define VMA_IMPLEMENTATION
#include "heapwright_generated/volk.hpp"

#include "../vma_header.hpp"

#include "vma_on_device.hpp"

#include <array>
#include <utility>

#include "vulkan/call.hpp"

namespace heapwright::bench {

Result<VmaOnDevice> VmaOnDevice::create(const vulkan::OpenDevice& device, std::uint64_t block_bytes,
                                        PFN_vkGetDeviceProcAddr get_proc_addr) {
    const vulkan::InstanceFunctions& of_instance = device.instance->functions();
    const vulkan::DeviceCalls& call = device.call;
    VmaVulkanFunctions functions = {};
    functions.vkGetPhysicalDeviceProperties = of_instance.get_properties;
    functions.vkGetPhysicalDeviceMemoryProperties = of_instance.get_memory_properties;
    functions.vkGetPhysicalDeviceMemoryProperties2KHR = of_instance.get_memory_properties2;
    const auto from = [&](auto own, const char* name) {
        using Function = typename decltype(own)::Function;
        return get_proc_addr == nullptr ? static_cast<Function>(own)
                                        : reinterpret_cast<Function>(get_proc_addr(device.handle, name));
    };
    functions.vkAllocateMemory = from(call.vkAllocateMemory, "vkAllocateMemory");
    functions.vkFreeMemory = from(call.vkFreeMemory, "vkFreeMemory");
    functions.vkMapMemory = from(call.vkMapMemory, "vkMapMemory");
    functions.vkUnmapMemory = from(call.vkUnmapMemory, "vkUnmapMemory");
    functions.vkFlushMappedMemoryRanges = from(call.vkFlushMappedMemoryRanges, "vkFlushMappedMemoryRanges");
    functions.vkInvalidateMappedMemoryRanges =
        from(call.vkInvalidateMappedMemoryRanges, "vkInvalidateMappedMemoryRanges");
    functions.vkBindBufferMemory = from(call.vkBindBufferMemory, "vkBindBufferMemory");
    functions.vkBindImageMemory = from(call.vkBindImageMemory, "vkBindImageMemory");
    functions.vkGetBufferMemoryRequirements = from(call.vkGetBufferMemoryRequirements, "vkGetBufferMemoryRequirements");
    functions.vkGetImageMemoryRequirements = from(call.vkGetImageMemoryRequirements, "vkGetImageMemoryRequirements");
    functions.vkCreateBuffer = from(call.vkCreateBuffer, "vkCreateBuffer");
    functions.vkDestroyBuffer = from(call.vkDestroyBuffer, "vkDestroyBuffer");
    functions.vkCreateImage = from(call.vkCreateImage, "vkCreateImage");
    functions.vkDestroyImage = from(call.vkDestroyImage, "vkDestroyImage");
    functions.vkCmdCopyBuffer = from(call.vkCmdCopyBuffer, "vkCmdCopyBuffer");
    functions.vkGetBufferMemoryRequirements2KHR =
        from(call.vkGetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2");
    functions.vkGetImageMemoryRequirements2KHR =
        from(call.vkGetImageMemoryRequirements2, "vkGetImageMemoryRequirements2");
    functions.vkBindBufferMemory2KHR = from(call.vkBindBufferMemory2, "vkBindBufferMemory2");
    functions.vkBindImageMemory2KHR = from(call.vkBindImageMemory2, "vkBindImageMemory2");

    VmaAllocatorCreateInfo info = {};
    info.physicalDevice = device.physical;
    info.device = device.handle;
    info.instance = device.instance->handle();
    info.vulkanApiVersion = VK_API_VERSION_1_1;
    info.pVulkanFunctions = &functions;
    info.preferredLargeHeapBlockSize = block_bytes;
    VmaAllocator allocator = nullptr;
    HEAPWRIGHT_TRY(vulkan::check(vmaCreateAllocator(&info, &allocator), "vmaCreateAllocator"));
    return VmaOnDevice(allocator);
}

VmaOnDevice::VmaOnDevice(VmaOnDevice&& other) noexcept : allocator_(std::exchange(other.allocator_, nullptr)) {}

VmaOnDevice::~VmaOnDevice() {
    vmaDestroyAllocator(allocator_);
}

namespace {

constexpr VmaAllocationCreateInfo kOnDevice = {.flags = 0,
                                               .usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE,
                                               .requiredFlags = 0,
                                               .preferredFlags = 0,
                                               .memoryTypeBits = 0,
                                               .pool = nullptr,
                                               .pUserData = nullptr,
                                               .priority = 0};

}  // namespace

Result<VmaOnDevice::Resource> VmaOnDevice::create(const VkImageCreateInfo& info) {
    Resource made;
    VmaAllocationInfo allocated;
    HEAPWRIGHT_TRY(vulkan::check(
        vmaCreateImage(allocator_, &info, &kOnDevice, &made.image, &made.allocation, &allocated), "vmaCreateImage"));
    made.size_bytes = allocated.size;
    return made;
}

Result<VmaOnDevice::Resource> VmaOnDevice::create(const VkBufferCreateInfo& info) {
    Resource made;
    VmaAllocationInfo allocated;
    HEAPWRIGHT_TRY(vulkan::check(
        vmaCreateBuffer(allocator_, &info, &kOnDevice, &made.buffer, &made.allocation, &allocated), "vmaCreateBuffer"));
    made.size_bytes = allocated.size;
    return made;
}

Result<VmaOnDevice::Resource> VmaOnDevice::create(const VkBufferCreateInfo& info, HostAccess access,
                                                  bool in_own_memory) {
    VmaAllocationCreateInfo how = kOnDevice;
    if (access != HostAccess::kNone) how.usage = VMA_MEMORY_USAGE_AUTO;
    if (access == HostAccess::kWrites) how.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT;
    if (access == HostAccess::kReads) how.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
    if (in_own_memory) how.flags |= VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    Resource made;
    HEAPWRIGHT_TRY(vulkan::check(vmaCreateBuffer(allocator_, &info, &how, &made.buffer, &made.allocation, nullptr),
                                 "vmaCreateBuffer"));
    return made;
}

void VmaOnDevice::name(const Resource& resource, const char* name) {
    vmaSetAllocationName(allocator_, resource.allocation, name);
}

void VmaOnDevice::destroy(const Resource& resource) {
    if (resource.image != VK_NULL_HANDLE)
        vmaDestroyImage(allocator_, resource.image, resource.allocation);
    else
        vmaDestroyBuffer(allocator_, resource.buffer, resource.allocation);
}

VmaOnDevice::Held VmaOnDevice::held() const {
    std::array<VmaBudget, VK_MAX_MEMORY_HEAPS> heaps = {};
    vmaGetHeapBudgets(allocator_, heaps.data());
    Held all;
    for (const VmaBudget& heap : heaps) {
        all.bytes += heap.statistics.blockBytes;
        all.device_allocations += heap.statistics.blockCount;
    }
    return all;
}

std::vector<VmaOnDevice::OfType> VmaOnDevice::by_memory_type() const {
    const VkPhysicalDeviceMemoryProperties* memory = nullptr;
    vmaGetMemoryProperties(allocator_, &memory);
    VmaTotalStatistics statistics = {};
    vmaCalculateStatistics(allocator_, &statistics);
    std::vector<OfType> all;
    for (std::uint32_t type = 0; type < memory->memoryTypeCount; ++type) {
        const VmaStatistics& of_type = statistics.memoryType[type].statistics;
        all.push_back({.blocks = of_type.blockCount,
                       .block_bytes = of_type.blockBytes,
                       .allocations = of_type.allocationCount,
                       .allocation_bytes = of_type.allocationBytes});
    }
    return all;
}

std::string VmaOnDevice::dump() const {
    char* text = nullptr;
    vmaBuildStatsString(allocator_, &text, VK_TRUE);
    std::string copy(text);
    vmaFreeStatsString(allocator_, text);
    return copy;
}

}  // namespace heapwright::bench
