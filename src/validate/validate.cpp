#include "heapwright/validate/validate.hpp"

#include <utility>

#include "heapwright/validate/mixed_workload.hpp"

namespace heapwright::validate {
namespace {

// The worst of the scenarios speaks for the device.
int severity(model::Verdict verdict) {
    switch (verdict) {
        case model::Verdict::kNotSupported: return 0;
        case model::Verdict::kReplayed:
        case model::Verdict::kValidated: return 1;
        case model::Verdict::kInconclusive: return 2;
        case model::Verdict::kFailed: return 3;
    }
    return 3;
}

}  // namespace

Result<model::DeviceValidation> validate(device::Device& device, const model::DevicePolicy& policy,
                                         const model::Workload& workload, const ValidateOptions& options) {
    model::DeviceValidation result{.identity = device.facts().identity,
                                   .replayed = !device.is_real(),
                                   .validation_layers = options.validation_layers,
                                   .memory_limit_bytes = options.memory_limit_bytes};
    HEAPWRIGHT_ASSIGN(model::ScenarioResult scenario, run_mixed_workload(device, policy, workload, options));
    result.scenarios.push_back(std::move(scenario));

    result.verdict = result.scenarios.front().verdict;
    result.reason = result.scenarios.front().reason;
    for (const model::ScenarioResult& one : result.scenarios) {
        if (severity(one.verdict) <= severity(result.verdict)) continue;
        result.verdict = one.verdict;
        result.reason = one.name + ": " + one.reason;
    }
    return result;
}

}  // namespace heapwright::validate
