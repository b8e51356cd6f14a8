/* usage: adopt_example
 * A C engine: its own instance and device through libvulkan, its buffers from heapwright's pool. */
#include <heapwright/pool.h>

#include <vulkan/vulkan.h>

#include <stdio.h>
#include <string.h>

#define BUFFERS 500u
#define BUFFER_BYTES 3000u

static int use(heapwright_pool* pool) {
    static heapwright_pool_allocation allocations[BUFFERS];
    const heapwright_pool_allocation_options upload = {.struct_size = sizeof upload, .use = HEAPWRIGHT_POOL_UPLOAD};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BUFFER_BYTES, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    heapwright_pool_message message;
    for (unsigned i = 0; i < BUFFERS; ++i) {
        VkBuffer buffer;
        void* bytes;
        if (heapwright_pool_create_buffer(pool, &info, &upload, &buffer, &allocations[i], NULL, &message) != 0 ||
            heapwright_pool_map(pool, allocations[i], &bytes, &message) != 0) {
            printf("%s\n", message.text);
            return 1;
        }
        memset(bytes, (int)(i % 251), BUFFER_BYTES);
    }
    unsigned long verified = 0;
    for (unsigned i = 0; i < BUFFERS; ++i) {
        heapwright_pool_allocation_info where = {.struct_size = sizeof where};
        if (heapwright_pool_get_allocation(pool, allocations[i], &where) != 0) return 1;
        const unsigned char* bytes = where.mapped;
        for (unsigned at = 0; at < BUFFER_BYTES; ++at) verified += bytes[at] == i % 251;
        if (heapwright_pool_free_after(pool, allocations[i], i, &message) != 0) return 1;
    }
    if (heapwright_pool_collect(pool, BUFFERS, &message) != 0) return 1;
    heapwright_pool_figures figures = {.struct_size = sizeof figures};
    heapwright_pool_get_figures(pool, &figures);
    printf("%s%lu bytes verified, %llu device allocations\n", heapwright_pool_policy_explanation(pool), verified,
           (unsigned long long)figures.device_allocation_calls);
    return verified == (unsigned long)BUFFERS * BUFFER_BYTES && figures.live_allocations == 0 ? 0 : 1;
}

int main(void) {
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    VkInstance instance;
    if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS) return 1;
    uint32_t count = 1;
    VkPhysicalDevice physical;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < VK_SUCCESS || count == 0) return 1;
    const float priority = 0.5f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkDevice device;
    if (vkCreateDevice(physical, &device_info, NULL, &device) != VK_SUCCESS) return 1;

    const heapwright_pool_device own = {.struct_size = sizeof own,
                                        .api_version = VK_API_VERSION_1_1,
                                        .instance = instance,
                                        .physical_device = physical,
                                        .device = device,
                                        .get_instance_proc_addr = vkGetInstanceProcAddr,
                                        .get_device_proc_addr = vkGetDeviceProcAddr,
                                        .created_with = &device_info};
    heapwright_pool* pool = NULL;
    heapwright_pool_message message;
    if (heapwright_pool_create(&own, NULL, &pool, &message) != HEAPWRIGHT_POOL_OK) {
        printf("%s\n", message.text);
        return 1;
    }
    const int result = use(pool);
    heapwright_pool_destroy(pool);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return result;
}
