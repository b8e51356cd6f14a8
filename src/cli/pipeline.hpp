// The three stages of the main job as the commands call them: each takes and gives documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heapwright/cli/exit_code.hpp"
#include "heapwright/cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::cli {

struct ProbeStage {
    DeviceOptions device;
    const model::Workload* workload = nullptr;  // sweep its points too
    bool measure_memory_cost = true;
};

struct ValidateStage {
    DeviceOptions device;
    bool validation_layers = false;
    bool allow_other_device = false;
    bool baselines = false;
    std::vector<std::string> scenarios;  // by name; empty: all
    std::optional<std::uint64_t> seed;   // empty: the workload's own
};

// The report with its observations and findings.
[[nodiscard]] Result<model::Report> probe_stage(const ProbeStage& stage, const OutputOptions& output);

[[nodiscard]] Result<model::Policy> advise_stage(const model::Report& report, const model::Workload& workload,
                                                 const std::vector<std::string>& selectors);

[[nodiscard]] Result<model::Validation> validate_stage(const model::Policy& policy, const model::Workload& workload,
                                                       const ValidateStage& stage, const OutputOptions& output);

// Good when every device was validated (or replayed), failed when one failed, else inconclusive.
[[nodiscard]] ExitCode exit_code_of(const model::Validation& validation);

// Notes on standard error about what the probe could not reach.
void print_failures(const model::Report& report, const OutputOptions& output);

// A few lines for people.
[[nodiscard]] std::string summary(const model::Report& report);
[[nodiscard]] std::string summary(const model::Policy& policy);
[[nodiscard]] std::string summary(const model::Validation& validation);

}  // namespace heapwright::cli
