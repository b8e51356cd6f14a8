// A device of one of the drivers that the environment names, opened with the validation layers, synchronization
// validation included; closing it demands that nothing lives and that the layers said nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heapwright/device/device.hpp"
#include "heapwright/vulkan/device.hpp"
#include "heapwright/vulkan/instance.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kTimeoutNs = 20'000'000'000;

// The variables that name drivers; a test case runs once for each.
inline const char* const kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS",
                                       "HEAPWRIGHT_ICD_SWIFTSHADER"};

class OpenedDevice {
public:
    // Skips the test when the variable is not set.
    explicit OpenedDevice(const char* driver, bool validation_layers = true);
    OpenedDevice(const OpenedDevice&) = delete;
    OpenedDevice& operator=(const OpenedDevice&) = delete;

    device::Device& operator*() { return *device_; }
    device::Device* operator->() { return device_.get(); }
    [[nodiscard]] const vulkan::Instance& instance() const { return *instance_; }
    [[nodiscard]] VkPhysicalDevice physical() const { return physical_; }

    // The first memory type that all `bits` admit and that has all `properties`.
    [[nodiscard]] std::optional<MemoryTypeIndex> memory_type(std::uint32_t bits, model::Flags properties) const;

    // A buffer in host-visible memory of its own, for transfers both ways.
    [[nodiscard]] device::ResourceId host_buffer(std::uint64_t size_bytes);
    [[nodiscard]] std::span<std::byte> bytes(device::ResourceId buffer);

    // A resource in any memory type, dedicated.
    [[nodiscard]] device::ResourceId dedicated(const model::ResourceDescription& resource);

    // Submits to the engine and waits until it is done.
    void run(std::span<const device::Work> work, device::EngineId engine = {});

    // Destroys `resources`, closes the device; the checks of the head comment.
    void close(std::span<const device::ResourceId> resources = {});

    // Closes the device whatever lives; the layers still say nothing, of objects that outlive their device neither.
    void abandon();

private:
    std::unique_ptr<vulkan::Instance> instance_;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory_{};
    std::unique_ptr<device::Device> device_;
};

inline constexpr model::Flags kBothTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;

}  // namespace heapwright::test
