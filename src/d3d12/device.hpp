// Opens a Direct3D 12 device behind the seams of src/device. Several may be open at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "d3d12/adapter.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

// The adapter outlives the device. Errors: those of D3D12CreateDevice, CreateCommandQueue and CreateFence.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_device(Adapter& adapter, std::uint32_t device_index);

struct LiveObjects {
    std::size_t heaps = 0;
    std::size_t resources = 0;
    std::size_t command_lists = 0;  // ever made; they are used again
    std::size_t descriptor_heaps = 0;
    std::size_t command_allocators = 0;
    std::size_t pipelines = 0;

    friend bool operator==(const LiveObjects&, const LiveObjects&) = default;
};

// Nothing when `device` was not opened by open_device().
[[nodiscard]] std::optional<LiveObjects> live_objects(const device::Device& device);

}  // namespace heapwright::d3d12
