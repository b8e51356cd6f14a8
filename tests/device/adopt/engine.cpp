#include "engine.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {
namespace {

PFN_vkGetDeviceProcAddr g_get_device = nullptr;  // of the engine that lives: there is one at a time
PFN_vkAllocateMemory g_allocate = nullptr;
PFN_vkFreeMemory g_free = nullptr;
PFN_vkCreateBuffer g_create_buffer = nullptr;
PFN_vkDestroyBuffer g_destroy_buffer = nullptr;
PFN_vkCreateImage g_create_image = nullptr;
PFN_vkDestroyImage g_destroy_image = nullptr;
PFN_vkBindBufferMemory g_bind_buffer = nullptr;
PFN_vkBindImageMemory g_bind_image = nullptr;
PFN_vkMapMemory g_map = nullptr;

// A call on a memory that may run beside others of its kind alone.
enum class OnMemory { kBind, kMap };
std::mutex g_busy_mutex;
std::map<VkDeviceMemory, std::pair<int, int>> g_busy;  // binds and maps under way

class Busy {
public:
    Busy(VkDeviceMemory memory, OnMemory kind) : memory_(memory), kind_(kind) { change(1); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { change(-1); }

private:
    void change(int by) const {
        const HostMemory before = host_memory();
        host_memory().failing = -1;  // the test's own
        {
            const std::lock_guard lock(g_busy_mutex);
            auto& [binds, maps] = g_busy[memory_];
            (kind_ == OnMemory::kBind ? binds : maps) += by;
            call_counts().maps_beside_binds += binds != 0 && maps != 0 ? 1 : 0;
            if (binds == 0 && maps == 0) g_busy.erase(memory_);
        }
        host_memory() = before;
    }

    VkDeviceMemory memory_;
    OnMemory kind_;
};

bool fails() {
    return call_counts().calls.fetch_add(1) == call_counts().failing.load();
}

VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* callbacks,
                             VkDeviceMemory* memory) {
    if (fails()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const VkResult result = g_allocate(device, info, callbacks, memory);
    if (result == VK_SUCCESS) ++call_counts().memories;
    return result;
}
void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
    if (memory != VK_NULL_HANDLE) --call_counts().memories;
    g_free(device, memory, callbacks);
}
VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                  const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
    if (fails()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = g_create_buffer(device, info, callbacks, buffer);
    if (result == VK_SUCCESS) ++call_counts().buffers;
    return result;
}
void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* callbacks) {
    if (buffer != VK_NULL_HANDLE) --call_counts().buffers;
    g_destroy_buffer(device, buffer, callbacks);
}
VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                 VkImage* image) {
    if (fails()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = g_create_image(device, info, callbacks, image);
    if (result == VK_SUCCESS) ++call_counts().images;
    return result;
}
void VKAPI_CALL destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks* callbacks) {
    if (image != VK_NULL_HANDLE) --call_counts().images;
    g_destroy_image(device, image, callbacks);
}
VkResult VKAPI_CALL bind_buffer(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
    const Busy busy(memory, OnMemory::kBind);
    return fails() ? VK_ERROR_OUT_OF_DEVICE_MEMORY : g_bind_buffer(device, buffer, memory, offset);
}
VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset) {
    const Busy busy(memory, OnMemory::kBind);
    return fails() ? VK_ERROR_OUT_OF_DEVICE_MEMORY : g_bind_image(device, image, memory, offset);
}
VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                               VkMemoryMapFlags flags, void** bytes) {
    const Busy busy(memory, OnMemory::kMap);
    return fails() ? VK_ERROR_MEMORY_MAP_FAILED : g_map(device, memory, offset, size, flags, bytes);
}

