// A small engine of its own: it loads libvulkan, opens an instance with the validation layer where that is installed,
// a device and a queue, and counts what lives on the device. Its vkGetDeviceProcAddr gives functions that can fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "heapwright/vulkan/device_pool.hpp"

namespace heapwright::test {

inline const char* const kAdoptDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS",
                                            "HEAPWRIGHT_ICD_SWIFTSHADER"};

// Of the calls that can fail, those through the functions that the pool was given.
struct CallCounts {
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> failing{-1};  // the call that fails, counted from 0; below 0: none
    std::atomic<std::int64_t> memories{0};  // alive
    std::atomic<std::int64_t> buffers{0};
    std::atomic<std::int64_t> images{0};
    std::atomic<std::int64_t> maps_beside_binds{0};  // of one memory, at one time
};
CallCounts& call_counts();

// Of this thread's allocations of host memory, in a program that replaces operator new: how many there were, and the
// one that fails, counted from 0; below 0: none.
struct HostMemory {
    std::int64_t made = 0;
    std::int64_t failing = -1;
};
HostMemory& host_memory();

class Engine {
public:
    // Skips the test where the variable is not set. Without the layers nothing but the pool takes host memory by
    // operator new.
    explicit Engine(const char* driver, bool with_layers = true);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    [[nodiscard]] vulkan::PoolDevice device() const;
    // Of the validation layer, since the start.
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
    void add_message(const char* text) { messages_.emplace_back(text); }

    struct Copy {
        VkBuffer from = VK_NULL_HANDLE;
        VkBuffer through = VK_NULL_HANDLE;
        VkBuffer to = VK_NULL_HANDLE;
        std::uint64_t size_bytes = 0;
    };
    // Submits the copies; the timeline semaphore has the value once they are done.
    void submit(const std::vector<Copy>& copies, std::uint64_t value);
    void wait(std::uint64_t value);
    [[nodiscard]] std::uint64_t completed() const;

    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(get_device_(device_, name));
    }
    [[nodiscard]] VkDevice handle() const { return device_; }

private:
    void* library_ = nullptr;
    PFN_vkGetInstanceProcAddr get_instance_ = nullptr;
    PFN_vkGetDeviceProcAddr get_device_ = nullptr;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool command_pool_ = VK_NULL_HANDLE;
    VkSemaphore timeline_ = VK_NULL_HANDLE;
    std::uint32_t api_version_ = VK_API_VERSION_1_2;
    VkPhysicalDeviceVulkan12Features features12_{};
    VkDeviceCreateInfo created_with_{};
    std::vector<const char*> extensions_;
    std::vector<std::string> messages_;
};

}  // namespace heapwright::test
