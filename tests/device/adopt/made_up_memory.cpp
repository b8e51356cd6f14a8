#include "made_up_memory.hpp"

#include <cstring>
#include <map>
#include <set>

#include "vulkan/chain.hpp"

namespace heapwright::test {
namespace {

MadeUpMemory* g_memory = nullptr;  // there is one at a time
PFN_vkGetInstanceProcAddr g_instance = nullptr;
PFN_vkGetDeviceProcAddr g_device = nullptr;
VkDevice g_handle = VK_NULL_HANDLE;
std::map<VkDeviceMemory, std::uint32_t> g_type_of;
std::set<std::uint64_t> g_protected;  // resources

template <class Function>
Function driver(const char* name) {
    return reinterpret_cast<Function>(g_device(g_handle, name));
}

template <class Handle>
std::uint64_t key(Handle handle) {
    return reinterpret_cast<std::uint64_t>(handle);
}

std::uint32_t types_with(VkMemoryPropertyFlags property) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < g_memory->types.size(); ++i) {
        if ((g_memory->types[i] & property) != 0) bits |= 1u << i;
    }
    return bits;
}

std::uint32_t types_for(bool is_protected) {
    const std::uint32_t all = (1u << g_memory->types.size()) - 1;
    const std::uint32_t guarded = types_with(VK_MEMORY_PROPERTY_PROTECTED_BIT);
    return is_protected ? guarded : all & ~guarded;
}

VkResult VKAPI_CALL seen_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                  const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
    MadeUpMemory::Allocated seen{.type = info->memoryTypeIndex};
    if (const auto* exported =
            vulkan::in_chain<VkExportMemoryAllocateInfo>(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO))
        seen.exported_as = exported->handleTypes;
    if (const auto* flags =
            vulkan::in_chain<VkMemoryAllocateFlagsInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO))
        seen.flags = flags->flags;
    seen.is_dedicated = vulkan::is_in_chain(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    g_memory->allocated.push_back(seen);
    VkMemoryAllocateInfo real = *info;
    real.pNext = nullptr;
    real.memoryTypeIndex = 0;
    const VkResult result = driver<PFN_vkAllocateMemory>("vkAllocateMemory")(device, &real, callbacks, memory);
    if (result == VK_SUCCESS) g_type_of[*memory] = info->memoryTypeIndex;
    return result;
}

VkResult VKAPI_CALL seen_map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                    VkMemoryMapFlags flags, void** bytes) {
    ++g_memory->maps;
    if ((g_memory->unmappable_types >> g_type_of[memory] & 1) != 0) return VK_ERROR_MEMORY_MAP_FAILED;
    return driver<PFN_vkMapMemory>("vkMapMemory")(device, memory, offset, size, flags, bytes);
}

VkResult VKAPI_CALL seen_create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                       const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
    VkBufferCreateInfo real = *info;
    real.pNext = nullptr;
    real.flags = 0;
    const VkResult result = driver<PFN_vkCreateBuffer>("vkCreateBuffer")(device, &real, callbacks, buffer);
    if (result == VK_SUCCESS && (info->flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0) g_protected.insert(key(*buffer));
    return result;
}

VkResult VKAPI_CALL seen_create_image(VkDevice device, const VkImageCreateInfo* info,
                                      const VkAllocationCallbacks* callbacks, VkImage* image) {
    VkImageCreateInfo real = *info;
    real.pNext = nullptr;
    real.flags = 0;
    return driver<PFN_vkCreateImage>("vkCreateImage")(device, &real, callbacks, image);
}

void VKAPI_CALL of_buffer(VkDevice device, const VkBufferMemoryRequirementsInfo2* info, VkMemoryRequirements2* answer) {
    driver<PFN_vkGetBufferMemoryRequirements2>("vkGetBufferMemoryRequirements2")(device, info, answer);
    answer->memoryRequirements.memoryTypeBits = types_for(g_protected.contains(key(info->buffer)));
}

void VKAPI_CALL of_image(VkDevice device, const VkImageMemoryRequirementsInfo2* info, VkMemoryRequirements2* answer) {
    driver<PFN_vkGetImageMemoryRequirements2>("vkGetImageMemoryRequirements2")(device, info, answer);
    answer->memoryRequirements.memoryTypeBits = types_for(false);
}

void VKAPI_CALL of_image_info(VkDevice device, const VkDeviceImageMemoryRequirements* info,
                              VkMemoryRequirements2* answer) {
    const void* const chain = info->pCreateInfo->pNext;
    if (vulkan::is_in_chain(chain, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR) ||
        vulkan::is_in_chain(chain, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT))
        ++g_memory->forbidden_questions;
    driver<PFN_vkGetDeviceImageMemoryRequirements>("vkGetDeviceImageMemoryRequirements")(device, info, answer);
    answer->memoryRequirements.memoryTypeBits = types_for(false);
}

PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkAllocateMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&seen_allocate);
    if (is("vkMapMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&seen_map_memory);
    if (is("vkCreateBuffer")) return reinterpret_cast<PFN_vkVoidFunction>(&seen_create_buffer);
    if (is("vkCreateImage")) return reinterpret_cast<PFN_vkVoidFunction>(&seen_create_image);
    if (is("vkGetBufferMemoryRequirements2")) return reinterpret_cast<PFN_vkVoidFunction>(&of_buffer);
    if (is("vkGetImageMemoryRequirements2")) return reinterpret_cast<PFN_vkVoidFunction>(&of_image);
    if (is("vkGetDeviceImageMemoryRequirements")) return reinterpret_cast<PFN_vkVoidFunction>(&of_image_info);
    return g_device(device, name);
}

PFN_vkGetPhysicalDeviceMemoryProperties g_properties = nullptr;

void VKAPI_CALL memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
    g_properties(device, memory);
    memory->memoryTypeCount = static_cast<std::uint32_t>(g_memory->types.size());
    for (std::uint32_t i = 0; i < memory->memoryTypeCount; ++i)
        memory->memoryTypes[i] = {.propertyFlags = g_memory->types[i], .heapIndex = 0};
}

void VKAPI_CALL memory_properties_2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* properties) {
    memory_properties(device, &properties->memoryProperties);
}

PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance, const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkGetPhysicalDeviceMemoryProperties2")) return reinterpret_cast<PFN_vkVoidFunction>(&memory_properties_2);
    if (!is("vkGetPhysicalDeviceMemoryProperties")) return g_instance(instance, name);
    g_properties = reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(g_instance(instance, name));
    return reinterpret_cast<PFN_vkVoidFunction>(&memory_properties);
}

}  // namespace

vulkan::PoolDevice with_memory(const Engine& engine, MadeUpMemory& memory, VkDeviceCreateInfo& created) {
    vulkan::PoolDevice device = engine.device();
    g_memory = &memory;
    g_instance = device.get_instance_proc_addr;
    g_device = device.get_device_proc_addr;
    g_handle = device.device;
    g_type_of.clear();
    g_protected.clear();
    device.get_instance_proc_addr = get_instance_proc;
    device.get_device_proc_addr = get_device_proc;
    device.created_with = &created;
    return device;
}

}  // namespace heapwright::test