PFN_vkVoidFunction VKAPI_CALL get_proc(VkDevice device, const char* name) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkAllocateMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&allocate);
    if (is("vkFreeMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&free_memory);
    if (is("vkCreateBuffer")) return reinterpret_cast<PFN_vkVoidFunction>(&create_buffer);
    if (is("vkDestroyBuffer")) return reinterpret_cast<PFN_vkVoidFunction>(&destroy_buffer);
    if (is("vkCreateImage")) return reinterpret_cast<PFN_vkVoidFunction>(&create_image);
    if (is("vkDestroyImage")) return reinterpret_cast<PFN_vkVoidFunction>(&destroy_image);
    if (is("vkBindBufferMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&bind_buffer);
    if (is("vkBindImageMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&bind_image);
    if (is("vkMapMemory")) return reinterpret_cast<PFN_vkVoidFunction>(&map_memory);
    return g_get_device(device, name);
}

VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* engine) {
    static_cast<Engine*>(engine)->add_message(data->pMessage);
    return VK_FALSE;
}

}  // namespace

CallCounts& call_counts() {
    static CallCounts counts;
    return counts;
}

HostMemory& host_memory() {
    thread_local HostMemory memory;
    return memory;
}

Engine::Engine(const char* driver, bool with_layers) {
    const char* icd = std::getenv(driver);
    if (icd == nullptr) SKIP(driver << " is not set: eval \"$(scripts/drivers --export)\"");
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    library_ = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) SKIP("there is no libvulkan.so.1");
    get_instance_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library_, "vkGetInstanceProcAddr"));
    const auto of_instance = [this](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(get_instance_(instance_, name));
        REQUIRE(function != nullptr);
    };

    PFN_vkCreateInstance create_instance = nullptr;
    PFN_vkEnumerateInstanceLayerProperties layers_of = nullptr;
    of_instance(create_instance, "vkCreateInstance");
    of_instance(layers_of, "vkEnumerateInstanceLayerProperties");
    std::uint32_t layer_count = 0;
    layers_of(&layer_count, nullptr);
    std::vector<VkLayerProperties> listed(layer_count);
    layers_of(&layer_count, listed.data());
    constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
    bool validates = false;
    for (const VkLayerProperties& layer : listed)
        validates = validates || (with_layers && std::strcmp(layer.layerName, kLayer) == 0);
    constexpr const char* kDebugUtils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .pNext = nullptr,
                                        .pApplicationName = "engine",
                                        .applicationVersion = 0,
                                        .pEngineName = nullptr,
                                        .engineVersion = 0,
                                        .apiVersion = api_version_};
    const VkInstanceCreateInfo instance_info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                             .pNext = nullptr,
                                             .flags = 0,
                                             .pApplicationInfo = &application,
                                             .enabledLayerCount = validates ? 1u : 0u,
                                             .ppEnabledLayerNames = &kLayer,
                                             .enabledExtensionCount = validates ? 1u : 0u,
                                             .ppEnabledExtensionNames = &kDebugUtils};
    REQUIRE(create_instance(&instance_info, nullptr, &instance_) == VK_SUCCESS);
    if (validates) {
        PFN_vkCreateDebugUtilsMessengerEXT create_messenger = nullptr;
        of_instance(create_messenger, "vkCreateDebugUtilsMessengerEXT");
        const VkDebugUtilsMessengerCreateInfoEXT messenger_info{
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
            .pNext = nullptr,
            .flags = 0,
            .messageSeverity =
                VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
            .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
            .pfnUserCallback = on_message,
            .pUserData = this};
        REQUIRE(create_messenger(instance_, &messenger_info, nullptr, &messenger_) == VK_SUCCESS);
    }

    PFN_vkEnumeratePhysicalDevices enumerate = nullptr;
    PFN_vkCreateDevice create_device = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties extensions_of = nullptr;
    of_instance(enumerate, "vkEnumeratePhysicalDevices");
    of_instance(create_device, "vkCreateDevice");
    of_instance(extensions_of, "vkEnumerateDeviceExtensionProperties");
    of_instance(get_device_, "vkGetDeviceProcAddr");
    std::uint32_t one = 1;
    REQUIRE(enumerate(instance_, &one, &physical_) >= VK_SUCCESS);
    std::uint32_t extension_count = 0;
    extensions_of(physical_, nullptr, &extension_count, nullptr);
    std::vector<VkExtensionProperties> extensions(extension_count);
    extensions_of(physical_, nullptr, &extension_count, extensions.data());
    for (const VkExtensionProperties& extension : extensions) {
        if (std::strcmp(extension.extensionName, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) == 0) {
            extensions_.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
        }
    }
    features12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features12_.timelineSemaphore = VK_TRUE;
    const float priority = 0.5f;
    const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                             .pNext = nullptr,
                                             .flags = 0,
                                             .queueFamilyIndex = 0,
                                             .queueCount = 1,
                                             .pQueuePriorities = &priority};
    created_with_ = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                     .pNext = &features12_,
                     .flags = 0,
                     .queueCreateInfoCount = 1,
                     .pQueueCreateInfos = &queue_info,
                     .enabledLayerCount = 0,
                     .ppEnabledLayerNames = nullptr,
                     .enabledExtensionCount = static_cast<std::uint32_t>(extensions_.size()),
                     .ppEnabledExtensionNames = extensions_.data(),
                     .pEnabledFeatures = nullptr};
    REQUIRE(create_device(physical_, &created_with_, nullptr, &device_) == VK_SUCCESS);
    created_with_.queueCreateInfoCount = 0;  // the pool does not read them
    created_with_.pQueueCreateInfos = nullptr;

    g_get_device = get_device_;
    g_allocate = function<PFN_vkAllocateMemory>("vkAllocateMemory");
    g_free = function<PFN_vkFreeMemory>("vkFreeMemory");
    g_create_buffer = function<PFN_vkCreateBuffer>("vkCreateBuffer");
    g_destroy_buffer = function<PFN_vkDestroyBuffer>("vkDestroyBuffer");
    g_create_image = function<PFN_vkCreateImage>("vkCreateImage");
    g_destroy_image = function<PFN_vkDestroyImage>("vkDestroyImage");
    g_bind_buffer = function<PFN_vkBindBufferMemory>("vkBindBufferMemory");
    g_bind_image = function<PFN_vkBindImageMemory>("vkBindImageMemory");
    g_map = function<PFN_vkMapMemory>("vkMapMemory");
    call_counts().failing = -1;
    call_counts().calls = 0;

    function<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device_, 0, 0, &queue_);
    const VkCommandPoolCreateInfo pool_info{
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .pNext = nullptr, .flags = 0, .queueFamilyIndex = 0};
    REQUIRE(function<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device_, &pool_info, nullptr, &command_pool_) ==
            VK_SUCCESS);
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .pNext = nullptr,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                         .initialValue = 0};
    const VkSemaphoreCreateInfo semaphore_info{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type, .flags = 0};
    REQUIRE(function<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device_, &semaphore_info, nullptr, &timeline_) ==
            VK_SUCCESS);
}

