// What of a workload the device lacks: left out by plan, or planned all the same and warned of.
//
// Rule: a hint that `requires` what the device says that it lacks is left out by plan: advice, expectations and runs
// are of the workload without it. What a report does not tell counts as there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/context.hpp"

namespace heapwright::policy {

struct PlannedWorkload {
    model::Workload workload;  // what is left out has a count of 0, so that every hint keeps its place
    std::vector<model::HintLeftOut> left_out;
};

// The report lists extensions, and not this one.
[[nodiscard]] bool lacks_extension(const model::DeviceReport& device, std::string_view name);

// The device says that it has it, or the report does not tell.
[[nodiscard]] bool has_capability(const model::DeviceReport& device, model::Capability capability);

[[nodiscard]] PlannedWorkload plan_workload(const model::DeviceReport& device, const model::Workload& workload);

// Rule: a hint whose usage or format needs an extension or feature that the device says it lacks is planned all the
// same and warned of; "requires" leaves it out. What a report does not tell counts as there. Pure.

// "buffers/0: the device lacks VK_KHR_acceleration_structure, which ACCELERATION_STRUCTURE_STORAGE_KHR needs".
void warn_of_unsupported(const Context& context, model::Statement& warnings);

}  // namespace heapwright::policy
