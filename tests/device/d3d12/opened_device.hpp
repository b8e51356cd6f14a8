// A Direct3D 12 device beneath which lies one of the Vulkan drivers that the environment names; closing it demands that
// nothing lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "heapwright/device/device.hpp"
#include "source.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kTimeoutNs = 20'000'000'000;
inline constexpr model::Flags kBothTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;

class OpenedDevice {
public:
    // Skips the test when the variable is not set.
    explicit OpenedDevice(const char* driver);
    OpenedDevice(const OpenedDevice&) = delete;
    OpenedDevice& operator=(const OpenedDevice&) = delete;

    device::Device& operator*() { return *device_; }
    device::Device* operator->() { return device_.get(); }

    // The first memory type that `bits` admit and that has all `properties`.
    [[nodiscard]] std::optional<MemoryTypeIndex> memory_type(std::uint32_t bits, model::Flags properties) const;

    // A buffer in host-visible memory of its own, for transfers both ways.
    [[nodiscard]] device::ResourceId host_buffer(std::uint64_t size_bytes);
    [[nodiscard]] std::span<std::byte> bytes(device::ResourceId buffer);

    // A resource in any memory type, committed.
    [[nodiscard]] device::ResourceId dedicated(const model::ResourceDescription& resource);

    // Submits to the engine and waits until it is done.
    void run(std::span<const device::Work> work, device::EngineId engine = {});

    // Destroys `resources`, closes the device; nothing may live.
    void close(std::span<const device::ResourceId> resources = {});

    // Closes the device whatever lives.
    void abandon() { device_.reset(); }

private:
    std::unique_ptr<device::CapabilitySource> source_;
    std::unique_ptr<device::Device> device_;
};

}  // namespace heapwright::test
