// Rule: a hint that `requires` what the device says that it lacks is left out by plan: advice, expectations and runs
// are of the workload without it. What a report does not tell counts as there. Pure.
#pragma once

#include <vector>

#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::policy {

struct PlannedWorkload {
    model::Workload workload;  // what is left out has a count of 0, so that every hint keeps its place
    std::vector<model::HintLeftOut> left_out;
};

[[nodiscard]] bool has_capability(const model::DeviceReport& device, model::Capability capability);

[[nodiscard]] PlannedWorkload plan_workload(const model::DeviceReport& device, const model::Workload& workload);

}  // namespace heapwright::policy
