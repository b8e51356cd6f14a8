// usage: vma_example POLICY_FOLDER
// Asks Vulkan what its first device is, lets the loader pick (or compute) a policy for it, makes a VMA pool for every
// bucket, and allocates images and buffers from them. Upload buffers are filled and read back through their mapping.
#include <vulkan/vulkan.h>

#include <vk_mem_alloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <heapwright/policy_loader.h>

namespace {

[[noreturn]] void die(const char* what, int code) {
    std::fprintf(stderr, "vma_example: %s failed (%d)\n", what, code);
    std::exit(1);
}

void check(VkResult result, const char* what) {
    if (result != VK_SUCCESS) die(what, result);
}

void check(heapwright_status status, const heapwright_message& message, const char* what) {
    if (status == HEAPWRIGHT_OK) return;
    std::fprintf(stderr, "%s\n", message.text);
    die(what, status);
}

struct Gpu {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
};

Gpu open_gpu() {
    Gpu gpu;
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instance.pApplicationInfo = &application;
    check(vkCreateInstance(&instance, nullptr, &gpu.instance), "vkCreateInstance");
    std::uint32_t count = 1;
    const VkResult found = vkEnumeratePhysicalDevices(gpu.instance, &count, &gpu.physical);
    if (found < 0 || count == 0) die("vkEnumeratePhysicalDevices", found);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    check(vkCreateDevice(gpu.physical, &device, nullptr, &gpu.device), "vkCreateDevice");
    return gpu;
}

// What the loader must know, as Vulkan says it.
struct Facts {
    explicit Facts(VkPhysicalDevice physical) {
        properties.pNext = &driver;
        driver.pNext = &maintenance;
        vkGetPhysicalDeviceProperties2(physical, &properties);
        vkGetPhysicalDeviceMemoryProperties(physical, &memory);
        for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
            heaps.push_back({memory.memoryHeaps[i].size, 0, memory.memoryHeaps[i].flags, 0});
        }
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
            types.push_back({memory.memoryTypes[i].heapIndex, memory.memoryTypes[i].propertyFlags});
        }
        const VkPhysicalDeviceProperties& base = properties.properties;
        device.struct_size = sizeof(device);
        device.api = HEAPWRIGHT_API_VULKAN;
        device.vendor_id = base.vendorID;
        device.device_id = base.deviceID;
        device.driver_version = base.driverVersion;
        device.device_type = base.deviceType;
        device.name = base.deviceName;
        device.driver_name = driver.driverName;
        device.driver_info = driver.driverInfo;
        device.heaps = heaps.data();
        device.heap_count = memory.memoryHeapCount;
        device.memory_types = types.data();
        device.memory_type_count = memory.memoryTypeCount;
        device.max_memory_allocation_bytes = maintenance.maxMemoryAllocationSize;
        device.max_memory_allocation_count = base.limits.maxMemoryAllocationCount;
        device.buffer_image_granularity = base.limits.bufferImageGranularity;
        device.non_coherent_atom_bytes = base.limits.nonCoherentAtomSize;
    }
    Facts(const Facts&) = delete;
    Facts& operator=(const Facts&) = delete;

    VkPhysicalDeviceMaintenance3Properties maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceMemoryProperties memory{};
    std::vector<heapwright_heap> heaps;
    std::vector<heapwright_memory_type> types;
    heapwright_device device{};
};

struct Pools {
    VmaAllocator allocator = VK_NULL_HANDLE;
    std::vector<VmaPool> pools;  // one a bucket
    std::vector<VkDeviceSize> chunk_sizes;
};

