// What the tests of both backends do with a device through its seams. Each backend's opened_device.hpp opens and closes
// it, and says what is the backend's own (LiveObjects OpenedDevice::live(), packed_bytes(), kEndlessHeapError, ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kTimeoutNs = 20'000'000'000;
inline constexpr model::Flags kBothTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;

struct LiveObjects {
    std::size_t source_allocations = 0;
    std::size_t resources = 0;
    std::size_t command_lists = 0;             // ever made; they are used again
    std::optional<std::size_t> allocations{};  // where the backend counts them apart
};

class DeviceUnderTest {
public:
    DeviceUnderTest(const DeviceUnderTest&) = delete;
    DeviceUnderTest& operator=(const DeviceUnderTest&) = delete;

    device::Device& operator*() { return *device_; }
    device::Device* operator->() { return device_.get(); }

    // The first memory type that `bits` admit and that has all `properties`.
    [[nodiscard]] std::optional<MemoryTypeIndex> memory_type(std::uint32_t bits, model::Flags properties) const;

    // A buffer in host-visible memory of its own, for transfers both ways.
    [[nodiscard]] device::ResourceId host_buffer(std::uint64_t size_bytes);
    [[nodiscard]] std::span<std::byte> bytes(device::ResourceId buffer);

    // A resource in any memory type, dedicated.
    [[nodiscard]] device::ResourceId dedicated(const model::ResourceDescription& resource);

    // Submits to the engine and waits until it is done.
    void run(std::span<const device::Work> work, device::EngineId engine = {});

protected:
    DeviceUnderTest() = default;
    ~DeviceUnderTest() = default;

    std::unique_ptr<device::Device> device_;
    std::vector<model::Flags> memory_type_flags_;
};

}  // namespace heapwright::test
