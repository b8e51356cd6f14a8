// Rule: a hint whose usage or format needs an extension or feature that the device says it lacks is planned all the
// same and warned of; "requires" (left_out.hpp) leaves it out. What a report does not tell counts as there. Pure.
#pragma once

#include <string>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// "buffers/0: the device lacks VK_KHR_acceleration_structure, which ACCELERATION_STRUCTURE_STORAGE_KHR needs".
void warn_of_unsupported(const Context& context, model::Statement& warnings);

}  // namespace heapwright::policy
