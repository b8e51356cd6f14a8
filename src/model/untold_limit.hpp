// A limit that stands in a report and that the device did not tell. Pure and thread-safe.
#pragma once

#include "heapwright/model/report.hpp"

namespace heapwright::model {

// 0, where Vulkan's required limits allow no device that: a structure that a driver or loader left as it was.
// DeviceReport::limit() gives nothing for such a one.
[[nodiscard]] bool is_untold(const Fact& limit);

}  // namespace heapwright::model
