#include "cli/pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "isolate/driver_stages.hpp"
#include "model/printable.hpp"
#include "model/selection.hpp"
#include "policy/advise.hpp"
#include "policy/default_workload.hpp"
#include "probe/examine.hpp"
#include "probe/observe.hpp"
#include "render/engine_text.hpp"
#include "render/explain.hpp"
#include "render/overview.hpp"
#include "validate/promises.hpp"
#include "validate/validate.hpp"

namespace heapwright::cli {
namespace {

CLI::Validator known_scenario() {
    return {[](const std::string& name) {
                const auto known = validate::scenario_names();
                if (std::ranges::find(known, name) != known.end()) return std::string();
                return fmt::format("no scenario \"{}\"; there are {}{}", name, fmt::join(known, ", "),
                                   nearest_word_hint(name, known));
            },
            ""};
}

}  // namespace

void add_validation_options(CLI::App& command, validate::ValidationRequest& request) {
    command.add_option("--seed", request.seed, "Seed of the synthetic workload (default: the workload's own)")
        ->transform(whole_number());
    command.add_flag("--scale-to-fit", request.scale_to_fit,
                     "Play a part of a workload that does not fit the policy, instead of failing, and exit with 0 "
                     "where the memory limit alone lets only a part run (--allow-unplayed: also where the device "
                     "lacks resources); the verdict says how large a part");
    command.add_flag("--allow-unplayed", request.allow_unplayed,
                     "Exit with 0 also where the device lacks resources of the workload, so that only a part of it was "
                     "validated");
    command.add_flag("--allow-broken-promises", request.allow_broken_promises,
                     "Tell broken promises of the policy (waste, device allocations, times, peaks), but fail nothing "
                     "for them");
    command.add_flag("--baselines", request.baselines,
                     "Run other allocators on the same operations too: one allocation for every resource, the chunk "
                     "rule max(M, H / K) of the article \"Vulkan Memory Allocation\", the Vulkan Memory Allocator's "
                     "default rule; and streaming with chunks on demand, the policy's and 256 MiB");
    command
        .add_option("--scenario", request.scenarios,
                    fmt::format("Run this scenario alone (may be repeated; default: all): {}",
                                fmt::join(validate::scenario_names(), ", ")))
        ->check(known_scenario())
        ->allow_extra_args(false);
    command
        .add_option("--skip-scenario", request.skipped_scenarios,
                    "Run all but this scenario (may be repeated), as where one brings a driver down")
        ->check(known_scenario())
        ->allow_extra_args(false);
    command.add_flag("--validation-layers", request.validation_layers,
                     "Turn on VK_LAYER_KHRONOS_validation; any message fails the run");
}

namespace {

isolate::ProgressFunction progress_function(Progress& progress) {
    return [&progress](std::string_view stage, double share) { progress.show(stage, share); };
}

}  // namespace

Result<isolate::Probed> probe_stage(const isolate::DeviceChoice& devices, const isolate::ProbeRequest& request,
                                    const model::Workload* workload, const OutputOptions& output) {
    Progress progress(output);
    HEAPWRIGHT_ASSIGN(isolate::Probed probed,
                      isolate::probe_devices(devices, request, workload, progress_function(progress)));
    for (model::DeviceReport& device : probed.report.devices) device.observations = probe::observe(device);
    add_findings(probed.report);
    return probed;
}

void add_findings(model::Report& report) {
    for (model::DeviceReport& device : report.devices)
        for (model::Finding& finding : probe::examine(device)) device.findings.push_back(std::move(finding));
}

Result<AdvisableDevices> advisable_devices(const model::Report& report, const model::Workload& workload,
                                           const std::vector<std::string>& selectors) {
    AdvisableDevices devices;
    HEAPWRIGHT_ASSIGN(const std::vector<std::size_t> wanted, model::select_in_report(selectors, report));
    for (const std::size_t index : wanted) {
        const model::DeviceIdentity& identity = report.devices[index].identity;
        const auto planned = policy::advise(report.devices[index], workload, index, {.capacity_alone = true});
        if (planned) {
            devices.chosen.push_back(index);
        } else {
            devices.left_out.push_back({.driver = identity.name,
                                        .api = identity.api,
                                        .last_call = {},
                                        .reason = "no policy can be computed: " + planned.error().message,
                                        .code = {}});
        }
    }
    if (devices.chosen.empty()) return AdvisableDevices{.chosen = wanted, .left_out = {}};
    return devices;
}

void name_missing_devices(const model::Policy& policy, model::Validation& validation) {
    for (const model::DevicePolicy& device : policy.devices) {
        const model::DeviceIdentity& wanted = device.identity;
        const bool is_there = std::ranges::any_of(validation.devices, [&](const model::DeviceValidation& one) {
            return model::same_device_and_driver(one.identity, wanted);
        });
        const bool is_named = std::ranges::any_of(validation.failures, [&](const model::ProbeFailure& failure) {
            return failure.driver == wanted.name && failure.api == wanted.api;
        });
        if (is_there || is_named) continue;
        validation.failures.push_back({.driver = wanted.name,
                                       .api = wanted.api,
                                       .device = wanted,
                                       .last_call = {},
                                       .reason = "the device that the policy was made for is not here",
                                       .code = {}});
    }
}

Result<model::Workload> default_workload_stage(const model::Report& report, const std::vector<std::size_t>& devices,
                                               const model::Workload& workload, const policy::MostBytes& most_bytes,
                                               const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(policy::DefaultWorkload chosen, policy::default_workload(report, devices, workload, most_bytes));
    if (!chosen.statement.empty()) print_note("workload: " + chosen.statement, output);
    return std::move(chosen.workload);
}

bool say_what_does_not_fit(const model::Policy& policy, const OutputOptions& output) {
    bool fits = true;
    for (const model::DevicePolicy& device : policy.devices) {
        if (!device.capacity || device.capacity->fits) continue;
        fits = false;
        print_note(fmt::format("{}: {}", device.identity.name, model::statement_of(*device.capacity)), output);
    }
    return fits;
}

Result<model::Validation> validate_stage(const model::Policy& policy, const model::Workload& workload,
                                         const isolate::DeviceChoice& devices,
                                         const validate::ValidationRequest& request, const OutputOptions& output) {
    Progress progress(output);
    return isolate::validate_devices(policy, workload, devices, request, progress_function(progress));
}

namespace {

std::string failure_text(std::string_view what, const model::ProbeFailure& failure) {
    return fmt::format("{}: {}: {}{}{}", what, failure.driver, failure.reason,
                       failure.last_call.empty() ? "" : ", last call ", failure.last_call);
}

}  // namespace

void print_failures(std::string_view what, const std::vector<model::ProbeFailure>& failures,
                    const OutputOptions& output) {
    for (const model::ProbeFailure& failure : failures) print_note(failure_text(what, failure), output);
}

std::string summary(const model::Report& report) {
    const model::Report shown = model::printable(report);
    std::string text;
    for (const model::ProbeFailure& failure : shown.failures) text += failure_text("not probed", failure) + "\n";
    for (const model::DeviceReport& device : shown.devices) {
        text += fmt::format("{}: {} {}, API {}\n", device.identity.name, device.identity.driver_name,
                            device.identity.driver_info, device.identity.api_version);
        for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
            const auto types = std::count_if(device.memory_types.begin(), device.memory_types.end(),
                                             [heap](const auto& type) { return type.heap_index == heap; });
            text +=
                fmt::format("  heap {}: {}, {}{}\n", heap, byte_text(device.heaps[heap].size_bytes),
                            counted(static_cast<std::uint64_t>(types), "memory type"),
                            (device.heaps[heap].flags & model::memory_heap::kDeviceLocal) != 0 ? ", device local" : "");
        }
        for (const std::string& statement : device.observations.statements) text += "  " + statement + "\n";
        for (const std::string& line : render::measured_lines(device.run)) text += "  " + line + "\n";
        for (const model::Finding& finding : device.findings) text += "  finding: " + finding.statement + "\n";
    }
    return text;
}

