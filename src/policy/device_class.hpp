// What the class of a device means for its memory, said where the plan touches it: the heaps of an integrated device
// are one RAM, and reads by the host of memory that is not host cached are slow. Pure.
//
// Where such a device has several heaps, the workload's reserve share is left twice over (0.1 becomes 0.19): what one
// heap takes, the other heap and the rest of the system lack. Others leave a fifth on integrated devices (ollama, pull
// request 14954).
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// Several heaps that can be planned in, and all of them the RAM of the host.
[[nodiscard]] bool shares_one_ram(const model::DeviceReport& device);

// Of `policy` the memory uses and the capacity plan are there.
void warn_of_device_class(const Context& context, const model::DevicePolicy& policy, model::Statement& warnings);

}  // namespace heapwright::policy
