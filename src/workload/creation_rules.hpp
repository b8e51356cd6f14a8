// What VkImageCreateInfo and VkBufferCreateInfo ("Valid Usage") forbid on every device, as far as a hint says it, so
// that a workload is refused before a device is asked: no usage; attachments of a format that cannot be one; linear or
// cube images of several samples; subsampled formats with odd sides, mips, samples or slices; a transient attachment
// that is more; views of blocks without blocks. What a feature or limit decides is the device's answer and no rule
// here. Traces are not held to it: what they tell was created. Pure and thread-safe.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// Of a workload that passed check_workload() (stream.hpp). Errors: kInvalidArgument naming the member as a JSON
// pointer, its value and the rule.
[[nodiscard]] Status check_creation(const model::Workload& workload);

}  // namespace heapwright::workload
