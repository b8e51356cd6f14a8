#include "vulkan/fitting_policy.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heapwright/model/json.hpp"
#include "loader/match.hpp"
#include "loader/scale.hpp"
#include "policy/advise.hpp"
#include "workload/presets.hpp"

namespace heapwright::vulkan {
namespace {

loader::RunningDevice running_device(const model::DeviceReport& facts) {
    loader::RunningDevice running;
    running.identity = facts.identity;
    running.heaps = facts.heaps;
    running.memory_types = facts.memory_types;
    running.limits = facts.limits;
    for (const model::HeapBudget& budget : facts.run.heap_budgets) running.budget_bytes.push_back(budget.budget_bytes);
    running.budget_bytes.resize(facts.heaps.size());
    return running;
}

}  // namespace

Result<FittingPolicy> fitting_policy(const model::DeviceReport& facts, std::string_view document,
                                     std::string_view source) {
    HEAPWRIGHT_ASSIGN(model::Policy read, model::read_policy(document, source));
    std::vector<loader::StoredPolicy> stored;
    for (model::DevicePolicy& device : read.devices) {
        stored.push_back({.file = std::string(source),
                          .header = read.header,
                          .workload_name = read.workload_name,
                          .device = std::move(device)});
    }
    const loader::RunningDevice running = running_device(facts);
    const loader::MatchResult found = loader::find_match(stored, running, {});
    if (!found.best) {
        std::string why = "no policy of the document fits the device";
        for (const std::string& line : found.passed_over) why += "; " + line;
        return fail(ErrorCode::kDeviceMismatch, std::move(why), std::string(source));
    }
    FittingPolicy fitting{.policy = std::move(stored[found.best->policy].device),
                          .workload_name = read.workload_name,
                          .explanation = fmt::format("{}: {}\n", source, found.best->reason)};
    for (const std::string& change : loader::scale(fitting.policy, running)) {
        fitting.explanation += fmt::format("scaled: {}\n", change);
    }
    return fitting;
}

Result<FittingPolicy> made_policy(const model::DeviceReport& facts, const std::string& workload_name) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, workload::preset(workload_name));
    policy::AdviseOptions options;
    options.sample = {.most_resources = 2048, .churn_steps = 512, .most_played = 2048};  // a start-up is to be short
    options.with_expectations = false;
    HEAPWRIGHT_ASSIGN(model::DevicePolicy policy, policy::advise(facts, workload, 0, options));
    return FittingPolicy{
        .policy = std::move(policy),
        .workload_name = workload.name,
        .explanation = fmt::format("made at start for the workload {} from heaps, memory types and limits; sizes and "
                                   "alignments are assumed\n",
                                   workload.name)};
}

}  // namespace heapwright::vulkan
