// Finds the Vulkan loader at run time; the program starts, and says so clearly, where there is none.
// The loader stays loaded until the process ends. Thread-safe.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "heapwright/core/result.hpp"

namespace heapwright::vulkan {

// The library that the environment variable HEAPWRIGHT_VULKAN_LOADER names, alone; else the platform's names of the
// loader, in the order in which they are tried.
[[nodiscard]] std::span<const char* const> loader_names();

// Does nothing when a loader is loaded already. Errors: kNoLoader with each name that was tried and why it failed.
[[nodiscard]] Status load_loader(std::span<const char* const> names = loader_names());

// Makes the loader use these drivers (ICD manifests) alone, by VK_DRIVER_FILES and VK_ICD_FILENAMES of this process:
// it reads them when an instance is created. An empty list changes nothing.
// Errors: kIoError naming a file that is absent or unreadable, kParseError one that is no JSON object.
[[nodiscard]] Status select_drivers(std::span<const std::filesystem::path> icd_files);

// Why the loader dropped the driver of each of these manifests, which it does without a word: it names no library, or
// one that the system refuses; "FILE: REASON", joined with "; ". Empty where all of them can be loaded. Loads them, and
// so is for a loader that found no driver. A path with a slash is relative to its manifest.
// Source: Vulkan loader, "Driver interface", library_path.
[[nodiscard]] std::string dropped_drivers(std::span<const std::filesystem::path> icd_files);

// The error with which a driver of these manifests lists its devices. The loader takes a driver that fails at that for
// one without a device, so each is asked itself; it is for a loader that found no device. Nothing where a driver has
// none and says so, and where it cannot be asked.
// Source: Vulkan loader, "Driver interface", vk_icdGetInstanceProcAddr.
[[nodiscard]] Status ask_drivers(std::span<const std::filesystem::path> icd_files);

}  // namespace heapwright::vulkan
