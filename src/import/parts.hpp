// What every importer does with a device once its file is read. Pure and thread-safe.
// Beside it: the identity of a Vulkan device from its numbers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports {

// A value of the file that could not be read; the part of the report that it belongs to stays out and is listed in
// `absent`.
void add_unreadable_value(model::DeviceReport& device, std::string pointer, std::string_view where);

// States that the device has no memory heaps and no memory types. `what` holds none: "the file".
void add_no_memory_finding(model::DeviceReport& device, std::string_view what);

// An entry of the file's list of extensions that is none: it is left out, and a finding says where it stands and what
// it holds. One bad name says nothing of the rest of the device.
void add_unreadable_extension(model::DeviceReport& device, std::string_view where, std::string_view shown);
// `text` in quotes, as UTF-8 whatever it holds, cut after a line's worth.
[[nodiscard]] std::string quoted_start(std::string_view text);

// Members of the identity ("vendor_id") that the file does not state, as absent.
void add_absent_identity(model::DeviceReport& device, std::initializer_list<std::string_view> members);

// Errors: kOutOfRange for more heaps or memory types than a report holds, kSchemaViolation for a memory type that
// names no heap. `where` is the place of the memory in the source.
[[nodiscard]] Status check_memory(const model::DeviceReport& device, const std::string& where);

// Sorts the extensions, marks the origin, states heaps of no size, and lists every part that is empty, and the sweeps
// and costs that no import has, in `absent`.
void finish_device(model::DeviceReport& device);

// The identity of a Vulkan device from the values and names that files hold. Pure and thread-safe.
// Source: VkPhysicalDeviceType, VkDriverId, VK_MAKE_API_VERSION.

[[nodiscard]] model::DeviceType vulkan_device_type(std::uint64_t value);
// "VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU", also without its prefixes.
[[nodiscard]] model::DeviceType vulkan_device_type(std::string_view name);

// "NVIDIA_PROPRIETARY"; "DRIVER_ID_99" for a number that the specification did not have.
[[nodiscard]] std::string vulkan_driver_id(std::uint64_t value);
// From "VK_DRIVER_ID_NVIDIA_PROPRIETARY", also without "VK_".
[[nodiscard]] std::string vulkan_driver_id(std::string_view name);

[[nodiscard]] std::string vulkan_version_text(std::uint64_t version);

// Empty for a version of zeros, by which drivers say that they passed no conformance test.
[[nodiscard]] std::string conformance_text(std::string_view version);

// The minor version of "1.MINOR.PATCH"; 0 when there is none.
[[nodiscard]] std::uint32_t api_minor_version(std::string_view version);

}  // namespace heapwright::imports
