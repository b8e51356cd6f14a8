#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/text.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"
#include "render/overview.hpp"

namespace heapwright::render {
namespace {

using detail::Screen;
using detail::Tone;

Tone tone_of(model::Verdict verdict) {
    switch (verdict) {
        case model::Verdict::kValidated:
        case model::Verdict::kReplayed: return Tone::kGood;
        case model::Verdict::kFailed: return Tone::kBad;
        case model::Verdict::kInconclusive:
        case model::Verdict::kValidatedInPart:
        case model::Verdict::kReplayedInPart:
        case model::Verdict::kNotSupported: break;
    }
    return Tone::kDoubtful;
}

std::string scenarios_text(const model::DeviceValidation& device) {
    std::map<model::Verdict, std::uint64_t> counts;
    for (const model::ScenarioResult& scenario : device.scenarios) ++counts[scenario.verdict];
    std::vector<std::string> parts;
    for (const auto& [verdict, count] : counts)
        parts.push_back(fmt::format("{} {}", count, model::verdict_text(verdict)));
    return fmt::format("{}: {}", counted(device.scenarios.size(), "scenario"), fmt::join(parts, ", "));
}

std::vector<std::string> promise_row(const model::Promise& promise) {
    const auto words = [&]() -> std::string {
        switch (promise.verdict) {
            case model::PromiseVerdict::kKept: return promise.reason.empty() ? "kept" : "kept, " + promise.reason;
            case model::PromiseVerdict::kBroken: return "BROKEN";
            case model::PromiseVerdict::kLoose: return "loose: better than promised";
            case model::PromiseVerdict::kNotTested: return "not tested: " + promise.reason;
        }
        return {};
    }();
    return {model::label_of(promise.name), promise.measured ? model::figure_text(promise, *promise.measured) : "-",
            model::bounds_text(promise), words};
}

void tell_workload(const model::ScenarioResult& scenario, Screen& screen) {
    if (scenario.run.promises.empty()) {
        screen.row("Waste", share_text(scenario.memory.mean_waste));
        screen.row("Device allocations", std::to_string(scenario.counts.device_allocations));
        screen.row("Worst frame", time_text(scenario.run.worst_frame_ns));
        return;
    }
    std::vector<std::vector<std::string>> rows{{"", "measured", "promised", ""}};
    for (const model::Promise& promise : scenario.run.promises) rows.push_back(promise_row(promise));
    constexpr std::size_t kPromises = 9;
    screen.table(std::move(rows), kPromises, "promises");
}

// Which scenarios are not good, and why; at most `most` of them.
void tell_scenarios(const model::DeviceValidation& device, std::size_t most, Screen& screen) {
    std::size_t shown = 0;
    std::size_t left = 0;
    const auto tell = [&](auto wanted) {
        for (const model::ScenarioResult& scenario : device.scenarios) {
            if (!wanted(scenario.verdict)) continue;
            if (shown == most) {
                ++left;
                continue;
            }
            ++shown;
            const std::string why = !scenario.reason.empty()     ? scenario.reason
                                    : !scenario.findings.empty() ? scenario.findings.front().statement
                                                                 : "";
            screen.line(fmt::format("    {}: {}: {}", scenario.name, model::verdict_text(scenario.verdict), why));
        }
    };
    tell([](model::Verdict verdict) { return verdict == model::Verdict::kFailed; });
    tell([](model::Verdict verdict) { return tone_of(verdict) == Tone::kDoubtful; });
    if (left != 0) screen.line(fmt::format("    and {} more (-v)", left));
}

void tell_baselines(const model::DeviceValidation& device, Screen& screen) {
    if (device.baselines.empty()) return;
    constexpr std::size_t kBaselines = 5;
    std::vector<std::vector<std::string>> rows{{"for comparison", "waste", "device allocations", "worst frame"}};
    for (const model::ScenarioResult& baseline : device.baselines)
        rows.push_back({baseline.name, share_text(baseline.memory.mean_waste),
                        std::to_string(baseline.counts.device_allocations), time_text(baseline.run.worst_frame_ns)});
    screen.table(std::move(rows), kBaselines, "baselines");
}

void tell(const model::DeviceValidation& device, std::size_t scenarios, Screen& screen) {
    screen.title(device.identity.name);
    if (!device.left_out.empty()) screen.verdict(Tone::kDoubtful, model::left_out_text(device.left_out));
    if (device.assumed_requirements != 0) {
        screen.verdict(Tone::kDoubtful,
                       fmt::format("size and alignment of {} assumed: the replayed report holds no sweep",
                                   counted(device.assumed_requirements, "resource is", "resources are")));
    }
    // The verdict's reason leads with what did not run, then broken promises.
    std::string_view lead = detail::first_clause(detail::reason_beside_plan(device));
    // What follows a good verdict in parentheses are remarks on single scenarios: -v has them.
    if (device.verdict == model::Verdict::kValidated) lead = lead.substr(0, lead.find(" ("));
    screen.verdict(tone_of(device.verdict),
                   fmt::format("{}{}{}", model::verdict_text(device.verdict), lead.empty() ? "" : ": ", lead));
    if (const model::ScenarioResult* played = model::workload_run(device)) tell_workload(*played, screen);
    screen.row("Checked", fmt::format("{}; {} compared byte by byte", scenarios_text(device),
                                      byte_text(detail::bytes_checked(device))));
    tell_scenarios(device, scenarios, screen);
    tell_baselines(device, screen);
}

}  // namespace

std::uint64_t detail::bytes_checked(const model::DeviceValidation& device) {
    std::uint64_t bytes = 0;
    for (const model::ScenarioResult& scenario : device.scenarios) {
        bytes += scenario.counts.verified_bytes;
        if (scenario.bindings) bytes += scenario.bindings->bytes_checked;
        if (scenario.engines) bytes += scenario.engines->bytes_checked;
    }
    return bytes;
}

std::string overview(const model::Validation& validation, const ScreenStyle& style, std::string_view next) {
    Screen screen(style);
    constexpr std::size_t kScenarios = 5;
    constexpr std::size_t kFailures = 4;
    detail::tell_failures("not validated: ", validation.failures, kFailures, screen);
    for (const model::DeviceValidation& device : validation.devices) tell(device, kScenarios, screen);
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string overview(const model::Report& report, const model::Policy& policy, const model::Validation& validation,
                     const ScreenStyle& style, std::string_view next) {
    Screen screen(style);
    constexpr std::size_t kScenarios = 2;
    constexpr std::size_t kBuckets = 3;
    constexpr std::size_t kFailures = 2;
    detail::tell_failures("not validated: ", validation.failures, kFailures, screen);
    std::vector<model::ProbeFailure> in_probe_alone;
    std::ranges::copy_if(report.failures, std::back_inserter(in_probe_alone), [&](const model::ProbeFailure& failure) {
        return std::ranges::none_of(validation.failures, [&](const model::ProbeFailure& other) {
            return other.driver == failure.driver && other.api == failure.api;
        });
    });
    detail::tell_failures("not probed: ", in_probe_alone, kFailures, screen);
    for (const model::DeviceValidation& device : validation.devices) {
        tell(device, kScenarios, screen);
        const auto planned = std::ranges::find_if(policy.devices, [&](const model::DevicePolicy& candidate) {
            return model::same_device_and_driver(candidate.identity, device.identity);
        });
        detail::tell_workload(policy, screen);
        if (planned != policy.devices.end()) detail::tell_policy_rows(*planned, kBuckets, screen);
    }
    if (!next.empty()) screen.next(next);
    return screen.take();
}

}  // namespace heapwright::render
