// Validation on a replayed report: the report acts as the device, in this process, because no driver is involved.
#pragma once

#include <string>

#include "heapwright/cli/pipeline.hpp"

namespace heapwright::cli {

// What takes the place of a driver.
struct ReplaySource {
    std::string report_file;
    std::string fault_plan;  // faults/fault_injection.hpp; empty: no fault
};

// Each device of the policy on the device of the report that it was made for. Verdicts say "replayed", and how many
// memory requirements had to be interpolated. Errors: as read_report(), parse_fault_plan(), validate();
// kDeviceMismatch.
[[nodiscard]] Result<model::Validation> replay_stage(const model::Policy& policy, const model::Workload& workload,
                                                     const ReplaySource& source, const isolate::DeviceChoice& devices,
                                                     const validate::ValidationRequest& request,
                                                     const OutputOptions& output);

}  // namespace heapwright::cli
