// The stages of the main job, probe, advise and validate, and the options of a validation.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "isolate/driver_stages.hpp"
#include "isolate/request.hpp"
#include "policy/default_workload.hpp"
#include "validate/request.hpp"

namespace CLI {
class App;
}

namespace heapwright::cli {

// --seed, --scale-to-fit, --allow-broken-promises, --baselines, --scenario, --validation-layers.
void add_validation_options(CLI::App& command, validate::ValidationRequest& request);

// The three stages of the main job as the commands call them: each takes and gives documents.

// The report with its observations and findings. `workload`: sweep its points too; null: none.
[[nodiscard]] Result<isolate::Probed> probe_stage(const isolate::DeviceChoice& devices,
                                                  const isolate::ProbeRequest& request, const model::Workload* workload,
                                                  const OutputOptions& output);

// To those that the report holds already, what it shows of the devices' answers.
void add_findings(model::Report& report);

// A report's devices, by index, that a policy can be computed for, and those that it cannot, as for lack of memory
// types. Where all are such they are chosen all the same: policy::advise() refuses the first.
struct AdvisableDevices {
    std::vector<std::size_t> chosen;
    std::vector<model::ProbeFailure> left_out;
};
[[nodiscard]] Result<AdvisableDevices> advisable_devices(const model::Report& report, const model::Workload& workload,
                                                         const std::vector<std::string>& selectors);

// What the policy was made for and the validation neither judged nor names becomes a failure of it.
void name_missing_devices(const model::Policy& policy, model::Validation& validation);

// The default workload at the size that the devices hold (policy/default_workload.hpp); a line on standard error where
// that is not all of it. `devices`: positions in the report; empty: all. `most_bytes`: none: all that is usable.
[[nodiscard]] Result<model::Workload> default_workload_stage(const model::Report& report,
                                                             const std::vector<std::size_t>& devices,
                                                             const model::Workload& workload,
                                                             const policy::MostBytes& most_bytes,
                                                             const OutputOptions& output);

// A line on standard error for each device that the workload does not fit. Whether it fits all of them.
bool say_what_does_not_fit(const model::Policy& policy, const OutputOptions& output);

[[nodiscard]] Result<model::Validation> validate_stage(const model::Policy& policy, const model::Workload& workload,
                                                       const isolate::DeviceChoice& devices,
                                                       const validate::ValidationRequest& request,
                                                       const OutputOptions& output);

// A note on standard error for each driver and device that could not be reached; `what`: "not probed".
void print_failures(std::string_view what, const std::vector<model::ProbeFailure>& failures,
                    const OutputOptions& output);

// A few lines for people.
[[nodiscard]] std::string summary(const model::Report& report);
[[nodiscard]] std::string summary(const model::Policy& policy);
[[nodiscard]] std::string summary(const model::Validation& validation);

}  // namespace heapwright::cli
