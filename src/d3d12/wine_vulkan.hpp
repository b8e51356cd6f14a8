// The Vulkan device that Wine's Direct3D 12 works on. Wine's DXGI describes a graphics card of its own table where it
// does not know the real one, so its name, vendor and memory cannot be believed. Windows alone.
#pragma once

#include <cstdint>
#include <optional>

#include "d3d12/vulkan_beneath.hpp"

namespace heapwright::d3d12 {

// How DXGI identifies an adapter.
struct DxgiAdapterIds {
    std::uint64_t luid = 0;
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
};

// Chosen as Wine chooses it: the only device there is, else the one with this LUID, else the one with these numbers.
// Nothing outside Wine, or where none fits. Loads Vulkan, which stays loaded until the process ends.
[[nodiscard]] std::optional<VulkanBeneath> vulkan_beneath_wine(const DxgiAdapterIds& adapter);

}  // namespace heapwright::d3d12
