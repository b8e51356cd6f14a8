#include "validate/validate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/breadcrumb.hpp"
#include "core/text.hpp"
#include "policy/left_out.hpp"
#include "validate/baselines.hpp"
#include "validate/binding_scenario.hpp"
#include "validate/engine_scenario.hpp"
#include "validate/measured_run.hpp"
#include "validate/memory_scenario.hpp"
#include "validate/scenario_verdict.hpp"
#include "workload/draw.hpp"

namespace heapwright::validate {
namespace {

// The worst of the scenarios speaks for the device.
int severity(model::Verdict verdict) {
    switch (verdict) {
        case model::Verdict::kNotSupported: return 0;
        case model::Verdict::kReplayed:
        case model::Verdict::kValidated: return 1;
        case model::Verdict::kReplayedInPart:
        case model::Verdict::kValidatedInPart: return 2;
        case model::Verdict::kInconclusive: return 3;
        case model::Verdict::kFailed: return 4;
    }
    return 4;
}

Status check_names(const std::vector<std::string>& wanted) {
    const std::vector<std::string_view> known = scenario_names();
    for (const std::string& name : wanted) {
        if (std::ranges::find(known, name) != known.end()) continue;
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("no scenario \"{}\"; there are {}{}", name, fmt::join(known, ", "),
                                nearest_word_hint(name, known)),
                    "scenario");
    }
    return {};
}

}  // namespace

std::vector<std::string_view> scenario_names() {
    std::vector<std::string_view> names;
    for (const MemoryScenarioKind& scenario : kMemoryScenarios) names.push_back(scenario.name);
    for (const BindingScenarioKind& scenario : kBindingScenarios) names.push_back(scenario.name);
    for (const EngineScenarioKind& scenario : engine_scenarios()) names.push_back(scenario.example.name);
    return names;
}

Result<model::DeviceValidation> validate(device::Device& device, const model::DevicePolicy& policy,
                                         const model::Workload& whole, const ValidateOptions& options) {
    policy::PlannedWorkload planned = policy::plan_workload(device.facts(), whole);
    planned.workload = workload::split_buffers(std::move(planned.workload), policy);
    const model::Workload& workload = planned.workload;
    model::DeviceValidation result{.identity = device.facts().identity,
                                   .replayed = !device.is_real(),
                                   .validation_layers = options.validation_layers,
                                   .memory_limit_bytes = options.memory_limit_bytes,
                                   .left_out = std::move(planned.left_out),
                                   .scenarios = {}};
    const model::DeviceValidation head = result;
    SteadyClock clock;
    const std::uint64_t started_ns = clock.now_ns();
    HEAPWRIGHT_TRY(check_names(options.scenarios));
    HEAPWRIGHT_TRY(check_names(options.skipped_scenarios));
    const auto has = [](const std::vector<std::string>& names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    const auto is_wanted = [&](std::string_view name) {
        return (options.scenarios.empty() || has(options.scenarios, name)) && !has(options.skipped_scenarios, name);
    };
    if (std::ranges::none_of(scenario_names(), is_wanted)) {
        return fail(ErrorCode::kInvalidArgument, "every scenario that was asked for is skipped", "scenario");
    }
    // One time limit for all of them, and one seed.
    const auto rest = [&] {
        ValidateOptions left = options;
        left.seed = options.seed.value_or(workload.seed);
        left.bindings = workload.bindings;
        const std::uint64_t elapsed_ns = clock.now_ns() - started_ns;
        left.time_limit_ns = options.time_limit_ns - std::min(options.time_limit_ns, elapsed_ns);
        return left;
    };
    using Results = std::vector<model::ScenarioResult>;
    const auto add_results = [&](Results done) {
        if (options.on_scenario) {
            model::DeviceValidation part = head;
            part.scenarios = done;
            part.verdict = part.scenarios.front().verdict;
            part.reason = part.scenarios.front().reason;
            options.on_scenario(part);
        }
        std::ranges::move(done, std::back_inserter(result.scenarios));
    };
    const auto add_measured = [&](std::string_view name, auto&& run_one) -> Status {
        leave_step(fmt::format("{}/0", name));
        if (const ValidateOptions left = rest(); left.time_limit_ns == 0) {
            add_results({without_time(name, options.time_limit_ns, left.run_seed())});
            return {};
        }
        const auto body = [&](const ValidateOptions& one) -> Result<Results> {
            HEAPWRIGHT_ASSIGN(model::ScenarioResult done, run_one(one));
            return Results{std::move(done)};
        };
        auto done = run_measured(device, rest(), body);
        if (!done && is_lack_of_memory(done.error())) {
            done = Results{without_memory(name, done.error(), options.seed.value_or(workload.seed))};
        }
        if (!done) return fail(std::move(done.error()));
        add_results(std::move(*done));
        return {};
    };
    for (const MemoryScenarioKind& scenario : kMemoryScenarios) {
        if (!is_wanted(scenario.name)) continue;
        HEAPWRIGHT_TRY(add_measured(
            scenario.name, [&](const ValidateOptions& one) { return scenario.body(device, policy, workload, one); }));
    }
    for (const BindingScenarioKind& scenario : kBindingScenarios) {
        if (!is_wanted(scenario.name)) continue;
        HEAPWRIGHT_TRY(add_measured(scenario.name, [&](const ValidateOptions& one) {
            return run_binding_scenario(scenario, device, policy, one);
        }));
    }
    std::optional<engines::WorkSize> work_size;
    for (const EngineScenarioKind& scenario : engine_scenarios()) {
        if (!is_wanted(scenario.example.name)) continue;
        HEAPWRIGHT_TRY(add_measured(scenario.example.name, [&](const ValidateOptions& one) {
            return run_engine_scenario(scenario.example, device, policy, one, scenario.sharing, &work_size);
        }));
    }

    leave_step({});
    const model::ScenarioResult* worst = &result.scenarios.front();
    result.verdict = worst->verdict;
    result.reason = worst->reason;
    for (const model::ScenarioResult& one : result.scenarios) {
        if (severity(one.verdict) <= severity(result.verdict)) continue;
        worst = &one;
        result.verdict = one.verdict;
        result.reason = one.name + ": " + one.reason;
    }
    // The reason of a scenario that played a part has it already. What is wrong goes before what is missing.
    const auto part = std::ranges::find_if(result.scenarios, [](const auto& one) { return bool(one.part); });
    if (part != result.scenarios.end() && worst != &*part) result.reason += "; " + part->part->statement;
    if (!result.left_out.empty()) {
        const std::string left_out = model::left_out_text(result.left_out);
        const bool is_wrong = severity(result.verdict) >= severity(model::Verdict::kInconclusive);
        result.reason = is_wrong ? result.reason + "; " + left_out : left_out + "; " + result.reason;
    }
    if (!options.other_workload.empty()) result.reason = options.other_workload + "; " + result.reason;
    if (options.baselines && rest().time_limit_ns != 0) {
        leave_step("baselines/0");
        auto baselines = run_measured(device, rest(), [&](const ValidateOptions& measured) {
            return run_baselines(device, policy, workload, measured);
        });
        if (!baselines) return fail(std::move(baselines.error()));
        result.baselines = std::move(*baselines);
        leave_step({});
    }
    return result;
}

}  // namespace heapwright::validate
