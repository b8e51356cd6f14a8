// What the class of a device means for its memory, said where the plan touches it: the heaps of an integrated device
// are one RAM, and reads by the host of memory that is not host cached are slow. Pure.
#pragma once

#include <string>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// Of `policy` the memory uses and the capacity plan are there.
void warn_of_device_class(const Context& context, const model::DevicePolicy& policy,
                          std::vector<std::string>& warnings);

}  // namespace heapwright::policy
