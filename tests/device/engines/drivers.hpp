// The drivers that the tests of engines run on, opened.
#pragma once

#include <memory>
#include <vector>

#include "device/capability_source.hpp"
#include "device/device.hpp"

namespace heapwright::test {

struct Driver {
    const char* variable;  // that names its manifest
    model::Api api;
};

// The driver alone that HEAPWRIGHT_CHECK_ICD names where it is set, under Direct3D 12 where HEAPWRIGHT_CHECK_API is
// "d3d12": a test that skips another driver counts as skipped, whatever it did on this one. Else the environment's.
[[nodiscard]] std::vector<Driver> drivers();

// Skips the test where no driver is named so.
[[nodiscard]] Driver named_driver();

// On the named driver where HEAPWRIGHT_ICD_DEVICE_LAYERS is set.
[[nodiscard]] bool takes_layers(const Driver& driver);

struct Opened {
    std::unique_ptr<device::CapabilitySource> source;
    std::unique_ptr<device::Device> device;
};

// Skips the test when the driver's variable is not set.
[[nodiscard]] Opened open(const Driver& driver, bool layers);

}  // namespace heapwright::test
