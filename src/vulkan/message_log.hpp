// Collects what the validation layer says, from whichever thread the driver is called on.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heapwright_generated/volk.hpp"

namespace heapwright::vulkan {

class MessageLog {
public:
    // A messenger that feeds this log with the layer's warnings and errors. The loader's own remarks (message type
    // GENERAL: manifests that it skipped) and performance hints are not faults and stay out. The log outlives it.
    [[nodiscard]] VkDebugUtilsMessengerCreateInfoEXT messenger_info();

    void add(std::string message);
    [[nodiscard]] std::vector<std::string> take();

private:
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

}  // namespace heapwright::vulkan