Engine::~Engine() {
    if (device_ != VK_NULL_HANDLE) {
        function<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(device_);
        function<PFN_vkDestroySemaphore>("vkDestroySemaphore")(device_, timeline_, nullptr);
        function<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(device_, command_pool_, nullptr);
        function<PFN_vkDestroyDevice>("vkDestroyDevice")(device_, nullptr);
    }
    if (messenger_ != VK_NULL_HANDLE) {
        reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            get_instance_(instance_, "vkDestroyDebugUtilsMessengerEXT"))(instance_, messenger_, nullptr);
    }
    if (instance_ != VK_NULL_HANDLE) {
        reinterpret_cast<PFN_vkDestroyInstance>(get_instance_(instance_, "vkDestroyInstance"))(instance_, nullptr);
    }
    if (library_ != nullptr) dlclose(library_);
}

vulkan::PoolDevice Engine::device() const {
    return {.instance = instance_,
            .physical_device = physical_,
            .device = device_,
            .get_instance_proc_addr = get_instance_,
            .get_device_proc_addr = get_proc,
            .api_version = api_version_,
            .created_with = &created_with_};
}

void Engine::submit(const std::vector<Copy>& copies, std::uint64_t value) {
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .pNext = nullptr,
                                           .commandPool = command_pool_,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    REQUIRE(function<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device_, &info, &commands) ==
            VK_SUCCESS);
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .pNext = nullptr,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                         .pInheritanceInfo = nullptr};
    function<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, &begin);
    const auto copy_buffer = function<PFN_vkCmdCopyBuffer>("vkCmdCopyBuffer");
    const auto barrier = [&](VkAccessFlags to, VkPipelineStageFlags stage) {
        const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .pNext = nullptr,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = to};
        function<PFN_vkCmdPipelineBarrier>("vkCmdPipelineBarrier")(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, stage, 0,
                                                                   1, &memory, 0, nullptr, 0, nullptr);
    };
    for (const Copy& copy : copies) {
        const VkBufferCopy region{.srcOffset = 0, .dstOffset = 0, .size = copy.size_bytes};
        copy_buffer(commands, copy.from, copy.through, 1, &region);
    }
    barrier(VK_ACCESS_TRANSFER_READ_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    for (const Copy& copy : copies) {
        const VkBufferCopy region{.srcOffset = 0, .dstOffset = 0, .size = copy.size_bytes};
        copy_buffer(commands, copy.through, copy.to, 1, &region);
    }
    barrier(VK_ACCESS_HOST_READ_BIT, VK_PIPELINE_STAGE_HOST_BIT);
    function<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands);
    const VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .pNext = nullptr,
                                               .waitSemaphoreValueCount = 0,
                                               .pWaitSemaphoreValues = nullptr,
                                               .signalSemaphoreValueCount = 1,
                                               .pSignalSemaphoreValues = &value};
    const VkSubmitInfo submission{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .pNext = &values,
                                  .waitSemaphoreCount = 0,
                                  .pWaitSemaphores = nullptr,
                                  .pWaitDstStageMask = nullptr,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &commands,
                                  .signalSemaphoreCount = 1,
                                  .pSignalSemaphores = &timeline_};
    REQUIRE(function<PFN_vkQueueSubmit>("vkQueueSubmit")(queue_, 1, &submission, VK_NULL_HANDLE) == VK_SUCCESS);
}

void Engine::wait(std::uint64_t value) {
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .pNext = nullptr,
                                   .flags = 0,
                                   .semaphoreCount = 1,
                                   .pSemaphores = &timeline_,
                                   .pValues = &value};
    REQUIRE(function<PFN_vkWaitSemaphores>("vkWaitSemaphores")(device_, &info, ~0ull) == VK_SUCCESS);
}

std::uint64_t Engine::completed() const {
    std::uint64_t value = 0;
    REQUIRE(function<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue")(device_, timeline_, &value) ==
            VK_SUCCESS);
    return value;
}

}  // namespace heapwright::test
