// A Vulkan loader for Windows that hands every call on to vulkan-1.dll, but for what HEAPWRIGHT_TEST_FAULT asks for:
//
//   crash   vkCreateDevice writes to address 0
//   quit    vkCreateDevice ends the process with code 0, as a process under Wine ends that a signal killed
//   hang    vkCreateDevice does not return
//   name    the device has a name with letters of several scripts
//
// heapwright loads it by HEAPWRIGHT_VULKAN_LOADER. What a test sees of it are the answers of the real driver beneath.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <windows.h>

#include <vulkan/vulkan_core.h>

namespace {

constexpr char kName[] = "Gr\u00fcne Grafikkarte \u6f22\u5b57 \u043f\u0440\u043e\u0431\u0430";

PFN_vkGetInstanceProcAddr g_next = nullptr;
PFN_vkGetPhysicalDeviceProperties g_properties = nullptr;
PFN_vkGetPhysicalDeviceProperties2 g_properties2 = nullptr;

bool fault_is(std::string_view fault) {
    const char* asked = std::getenv("HEAPWRIGHT_TEST_FAULT");
    return asked != nullptr && asked == fault;
}

VKAPI_ATTR VkResult VKAPI_CALL crash(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                     VkDevice*) {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL quit(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                    VkDevice*) {
    TerminateProcess(GetCurrentProcess(), 0);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL hang(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                    VkDevice*) {
    Sleep(INFINITE);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL renamed(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    g_properties(device, properties);
    std::memcpy(properties->deviceName, kName, sizeof kName);
}

VKAPI_ATTR void VKAPI_CALL renamed2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    g_properties2(device, properties);
    std::memcpy(properties->properties.deviceName, kName, sizeof kName);
}

PFN_vkVoidFunction instead_of(std::string_view name, PFN_vkVoidFunction real) {
    if (real == nullptr) return nullptr;
    if (name == "vkCreateDevice" && fault_is("crash")) return reinterpret_cast<PFN_vkVoidFunction>(crash);
    if (name == "vkCreateDevice" && fault_is("quit")) return reinterpret_cast<PFN_vkVoidFunction>(quit);
    if (name == "vkCreateDevice" && fault_is("hang")) return reinterpret_cast<PFN_vkVoidFunction>(hang);
    if (!fault_is("name")) return real;
    if (name == "vkGetPhysicalDeviceProperties") {
        g_properties = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(real);
        return reinterpret_cast<PFN_vkVoidFunction>(renamed);
    }
    if (name == "vkGetPhysicalDeviceProperties2" || name == "vkGetPhysicalDeviceProperties2KHR") {
        g_properties2 = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(real);
        return reinterpret_cast<PFN_vkVoidFunction>(renamed2);
    }
    return real;
}

}  // namespace

extern "C" __declspec(dllexport) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
    vkGetInstanceProcAddr(VkInstance instance, const char* name) {
    if (g_next == nullptr) {
        const HMODULE real = LoadLibraryW(L"vulkan-1.dll");
        if (real == nullptr) return nullptr;
        g_next = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
            reinterpret_cast<void (*)()>(GetProcAddress(real, "vkGetInstanceProcAddr")));
    }
    if (g_next == nullptr) return nullptr;
    return instead_of(name, g_next(instance, name));
}
