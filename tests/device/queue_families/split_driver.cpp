// A Vulkan driver that has the queue families of an NVIDIA H100 and hands all work to one that has a single queue, so
// that ownership transfers between families can be run and watched, by validation layers too, where no such device is.
// HEAPWRIGHT_SPLIT_DRIVER names the real driver's library.
//
// Each queue is a thread: it waits for its submission's semaphores and gives the work to the real queue then. Queues go
// ahead of each other as far as their waits allow, and a wait may be submitted before its signal. Ownership transfers
// are kept for the test (split_driver.hpp) and reach the real driver as plain barriers.
// Timeline semaphores only. One device at a time, of the newest instance.
#include "split_driver.hpp"

#include <dlfcn.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

using heapwright::test::SplitTransfer;

namespace {

constexpr VkQueueFlags kVideoDecode = 0x20;
// Flags and queue counts; the first family's flags are the real one's.
constexpr std::pair<VkQueueFlags, std::uint32_t> kFamilies[] = {{0, 16},
                                                                {VK_QUEUE_TRANSFER_BIT | kVideoDecode, 8},
                                                                {VK_QUEUE_TRANSFER_BIT, 2},
                                                                {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8}};
constexpr std::uint32_t kFamilyCount = std::size(kFamilies);

struct Real {
    PFN_vk_icdNegotiateLoaderICDInterfaceVersion negotiate = nullptr;
    PFN_vk_icdGetInstanceProcAddr get_instance = nullptr;
    PFN_vk_icdGetPhysicalDeviceProcAddr get_physical = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    PFN_vkGetDeviceProcAddr get_device = nullptr;
    VkQueue queue = VK_NULL_HANDLE;
    std::mutex submitting;
};

Real& real() {
    static auto& only = *new Real;
    return only;
}

// Once for each instance: the next one may stand on another driver.
void load() {
    void* library = dlopen(std::getenv("HEAPWRIGHT_SPLIT_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::abort();
    const auto take = [library](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    take(real().negotiate, "vk_icdNegotiateLoaderICDInterfaceVersion");
    take(real().get_instance, "vk_icdGetInstanceProcAddr");
    take(real().get_physical, "vk_icdGetPhysicalDeviceProcAddr");
}

template <class Function>
Function instance_function(const char* name) {
    return reinterpret_cast<Function>(real().get_instance(real().instance, name));
}

template <class Function>
Function device_function(VkDevice device, const char* name) {
    return reinterpret_cast<Function>(real().get_device(device, name));
}

struct Job {
    std::vector<VkSemaphore> waits;
    std::vector<std::uint64_t> wait_values;
    std::vector<VkCommandBuffer> commands;
    std::vector<VkSemaphore> signals;
    std::vector<std::uint64_t> signal_values;
};

// Behind a VkQueue; the loader writes to its first word.
class Queue {
public:
    explicit Queue(VkDevice device) : device_(device), thread_([this] { work(); }) { set_loader_magic_value(&loader_); }
    ~Queue() {
        {
            const std::scoped_lock lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    void push(Job job) {
        const std::scoped_lock lock(mutex_);
        jobs_.push_back(std::move(job));
        changed_.notify_all();
    }

    void drain() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return jobs_.empty(); });
    }

private:
    void work() {
        const auto wait = device_function<PFN_vkWaitSemaphores>(device_, "vkWaitSemaphores");
        const auto submit = device_function<PFN_vkQueueSubmit>(device_, "vkQueueSubmit");
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
            if (ends_) return;
            const Job& job = jobs_.front();
            lock.unlock();
            VkSemaphoreWaitInfo info{};
            info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
            info.semaphoreCount = static_cast<std::uint32_t>(job.waits.size());
            info.pSemaphores = job.waits.data();
            info.pValues = job.wait_values.data();
            while (!job.waits.empty() && wait(device_, &info, 10'000'000) == VK_TIMEOUT) {
                const std::scoped_lock look(mutex_);
                if (ends_) return;
            }
            give(job, submit);
            lock.lock();
            jobs_.pop_front();
            changed_.notify_all();
        }
    }

    static void give(const Job& job, PFN_vkQueueSubmit submit) {
        VkTimelineSemaphoreSubmitInfo values{};
        values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
        values.signalSemaphoreValueCount = static_cast<std::uint32_t>(job.signal_values.size());
        values.pSignalSemaphoreValues = job.signal_values.data();
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.pNext = &values;
        info.commandBufferCount = static_cast<std::uint32_t>(job.commands.size());
        info.pCommandBuffers = job.commands.data();
        info.signalSemaphoreCount = static_cast<std::uint32_t>(job.signals.size());
        info.pSignalSemaphores = job.signals.data();
        const std::scoped_lock lock(real().submitting);
        if (submit(real().queue, 1, &info, VK_NULL_HANDLE) != VK_SUCCESS) std::abort();
    }

    VK_LOADER_DATA loader_{};
    VkDevice device_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool ends_ = false;
    std::thread thread_;
};

std::mutex mutex_;
std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<Queue>> queues_;
std::unordered_map<VkCommandPool, std::uint32_t> family_of_pool_;
std::unordered_map<VkCommandBuffer, std::uint32_t> family_of_commands_;
std::vector<SplitTransfer> transfers_;

Queue* queue_of(VkQueue handle) {
    return reinterpret_cast<Queue*>(handle);
}

// --- queues and families ------------------------------------------------------------------------------------------

VkQueueFamilyProperties family(std::uint32_t index, const VkQueueFamilyProperties& only) {
    VkQueueFamilyProperties properties = only;
    if (kFamilies[index].first != 0) properties.queueFlags = kFamilies[index].first;
    properties.queueCount = kFamilies[index].second;
    return properties;
}

VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, std::uint32_t* count,
                                        VkQueueFamilyProperties* properties) {
    if (properties != nullptr) {
        VkQueueFamilyProperties only{};
        std::uint32_t one = 1;
        instance_function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(
            physical, &one, &only);
        *count = *count < kFamilyCount ? *count : kFamilyCount;
        for (std::uint32_t i = 0; i < *count; ++i) properties[i] = family(i, only);
        return;
    }
    *count = kFamilyCount;
}

VKAPI_ATTR void VKAPI_CALL get_families2(VkPhysicalDevice physical, std::uint32_t* count,
                                         VkQueueFamilyProperties2* properties) {
    std::vector<VkQueueFamilyProperties> plain(properties != nullptr ? *count : 0);
    get_families(physical, count, properties != nullptr ? plain.data() : nullptr);
    for (std::uint32_t i = 0; properties != nullptr && i < *count; ++i) properties[i].queueFamilyProperties = plain[i];
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                               VkInstance* instance) {
    const VkResult result = instance_function<PFN_vkCreateInstance>("vkCreateInstance")(info, callbacks, instance);
    if (result != VK_SUCCESS) return result;
    real().instance = *instance;
    real().get_device = instance_function<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
    return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* callbacks) {
    real().instance = instance;
    instance_function<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, callbacks);
    real().instance = VK_NULL_HANDLE;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks, VkDevice* device) {
    constexpr float kPriority = 0.5f;
    VkDeviceQueueCreateInfo one{};
    one.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    one.queueCount = 1;
    one.pQueuePriorities = &kPriority;
    VkDeviceCreateInfo plain = *info;
    plain.queueCreateInfoCount = 1;
    plain.pQueueCreateInfos = &one;
    const VkResult result =
        instance_function<PFN_vkCreateDevice>("vkCreateDevice")(physical, &plain, callbacks, device);
    if (result == VK_SUCCESS)
        device_function<PFN_vkGetDeviceQueue>(*device, "vkGetDeviceQueue")(*device, 0, 0, &real().queue);
    return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks) {
    {
        const std::scoped_lock lock(mutex_);
        queues_.clear();
        family_of_pool_.clear();
        family_of_commands_.clear();
    }
    if (device != VK_NULL_HANDLE) device_function<PFN_vkDestroyDevice>(device, "vkDestroyDevice")(device, callbacks);
}

VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, std::uint32_t family_index, std::uint32_t index, VkQueue* queue) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Queue>& made = queues_[{family_index, index}];
    if (made == nullptr) made = std::make_unique<Queue>(device);
    *queue = reinterpret_cast<VkQueue>(made.get());
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const VkSubmitInfo& info = infos[i];
        const auto* values = static_cast<const VkTimelineSemaphoreSubmitInfo*>(info.pNext);
        if (fence != VK_NULL_HANDLE || values == nullptr ||
            values->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
            return VK_ERROR_UNKNOWN;
        queue_of(queue)->push(
            {.waits = {info.pWaitSemaphores, info.pWaitSemaphores + info.waitSemaphoreCount},
             .wait_values = {values->pWaitSemaphoreValues, values->pWaitSemaphoreValues + info.waitSemaphoreCount},
             .commands = {info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount},
             .signals = {info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount},
             .signal_values = {values->pSignalSemaphoreValues,
                               values->pSignalSemaphoreValues + info.signalSemaphoreCount}});
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) {
    return VK_ERROR_UNKNOWN;
}

VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device) {
    std::vector<Queue*> all;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& entry : queues_) all.push_back(entry.second.get());
    }
    for (Queue* queue : all) queue->drain();
    const std::scoped_lock lock(real().submitting);
    return device_function<PFN_vkDeviceWaitIdle>(device, "vkDeviceWaitIdle")(device);
}

// --- commands -----------------------------------------------------------------------------------------------------

VkDevice device_of_commands_ = VK_NULL_HANDLE;

VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                           const VkAllocationCallbacks* callbacks, VkCommandPool* pool) {
    VkCommandPoolCreateInfo plain = *info;
    plain.queueFamilyIndex = 0;
    const VkResult result =
        device_function<PFN_vkCreateCommandPool>(device, "vkCreateCommandPool")(device, &plain, callbacks, pool);
    const std::scoped_lock lock(mutex_);
    if (result == VK_SUCCESS) family_of_pool_[*pool] = info->queueFamilyIndex;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_commands(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                 VkCommandBuffer* commands) {
    const VkResult result =
        device_function<PFN_vkAllocateCommandBuffers>(device, "vkAllocateCommandBuffers")(device, info, commands);
    const std::scoped_lock lock(mutex_);
    device_of_commands_ = device;
    for (std::uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i)
        family_of_commands_[commands[i]] = family_of_pool_[info->commandPool];
    return result;
}

template <class Barrier>
bool is_transfer(const Barrier& barrier) {
    return barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex;
}

template <class Barrier>
std::vector<Barrier> plain(const Barrier* barriers, std::uint32_t count) {
    std::vector<Barrier> all(barriers, barriers + count);
    for (Barrier& barrier : all) {
        barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    }
    return all;
}

VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags source,
                                   VkPipelineStageFlags destination, VkDependencyFlags flags,
                                   std::uint32_t memory_count, const VkMemoryBarrier* memory,
                                   std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                                   std::uint32_t image_count, const VkImageMemoryBarrier* images) {
    VkDevice device = VK_NULL_HANDLE;
    {
        const std::scoped_lock lock(mutex_);
        device = device_of_commands_;
        const std::uint32_t on = family_of_commands_[commands];
        for (std::uint32_t i = 0; i < buffer_count; ++i) {
            const VkBufferMemoryBarrier& b = buffers[i];
            if (is_transfer(b))
                transfers_.push_back({on, b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.srcAccessMask,
                                      b.dstAccessMask, source, destination, b.buffer, VK_NULL_HANDLE, b.offset, b.size,
                                      VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_UNDEFINED});
        }
        for (std::uint32_t i = 0; i < image_count; ++i) {
            const VkImageMemoryBarrier& b = images[i];
            if (is_transfer(b))
                transfers_.push_back({on, b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.srcAccessMask,
                                      b.dstAccessMask, source, destination, VK_NULL_HANDLE, b.image, 0, 0, b.oldLayout,
                                      b.newLayout});
        }
    }
    const auto plain_buffers = plain(buffers, buffer_count);
    const auto plain_images = plain(images, image_count);
    device_function<PFN_vkCmdPipelineBarrier>(device, "vkCmdPipelineBarrier")(
        commands, source, destination, flags, memory_count, memory, buffer_count, plain_buffers.data(), image_count,
        plain_images.data());
}

// --- the loader's interface ---------------------------------------------------------------------------------------

struct Entry {
    const char* name;
    PFN_vkVoidFunction function;
};

template <class Function>
PFN_vkVoidFunction any(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction own(std::string_view name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char* name) {
    const PFN_vkVoidFunction found = own(name);
    return found != nullptr ? found : real().get_device(device, name);
}

PFN_vkVoidFunction own(std::string_view name) {
    const Entry entries[] = {{"vkCreateInstance", any(create_instance)},
                             {"vkDestroyInstance", any(destroy_instance)},
                             {"vkGetPhysicalDeviceQueueFamilyProperties", any(get_families)},
                             {"vkGetPhysicalDeviceQueueFamilyProperties2", any(get_families2)},
                             {"vkGetPhysicalDeviceQueueFamilyProperties2KHR", any(get_families2)},
                             {"vkCreateDevice", any(create_device)},
                             {"vkDestroyDevice", any(destroy_device)},
                             {"vkGetDeviceProcAddr", any(get_device_function)},
                             {"vkGetDeviceQueue", any(get_queue)},
                             {"vkQueueSubmit", any(submit)},
                             {"vkQueueSubmit2", any(submit2)},
                             {"vkQueueSubmit2KHR", any(submit2)},
                             {"vkDeviceWaitIdle", any(device_wait_idle)},
                             {"vkCreateCommandPool", any(create_pool)},
                             {"vkAllocateCommandBuffers", any(allocate_commands)},
                             {"vkCmdPipelineBarrier", any(barrier)}};
    for (const Entry& entry : entries) {
        if (name == entry.name) return entry.function;
    }
    return nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
    load();
    return real().negotiate(version);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
    const PFN_vkVoidFunction found = own(name);
    return found != nullptr ? found : real().get_instance(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    const std::string_view asked(name);
    if (asked.starts_with("vkGetPhysicalDeviceQueueFamilyProperties") || asked == "vkCreateDevice") {
        if (const PFN_vkVoidFunction found = own(asked); found != nullptr) return found;
    }
    return real().get_physical == nullptr ? nullptr : real().get_physical(instance, name);
}

__attribute__((visibility("default"))) std::size_t heapwright_split_transfers(SplitTransfer* transfers,
                                                                              std::size_t room) {
    const std::scoped_lock lock(mutex_);
    const std::size_t count = transfers_.size();
    for (std::size_t i = 0; i < count && i < room; ++i) transfers[i] = transfers_[i];
    if (room >= count) transfers_.clear();
    return count;
}

}  // extern "C"
