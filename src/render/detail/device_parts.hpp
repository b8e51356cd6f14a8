// What the first screen of one device is made from. Points into the documents, which must outlive it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/first_screen.hpp"

namespace heapwright::render::detail {

// The parts of the documents that speak of one device.
struct DeviceParts {
    const model::DeviceReport* report = nullptr;
    std::string report_file;
    const model::DevicePolicy* policy = nullptr;
    std::string policy_file;
    std::string workload;
    const model::DeviceValidation* validation = nullptr;
    bool ran_another_policy = false;                     // than the one that is shown
    std::span<const model::ProbeFailure> failures;       // of the probe
    std::span<const model::ProbeFailure> not_validated;  // beside the validation that is shown
};

// The three figures that matter: measured where a run of the policy is among the documents, else expected by the
// policy, else the report's own; none where there is neither.
[[nodiscard]] std::vector<KeyFigure> key_figures(const DeviceParts& parts);

// "VMA's default" of "mixed-workload/vma-default"; the name's own words where there are none for it.
[[nodiscard]] std::string baseline_label(const model::ScenarioResult& baseline);

}  // namespace heapwright::render::detail