std::string summary(const model::Policy& policy) {
    return render::overview(policy, {}) + "\n" + printable_lines(render::explain(model::printable(policy)).text);
}

namespace {

std::string engine_figures_text(const model::EngineFigures& seen) {
    const auto count = [&seen](model::WaitRole role) {
        return std::ranges::count(seen.waits, role, &model::WaitFinding::role);
    };
    std::string text = fmt::format(
        "{} checked of {} on {} ({}), {}; kinds of wait: {} necessary, "
        "{} throttle, {} redundant",
        byte_text(seen.bytes_checked), counted(seen.submissions, "submission"), fmt::join(seen.engines, ", "),
        counted(seen.queues, "queue"),
        counted(seen.early_waits, "wait before its signal", "waits before their signals"),
        count(model::WaitRole::kNecessary), count(model::WaitRole::kThrottle), count(model::WaitRole::kRedundant));
    for (const std::string& note : seen.notes) text += "; " + note;
    return text;
}

std::string figures_text(const model::ScenarioResult& scenario) {
    if (scenario.engines) return engine_figures_text(*scenario.engines);
    if (scenario.bindings) {
        const model::BindingFigures& seen = *scenario.bindings;
        return fmt::format("{} and {} checked in {} and {}; descriptors as {}{}{}",
                           counted(seen.descriptors_checked, "descriptor"), byte_text(seen.bytes_checked),
                           counted(seen.frames, "frame"), counted(seen.command_lists, "command list"),
                           seen.descriptor_form, seen.limits.empty() ? "" : "; ", seen.limits);
    }
    std::string text = fmt::format(
        "{}, {} and {} checked byte by byte, {}, mean waste {}, "
        "allocate p50 {}, p99.9 {}, worst frame {}",
        counted(scenario.counts.operations, "operation"), counted(scenario.counts.verified_resources, "resource"),
        byte_text(scenario.counts.verified_bytes), counted(scenario.counts.device_allocations, "device allocation"),
        share_text(scenario.memory.mean_waste), time_text(scenario.run.allocate.p50_ns),
        time_text(scenario.run.allocate.p999_ns), time_text(scenario.run.worst_frame_ns));
    if (const auto load_ns = scenario.run.worst_load_ns)
        text += fmt::format(" (worst allocation of the load before it {})", time_text(*load_ns));
    if (const auto& ahead = scenario.run.prepared_chunks) {
        text += fmt::format("; {} prepared in the background, {} of {} taken ready", counted(ahead->prepared, "chunk"),
                            ahead->taken_ready, ahead->taken_ready + ahead->taken_late);
    }
    return text;
}

std::string promise_lines(const model::ScenarioResult& scenario) {
    std::string text;
    for (const std::string& line : validate::promise_lines(scenario.run.promises)) text += "    " + line + "\n";
    return text;
}

bool did_not_settle(const model::ScenarioResult& scenario) {
    const auto& steadiness = scenario.run.steadiness;
    return steadiness && steadiness->answer == model::Steadiness::kDidNotSettle;
}

std::string marked(const model::ScenarioResult& scenario) {
    return did_not_settle(scenario) ? scenario.name + "*" : scenario.name;
}

std::string not_played(const model::ScenarioResult& scenario) {
    if (scenario.part) return scenario.part->statement;
    return scenario.stand_in ? scenario.stand_in->statement : "";
}

}  // namespace

