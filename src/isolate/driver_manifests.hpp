// Finds the Vulkan drivers of this machine by their ICD manifests, as the Khronos loader does, so that each can be
// probed in a process of its own. Reads folders and environment variables, loads nothing.
// Source: Vulkan loader, "Driver interface": VK_DRIVER_FILES, VK_ICD_FILENAMES, VK_ADD_DRIVER_FILES and the XDG and
// system folders.
#pragma once

#include <filesystem>
#include <vector>

namespace heapwright::isolate {

// In the loader's order, without duplicates. Empty when none was found, or where the loader takes its drivers from
// somewhere that cannot be listed (the Windows registry; under Wine the host): the loader then chooses alone.
[[nodiscard]] std::vector<std::filesystem::path> vulkan_driver_manifests();

}  // namespace heapwright::isolate
