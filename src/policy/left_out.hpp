// Rule: a hint that `requires` what the device says that it lacks is left out by plan: advice, expectations and runs
// are of the workload without it. What a report does not tell counts as there. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

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

}  // namespace heapwright::policy
