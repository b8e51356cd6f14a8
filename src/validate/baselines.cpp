#include "heapwright/validate/baselines.hpp"

#include <string_view>
#include <utility>

#include "heapwright/policy/advise.hpp"
#include "heapwright/validate/mixed_workload.hpp"

namespace heapwright::validate {
namespace {

Status add(std::vector<model::ScenarioResult>& results, std::string_view name, Result<model::ScenarioResult> result) {
    if (!result) return fail(std::move(result.error()));
    result->name.push_back('/');
    result->name.append(name);
    results.push_back(std::move(*result));
    return {};
}

}  // namespace

Result<std::vector<model::ScenarioResult>> run_baselines(device::Device& device, const model::DevicePolicy& policy,
                                                         const model::Workload& workload,
                                                         const ValidateOptions& options) {
    std::vector<model::ScenarioResult> results;
    ValidateOptions one = options;
    one.allocator = make_one_each;
    HEAPWRIGHT_TRY(add(results, "one-each", run_mixed_workload(device, policy, workload, one)));

    HEAPWRIGHT_ASSIGN(const model::DevicePolicy source,
                      policy::advise(device.facts(), workload, 0, {.rule = policy::ChunkRuleName::kSource}));
    one.allocator = make_pool_under_test;
    HEAPWRIGHT_TRY(add(results, "source-rule", run_mixed_workload(device, source, workload, one)));

    one.allocator = make_vma_default;
    HEAPWRIGHT_TRY(add(results, "vma-default", run_mixed_workload(device, policy, workload, one)));
    return results;
}

}  // namespace heapwright::validate
