// Follows a decision's pointers into the model and changes what stands there, to see whether the decision minds.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::test {

// One decision, with its value as text.
struct NamedDecision {
    std::string name;
    std::string value;
    model::Decision why;
};

// Every Decided value of a device policy, in a fixed order.
[[nodiscard]] std::vector<NamedDecision> all_decisions(const model::DevicePolicy& policy);

// Changes the value at the pointer (of device 0); false when the pointer leads nowhere that this knows.
[[nodiscard]] bool change_input(const model::DecisionInput& input, model::DeviceReport& device,
                                model::Workload& workload);

}  // namespace heapwright::test
