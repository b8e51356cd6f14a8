// Runs a test body once for each device and each form of descriptors that it can have.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "backends.hpp"

namespace heapwright::test {

struct Case {
    Backend backend;
    std::optional<device::DescriptorForm> form;  // empty: the device's own
};

// Every device in every form that it can have. Skips the test when a device is missing and none is there.
[[nodiscard]] std::vector<Case> cases();
[[nodiscard]] std::string_view name_of(std::optional<device::DescriptorForm> form);

}  // namespace heapwright::test
