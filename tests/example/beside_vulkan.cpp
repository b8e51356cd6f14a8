// usage: beside_vulkan
// A program that links libvulkan for itself and heapwright beside it: both call Vulkan, neither sees the other's
// function pointers.
#include <heapwright/vulkan/capability_source.hpp>

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>

// A global of the program's that volk has under the same name.
extern "C" int volkInitialize = 7;

int main() {
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return 1;
    std::uint32_t devices = 0;
    vkEnumeratePhysicalDevices(instance, &devices, nullptr);

    const auto source = heapwright::vulkan::create_capability_source({.validation_layers = false});
    if (!source) return 2;
    const std::size_t adapters = (*source)->adapters().size();
    const auto device = (*source)->open(0, {});
    if (!device) return 3;

    // The program's calls still go where they went.
    std::uint32_t devices_after = 0;
    vkEnumeratePhysicalDevices(instance, &devices_after, nullptr);
    vkDestroyInstance(instance, nullptr);
    std::printf("%u devices by the program, %zu by heapwright\n", devices, adapters);
    return devices != 0 && devices == devices_after && devices == adapters && volkInitialize == 7 ? 0 : 4;
}
