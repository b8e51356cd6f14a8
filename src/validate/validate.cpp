#include "heapwright/validate/validate.hpp"

#include <algorithm>
#include <utility>

#include "heapwright/validate/baselines.hpp"
#include "heapwright/validate/defragmentation.hpp"
#include "heapwright/validate/mixed_workload.hpp"
#include "heapwright/validate/streaming.hpp"

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
    SteadyClock clock;
    const std::uint64_t started_ns = clock.now_ns();
    for (const auto scenario : {run_mixed_workload, run_streaming, run_defragmentation}) {
        // One time limit for all of them.
        ValidateOptions rest = options;
        const std::uint64_t elapsed_ns = clock.now_ns() - started_ns;
        rest.time_limit_ns = options.time_limit_ns - std::min(options.time_limit_ns, elapsed_ns);
        HEAPWRIGHT_ASSIGN(model::ScenarioResult one, scenario(device, policy, workload, rest));
        result.scenarios.push_back(std::move(one));
    }

    result.verdict = result.scenarios.front().verdict;
    result.reason = result.scenarios.front().reason;
    for (const model::ScenarioResult& one : result.scenarios) {
        if (severity(one.verdict) <= severity(result.verdict)) continue;
        result.verdict = one.verdict;
        result.reason = one.name + ": " + one.reason;
    }
    if (options.baselines) {
        HEAPWRIGHT_ASSIGN(result.baselines, run_baselines(device, policy, workload, options));
    }
    return result;
}

}  // namespace heapwright::validate
