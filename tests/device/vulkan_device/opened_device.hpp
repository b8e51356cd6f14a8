// A device of one of the drivers that the environment names, opened with the validation layers, synchronization
// validation included; closing it demands that nothing lives and that the layers said nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device_under_test.hpp"
#include "vulkan/device.hpp"
#include "vulkan/instance.hpp"

namespace heapwright::test {

// The variables that name drivers; a test case runs once for each.
inline const char* const kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS",
                                       "HEAPWRIGHT_ICD_SWIFTSHADER"};

inline constexpr bool kHasLinearImages = true;
// Of a heap of 2^64 - 1 bytes.
inline constexpr ErrorCode kEndlessHeapError = ErrorCode::kInvalidArgument;

// A subresource in a buffer, without gaps.
[[nodiscard]] std::uint64_t packed_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil);

class OpenedDevice : public DeviceUnderTest {
public:
    // Skips the test when the variable is not set.
    explicit OpenedDevice(const char* driver, bool validation_layers = true);
    ~OpenedDevice() { device_.reset(); }  // before the instance

    [[nodiscard]] const vulkan::Instance& instance() const { return *instance_; }
    [[nodiscard]] VkPhysicalDevice physical() const { return physical_; }
    [[nodiscard]] LiveObjects live() const;

    // Destroys `resources`, closes the device; the checks of the head comment.
    void close(std::span<const device::ResourceId> resources = {});

    // Closes the device whatever lives; the layers still say nothing, of objects that outlive their device neither.
    void abandon();

private:
    std::unique_ptr<vulkan::Instance> instance_;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
};

}  // namespace heapwright::test