Pools make_pools(const Gpu& gpu, const heapwright_policy* policy, const heapwright_policy_info& info) {
    Pools made;
    std::vector<VkDeviceSize> limits;
    for (std::uint32_t i = 0; i < info.heap_count; ++i) {
        heapwright_heap_limit heap{};
        heap.struct_size = sizeof(heap);
        if (heapwright_policy_get_heap(policy, i, &heap) != HEAPWRIGHT_OK) die("heapwright_policy_get_heap", 0);
        limits.push_back(heap.usable_bytes);
    }
    VmaAllocatorCreateInfo create{};
    create.instance = gpu.instance;
    create.physicalDevice = gpu.physical;
    create.device = gpu.device;
    create.vulkanApiVersion = VK_API_VERSION_1_2;
    create.pHeapSizeLimit = limits.data();
    check(vmaCreateAllocator(&create, &made.allocator), "vmaCreateAllocator");
    for (std::uint32_t i = 0; i < info.bucket_count; ++i) {
        heapwright_bucket bucket{};
        bucket.struct_size = sizeof(bucket);
        if (heapwright_policy_get_bucket(policy, i, &bucket) != HEAPWRIGHT_OK) die("heapwright_policy_get_bucket", 0);
        VmaPoolCreateInfo pool{};
        pool.memoryTypeIndex = bucket.memory_type;
        pool.blockSize = bucket.chunk_size_bytes;
        pool.minAllocationAlignment = bucket.granule_bytes;
        made.chunk_sizes.push_back(bucket.chunk_size_bytes);
        made.pools.push_back(VK_NULL_HANDLE);
        check(vmaCreatePool(made.allocator, &pool, &made.pools.back()), "vmaCreatePool");
        std::printf("  pool %u: %s, chunks of %llu bytes\n", i, bucket.id,
                    static_cast<unsigned long long>(bucket.chunk_size_bytes));
    }
    return made;
}

// From the pool that the policy has for these requirements; what is larger than its chunks gets memory of its own.
VmaAllocationCreateInfo place_for(const Pools& pools, const heapwright_policy* policy, std::uint32_t use,
                                  std::uint32_t resource_class, const VkMemoryRequirements& requirements) {
    std::uint32_t index = 0;
    const heapwright_status status = heapwright_policy_find_bucket(policy, use, resource_class, requirements.alignment,
                                                                   requirements.memoryTypeBits, &index);
    if (status != HEAPWRIGHT_OK) die("heapwright_policy_find_bucket", status);
    VmaAllocationCreateInfo allocation{};
    if (requirements.size <= pools.chunk_sizes[index]) {
        allocation.pool = pools.pools[index];
    } else {
        heapwright_bucket bucket{};
        bucket.struct_size = sizeof(bucket);
        if (heapwright_policy_get_bucket(policy, index, &bucket) != HEAPWRIGHT_OK)
            die("heapwright_policy_get_bucket", 0);
        allocation.flags = VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
        allocation.memoryTypeBits = 1u << bucket.memory_type;
    }
    return allocation;
}

void allocate_images(const Gpu& gpu, const Pools& pools, const heapwright_policy* policy) {
    struct Made {
        VkImage image;
        VmaAllocation memory;
    };
    std::vector<Made> all;
    for (std::uint32_t side = 16; side <= 1024; side *= 2) {
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = VK_FORMAT_R8G8B8A8_UNORM;
        info.extent = {side, side, 1};
        info.mipLevels = 1;
        info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        Made made{};
        check(vkCreateImage(gpu.device, &info, nullptr, &made.image), "vkCreateImage");
        VkMemoryRequirements requirements{};
        vkGetImageMemoryRequirements(gpu.device, made.image, &requirements);
        const VmaAllocationCreateInfo allocation =
            place_for(pools, policy, HEAPWRIGHT_USE_DEVICE_ONLY, HEAPWRIGHT_CLASS_OPTIMAL, requirements);
        check(vmaAllocateMemoryForImage(pools.allocator, made.image, &allocation, &made.memory, nullptr),
              "vmaAllocateMemoryForImage");
        check(vmaBindImageMemory(pools.allocator, made.memory, made.image), "vmaBindImageMemory");
        all.push_back(made);
    }
    std::printf("  %zu images bound\n", all.size());
    for (const Made& made : all) {
        vkDestroyImage(gpu.device, made.image, nullptr);
        vmaFreeMemory(pools.allocator, made.memory);
    }
}

