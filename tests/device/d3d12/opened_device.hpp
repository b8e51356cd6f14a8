// A Direct3D 12 device beneath which lies one of the Vulkan drivers that the environment names; closing it demands that
// nothing lives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device_under_test.hpp"
#include "source.hpp"

namespace heapwright::test {

inline constexpr bool kHasLinearImages = false;
// Of a heap of 2^64 - 1 bytes.
inline constexpr ErrorCode kEndlessHeapError = ErrorCode::kOutOfDeviceMemory;

// A subresource in a buffer, without gaps.
[[nodiscard]] std::uint64_t packed_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil);

class OpenedDevice : public DeviceUnderTest {
public:
    // Skips the test when the variable is not set. There are no layers to turn off.
    explicit OpenedDevice(const char* driver, bool validation_layers = true);
    ~OpenedDevice() { device_.reset(); }  // before the source

    [[nodiscard]] LiveObjects live() const;

    // Destroys `resources`, closes the device; nothing may live.
    void close(std::span<const device::ResourceId> resources = {});

    // Closes the device whatever lives.
    void abandon() { device_.reset(); }

private:
    std::unique_ptr<device::CapabilitySource> source_;
};

}  // namespace heapwright::test
