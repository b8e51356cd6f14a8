// A VkPhysicalDevice with what every reader of facts asks of it first: its usable version, its extensions, its core
// properties. Owns nothing of the API; valid while its Instance lives. Immutable, hence thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "vulkan/instance.hpp"

namespace heapwright::vulkan {

class PhysicalDevice {
public:
    // Errors: kOutOfHostMemory, kDriverFailure (the extension list).
    [[nodiscard]] static Result<PhysicalDevice> describe(const Instance& instance, VkPhysicalDevice handle);

    [[nodiscard]] VkPhysicalDevice handle() const { return handle_; }
    [[nodiscard]] const VkPhysicalDeviceProperties& properties() const { return properties_; }

    // The smaller of the instance's and the device's version: what may be used.
    [[nodiscard]] std::uint32_t api_version() const { return api_version_; }

    // Sorted by name.
    [[nodiscard]] const std::vector<model::Extension>& extensions() const { return extensions_; }
    [[nodiscard]] bool has_extension(std::string_view name) const;

    // In the core from `core_version` on (0: in no version) or by an extension (empty: by none).
    [[nodiscard]] bool provides(std::uint32_t core_version, std::string_view extension) const;

private:
    VkPhysicalDevice handle_ = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties_{};
    std::uint32_t api_version_ = VK_API_VERSION_1_0;
    std::vector<model::Extension> extensions_;
};

}  // namespace heapwright::vulkan
