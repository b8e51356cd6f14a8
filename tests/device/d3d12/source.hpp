// A Direct3D 12 source on one of the Vulkan drivers that the environment names, beneath vkd3d.
#pragma once

#include <memory>

#include "device/capability_source.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::test {

inline const char* const kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS"};

// Skips the running test when the variable is not set, fails it when there is no source.
[[nodiscard]] std::unique_ptr<device::CapabilitySource> open_source(const char* driver);

[[nodiscard]] model::DeviceReport read(device::CapabilitySource& source, const device::ReadOptions& options = {});

// The manifest that the variable names; skips the running test without one.
[[nodiscard]] const char* manifest_of(const char* driver);

}  // namespace heapwright::test
