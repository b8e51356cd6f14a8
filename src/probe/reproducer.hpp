// Writes the standalone program that shows a finding again: C++17 against <vulkan/vulkan.h> alone, linked with the
// Vulkan loader. It asks the device what the report's entries asked, prints the answers and exits with
//   0  the violation does not show on this device
//   1  it shows
//   2  it could not be tried (no loader, no device, the device refuses the query)
// The program takes a device index as its argument; without one it looks for the report's device, then takes the first.
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {

// Errors: kNotSupported for a Direct3D 12 device, of which nothing is found so far.
[[nodiscard]] Result<std::string> reproducer(const model::DeviceIdentity& device, const DetailedFinding& detailed);

struct FoundFinding {
    model::DeviceIdentity device;
    DetailedFinding detailed;
};

// The finding of that id in the first device of the report that has it. Errors: kInvalidArgument naming those that can
// be reproduced; kNotSupported for a finding that no query shows (a crash, a refusal).
[[nodiscard]] Result<FoundFinding> find_finding(const model::Report& report, std::string_view id);

}  // namespace heapwright::probe