std::string summary(const model::Validation& validation) {
    const model::Validation shown = model::printable(validation);
    std::string text;
    for (const model::ProbeFailure& failure : shown.failures) text += failure_text("not validated", failure) + "\n";
    for (const model::DeviceValidation& device : shown.devices) {
        text += fmt::format("{}: {}{}{}\n", device.identity.name, model::verdict_text(device.verdict),
                            device.reason.empty() ? "" : ": ", device.reason);
        for (const model::ScenarioResult& scenario : device.scenarios) {
            text += fmt::format("  {}: {}; {}{}{}\n", marked(scenario), model::verdict_text(scenario.verdict),
                                not_played(scenario), not_played(scenario).empty() ? "" : "; ", figures_text(scenario));
            text += promise_lines(scenario);
            for (const model::ValidationFinding& finding : scenario.findings) {
                text += fmt::format("    step {}: {}: {}\n", finding.step, finding.resource, finding.statement);
            }
        }
        for (const model::ScenarioResult& baseline : device.baselines) {
            text += fmt::format("  for comparison, {}: {}: {}; {}\n", marked(baseline),
                                model::verdict_text(baseline.verdict), baseline.reason, figures_text(baseline));
        }
        if (std::ranges::any_of(device.scenarios, did_not_settle) ||
            std::ranges::any_of(device.baselines, did_not_settle))
            text += "  * its times did not settle while it ran: another run may well give others\n";
    }
    return text;
}

}  // namespace heapwright::cli