void allocate_buffers(const Gpu& gpu, const Pools& pools, const heapwright_policy* policy) {
    struct Made {
        VkBuffer buffer;
        VmaAllocation memory;
        unsigned char* bytes;
        std::size_t size;
    };
    std::vector<Made> all;
    for (std::size_t i = 0; i < 200; ++i) {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = 256 + i * 77;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
        Made made{};
        made.size = info.size;
        check(vkCreateBuffer(gpu.device, &info, nullptr, &made.buffer), "vkCreateBuffer");
        VkMemoryRequirements requirements{};
        vkGetBufferMemoryRequirements(gpu.device, made.buffer, &requirements);
        VmaAllocationCreateInfo allocation =
            place_for(pools, policy, HEAPWRIGHT_USE_UPLOAD, HEAPWRIGHT_CLASS_LINEAR, requirements);
        allocation.flags |= VMA_ALLOCATION_CREATE_MAPPED_BIT;
        VmaAllocationInfo placed{};
        check(vmaAllocateMemoryForBuffer(pools.allocator, made.buffer, &allocation, &made.memory, &placed),
              "vmaAllocateMemoryForBuffer");
        check(vmaBindBufferMemory(pools.allocator, made.memory, made.buffer), "vmaBindBufferMemory");
        made.bytes = static_cast<unsigned char*>(placed.pMappedData);
        if (made.bytes == nullptr) die("mapping", 0);
        std::memset(made.bytes, static_cast<int>(i & 0xff), made.size);
        all.push_back(made);
    }
    // Each still holds its own pattern: no two overlap.
    std::size_t verified = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t at = 0; at < all[i].size; ++at) {
            if (all[i].bytes[at] != (i & 0xff)) die("a buffer's pattern", static_cast<int>(i));
            ++verified;
        }
    }
    std::printf("  %zu upload buffers, %zu bytes verified\n", all.size(), verified);
    for (const Made& made : all) {
        vkDestroyBuffer(gpu.device, made.buffer, nullptr);
        vmaFreeMemory(pools.allocator, made.memory);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: vma_example POLICY_FOLDER\n");
        return 2;
    }
    if (heapwright_loader_abi() != HEAPWRIGHT_LOADER_ABI) die("the loader's ABI", 0);
    const Gpu gpu = open_gpu();
    const Facts facts(gpu.physical);

    heapwright_message message{};
    heapwright_policies* set = nullptr;
    check(heapwright_policies_open(argv[1], &set, &message), message, "heapwright_policies_open");
    heapwright_fallback fallback{};
    fallback.struct_size = sizeof(fallback);
    fallback.workload = "2d-ui";
    heapwright_policy* policy = nullptr;
    check(heapwright_policy_select(set, &facts.device, &fallback, &policy, &message), message,
          "heapwright_policy_select");
    heapwright_policies_close(set);

    heapwright_policy_info info{};
    info.struct_size = sizeof(info);
    if (heapwright_policy_get_info(policy, &info) != HEAPWRIGHT_OK) die("heapwright_policy_get_info", 0);
    std::printf("%s\n%s", facts.device.name, info.explanation);
    const Pools pools = make_pools(gpu, policy, info);
    allocate_images(gpu, pools, policy);
    allocate_buffers(gpu, pools, policy);

    for (const VmaPool pool : pools.pools) vmaDestroyPool(pools.allocator, pool);
    vmaDestroyAllocator(pools.allocator);
    heapwright_policy_free(policy);
    vkDestroyDevice(gpu.device, nullptr);
    vkDestroyInstance(gpu.instance, nullptr);
    std::printf("match %u\n", info.match);
    return 0;
}
