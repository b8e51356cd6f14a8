// The text that vulkaninfo prints, full or --summary: one device for each "GPUn" heading, in their order; the same
// number twice makes two devices. Where a section stands twice under one heading, the first counts.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_vulkaninfo(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_vulkaninfo(std::string_view text,
                                                                         std::string_view source);

}  // namespace heapwright::imports::detail
