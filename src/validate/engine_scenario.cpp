#include "validate/engine_scenario.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "engines/device_run.hpp"
#include "engines/ownership.hpp"
#include "engines/player.hpp"
#include "engines/rehearsal.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "validate/scenario.hpp"

namespace heapwright::validate {

namespace {

constexpr const char* kEarlyWaitsPass = "the driver takes an early wait for met: waits are submitted after signals";
constexpr const char* kEarlyWaitsUnfollowed =
    "the validation layer, older than 1.3.296, cannot follow early waits: waits are submitted after signals";
constexpr std::uint64_t kHostWaitLimitNs = 20'000'000'000;

// The policy's ring length and latencies; nothing where the example takes none, or where they are the document's.
std::optional<engines::ExampleSettings> policy_settings(const engines::Example& example,
                                                        const model::DevicePolicy& policy) {
    if (!policy.engines) return std::nullopt;
    const engines::ExampleSettings& usual = example.settings;
    engines::ExampleSettings settings = usual;
    if (example.takes_ring_length) settings.ring_length = policy.engines->copy_ring_length.value;
    if (example.takes_latencies) {
        settings.cpu_latency = policy.engines->cpu_latency.value;
        settings.engine_latency = policy.engines->compute_graphics_latency.value;
    }
    const bool differs = settings.ring_length != usual.ring_length || settings.cpu_latency != usual.cpu_latency ||
                         settings.engine_latency != usual.engine_latency;
    return differs ? std::optional(settings) : std::nullopt;
}

void add_lengths(std::vector<model::ScenarioParameter>& parameters, const engines::Example& example,
                 const engines::ExampleSettings& settings, const std::string& prefix) {
    if (example.takes_ring_length) parameters.push_back({prefix + "ring_length", settings.ring_length});
    if (example.takes_latencies) {
        parameters.push_back({prefix + "cpu_latency", settings.cpu_latency});
        parameters.push_back({prefix + "compute_graphics_latency", settings.engine_latency});
    }
}

std::vector<model::ScenarioParameter> parameters_of(const engines::Example& example,
                                                    const engines::ExampleSettings& settings,
                                                    const std::optional<engines::ExampleSettings>& by_policy) {
    std::vector<model::ScenarioParameter> parameters{{"side", settings.side}, {"rounds", settings.rounds}};
    if (example.takes_frames) parameters.push_back({"frames", settings.frames});
    if (settings.delay.rounds != 0) parameters.push_back({"delay_rounds", settings.delay.rounds});
    if (settings.delay.copies != 0) parameters.push_back({"delay_copies", settings.delay.copies});
    add_lengths(parameters, example, settings, "");
    if (by_policy) add_lengths(parameters, example, *by_policy, "policy_");
    return parameters;
}

std::string lengths_text(const engines::Example& example, const engines::ExampleSettings& settings) {
    if (example.takes_ring_length) return fmt::format("ring length {}", settings.ring_length);
    return fmt::format("CPU latency {} and compute-graphics latency {}", settings.cpu_latency, settings.engine_latency);
}

void set_size(engines::ExampleSettings& settings, const engines::WorkSize& size) {
    settings.side = size.side;
    settings.delay = size.delay;
}

// What was checked and where it ran, then what to know of it.
std::string reason_of(const model::EngineFigures& figures) {
    std::string reason = fmt::format(
        "{} checked of {} on {} ({}), {}", byte_text(figures.bytes_checked), counted(figures.submissions, "submission"),
        counted(figures.queues, "queue"), fmt::join(figures.engines, ", "),
        counted(figures.early_waits, "wait before its signal", "waits before their signals"));
    for (const std::string& note : figures.notes) reason += "; " + note;
    return reason;
}

class EngineScenario : public Scenario {
public:
    EngineScenario(const engines::Example& example, device::Device& of, const model::DevicePolicy& by,
                   const ValidateOptions& with, Sharing sharing)
        : Scenario(of, by, with),
          example_(example),
          settings_(example.settings),
          by_policy_(policy_settings(example, by)),
          sharing_(sharing),
          rules_(of.facts().identity.api == model::Api::kD3d12 ? engines::Rules::kDirect3D12
                                                               : engines::Rules::kVulkan) {}

    Result<model::ScenarioResult> run(std::optional<engines::WorkSize>* size) {
        result_ = begin_result(example_.name);
        const Status played = play_as_sized(size);
        take_messages();
        if (played) {
            result_.reason = reason_of(figures_);
        } else {
            HEAPWRIGHT_TRY(judge_early_end(played.error(), result_));
        }
        log.hand_over(result_);
        result_.counts.verified_bytes = figures_.bytes_checked;
        result_.engines = std::move(figures_);
        result_.run.total_ns = elapsed_ns();
        return std::move(result_);
    }

private:
    Status play_as_sized(std::optional<engines::WorkSize>* size) {
        figures_.parameters = parameters_of(example_, settings_, by_policy_);
        if (size != nullptr) HEAPWRIGHT_TRY(take_size(*size));
        HEAPWRIGHT_TRY(play_all(settings_));
        if (by_policy_) {
            const std::uint64_t submissions = figures_.submissions;
            const std::uint64_t bytes = figures_.bytes_checked;
            HEAPWRIGHT_TRY(play_all(*by_policy_));
            figures_.notes.push_back(fmt::format(
                "played with {} as the engine article has it, and with the policy's {} (of it all {} and {} "
                "checked)",
                lengths_text(example_, settings_), lengths_text(example_, *by_policy_),
                counted(figures_.submissions - submissions, "submission"), byte_text(figures_.bytes_checked - bytes)));
        }
        // Of a device that is not real nothing is told that depends on its speed.
        if (device.is_real() && !example_.ahead.empty() && figures_.queues > 1) {
            figures_.notes.push_back(fmt::format("\"{}\" was over before the \"{}\" submitted ahead of it: {} of {}",
                                                 example_.ahead, example_.behind, overtaken_.times, overtaken_.of));
        }
        return {};
    }

    // Measured once for a device.
    Status take_size(std::optional<engines::WorkSize>& size) {
        if (!size) {
            HEAPWRIGHT_ASSIGN(size, engines::work_size_for(device, clock));
        }
        set_size(settings_, *size);
        if (by_policy_) set_size(*by_policy_, *size);
        figures_.parameters = parameters_of(example_, settings_, by_policy_);
        if (!size->how.empty()) figures_.notes.push_back(size->how);
        return {};
    }

    Status play_all(const engines::ExampleSettings& settings) {
        HEAPWRIGHT_ASSIGN(const engines::OwnershipPlan plan, rehearse(settings));
        if (figures_.waits.empty()) {
            describe(plan);
            figures_.waits = wait_findings(plan.program.schedule, rules_);
        }
        HEAPWRIGHT_TRY(play(plan));
        if (example_.takes_consumers_first) {
            engines::ExampleSettings turned = settings;
            turned.consumers_first = true;
            HEAPWRIGHT_ASSIGN(const engines::OwnershipPlan other, rehearse(turned));
            HEAPWRIGHT_TRY(play(other));
        }
        return example_.decides && log.total() == 0 ? decide(settings) : Status{};
    }

    // Of a shared program the plan has no owners. Errors: kNotSupported where nothing changes its owner; an example
    // that cannot be rehearsed is ours to mend.
    Result<engines::OwnershipPlan> rehearse(const engines::ExampleSettings& settings) const {
        engines::Rehearsal rehearsal(options.run_seed());
        HEAPWRIGHT_TRY(example_.play(rehearsal, settings));
        if (sharing_ == Sharing::kConcurrent) return engines::OwnershipPlan{.program = rehearsal.program()};
        if (rules_ == engines::Rules::kDirect3D12)
            return fail(ErrorCode::kNotSupported, "Direct3D 12's resources belong to no queue family", "exclusive");
        return engines::with_owners(rehearsal.program(), map_of(rehearsal.program()));
    }

    [[nodiscard]] engines::EngineMap map_of(const engines::EngineProgram& program) const {
        return engines::map_engines(device.submitter().engines(), program.schedule.actors, program.wishes, false);
    }

    void describe(const engines::OwnershipPlan& plan) {
        const engines::EngineMap map = map_of(plan.program);
        figures_.engines = map.names;
        figures_.queues = map.queues;
        figures_.notes.insert(figures_.notes.end(), map.notes.begin(), map.notes.end());
        if (sharing_ == Sharing::kExclusive) {
            figures_.notes.push_back(engines::describe(plan, map));
        } else if (map.families > 1) {
            figures_.notes.push_back(
                fmt::format("{} queue families: concurrent sharing, no ownership moves", map.families));
        }
        if (!device.submitter().accepts_early_waits())
            figures_.notes.emplace_back(rules_ == engines::Rules::kDirect3D12 ? kEarlyWaitsPass
                                                                              : kEarlyWaitsUnfollowed);
    }

    // Whether the program may be submitted.
    bool check(const engines::EngineProgram& program) {
        std::vector<engines::Violation> violations = engines::check(program.schedule, rules_);
        if (violations.empty())
            violations = engines::check(engines::as_mapped(program.schedule, map_of(program)), rules_);
        for (const engines::Violation& violation : violations)
            log.add(model::Fault::kBrokenRule, "schedule", violation.statement);
        return violations.empty();
    }

    Status play(const engines::OwnershipPlan& plan) {
        const engines::EngineProgram& program = plan.program;
        if (!check(program)) return {};
        engines::DeviceRunOptions checked = run_options();
        checked.checked_before = true;
        if (sharing_ == Sharing::kExclusive) checked.owners = &plan;
        engines::DeviceRun run(device, clock, checked);
        (void)engines::play(program, run);
        HEAPWRIGHT_ASSIGN(const engines::RunOutcome outcome, finish(run));
        figures_.submissions += outcome.submissions;
        figures_.early_waits += outcome.early_waits;
        if (result_.run.engine_spans.empty()) note_spans(run, outcome);
        const engines::Overtaking more = engines::overtaking(outcome.seen, example_.ahead, example_.behind);
        overtaken_.times += more.times;
        overtaken_.of += more.of;
        return {};
    }

    // As far as the device is when the host looks.
    Status decide(const engines::ExampleSettings& settings) {
        engines::DeviceRun run(device, clock, run_options());
        (void)example_.play(run, settings);
        HEAPWRIGHT_ASSIGN(const engines::RunOutcome outcome, finish(run));
        (void)outcome;
        return {};
    }

    [[nodiscard]] engines::DeviceRunOptions run_options() const {
        return {.seed = options.run_seed(), .host_wait_limit_ns = std::min(kHostWaitLimitNs, options.time_limit_ns)};
    }

    // Notes what was wrong.
    Result<engines::RunOutcome> finish(engines::DeviceRun& run) {
        auto outcome = run.finish();
        for (const engines::Violation& violation : run.violations())
            log.add(model::Fault::kBrokenRule, "schedule", violation.statement);
        if (!outcome && !run.violations().empty()) return engines::RunOutcome{};
        if (!outcome) return outcome;
        figures_.bytes_checked += outcome->bytes_checked;
        for (const engines::Difference& difference : outcome->differences) {
            log.add(model::Fault::kStaleBytes, run.program().resources[difference.resource.value].name,
                    fmt::format("{} not what the schedule leaves there, the first at {}",
                                counted(difference.bytes, "byte is", "bytes are"), difference.offset_bytes));
        }
        if (outcome->wrong_host_reads != 0)
            log.add(model::Fault::kStaleBytes, "host reads",
                    fmt::format("{} of the host's reads saw other bytes", outcome->wrong_host_reads));
        return outcome;
    }

    void note_spans(const engines::DeviceRun& run, const engines::RunOutcome& outcome) {
        const auto engines = device.submitter().engines();
        for (const engines::RunSpan& span : engines::spans_of(outcome.seen, run.program().schedule.fences)) {
            if (result_.run.engine_spans.size() == model::kMaxEngineSpans) break;
            result_.run.engine_spans.push_back(
                {.engine = engines[run.map().engine_of[span.actor.value].value].name,
                 .name = span.name,
                 .begin_ns = span.begin_ns,
                 .end_ns = span.end_ns,
                 .clock = span.by_device ? model::MeasuredBy::kDevice : model::MeasuredBy::kHost});
        }
    }

    const engines::Example& example_;
    engines::ExampleSettings settings_;
    std::optional<engines::ExampleSettings> by_policy_;
    Sharing sharing_;
    engines::Rules rules_;
    model::ScenarioResult result_;
    model::EngineFigures figures_;
    engines::Overtaking overtaken_;
};

}  // namespace

const std::vector<EngineScenarioKind>& engine_scenarios() {
    static const std::vector<EngineScenarioKind> kKinds = [] {
        std::vector<EngineScenarioKind> all;
        for (const engines::Example& example : engines::examples()) all.push_back({example});
        all.push_back({engines::owned_frame(), Sharing::kExclusive});
        return all;
    }();
    return kKinds;
}

Result<model::ScenarioResult> run_engine_scenario(const engines::Example& example, device::Device& device,
                                                  const model::DevicePolicy& policy, const ValidateOptions& options,
                                                  Sharing sharing, std::optional<engines::WorkSize>* size) {
    return EngineScenario(example, device, policy, options, sharing).run(size);
}

namespace {

model::WaitRole role_of(engines::WaitRole role) {
    switch (role) {
        case engines::WaitRole::kNecessary: return model::WaitRole::kNecessary;
        case engines::WaitRole::kThrottle: return model::WaitRole::kThrottle;
        case engines::WaitRole::kRedundant: break;
    }
    return model::WaitRole::kRedundant;
}

// "pre-pass and lighting"; empty for a wait that orders nothing.
std::string ordered_work(const engines::Schedule& schedule, const engines::WaitFinding& found) {
    std::string names;
    if (!found.shown_by) return names;
    for (const std::size_t operation : found.shown_by->operations) {
        const auto* execution = std::get_if<engines::Execute>(&schedule.operations[operation].what);
        if (execution != nullptr) names += (names.empty() ? "" : " and ") + execution->name;
    }
    return names;
}

using Kind = std::tuple<std::uint32_t, std::uint32_t, engines::WaitRole, std::string>;  // actor, fence

struct Entry {
    std::uint64_t first_value = 0;
    std::uint64_t count = 0;
    std::size_t position = 0;  // in the findings
};

}  // namespace

std::vector<model::WaitFinding> wait_findings(const engines::Schedule& schedule, engines::Rules rules) {
    std::vector<model::WaitFinding> findings;
    std::map<Kind, Entry> entries;
    for (const engines::WaitFinding& found : engines::find_wait_roles(schedule, rules)) {
        const engines::Operation& operation = schedule.operations[found.wait];
        const auto& wait = std::get<engines::Wait>(operation.what);
        Entry& entry = entries[{operation.actor.value, wait.fence.value, found.role, ordered_work(schedule, found)}];
        if (entry.count++ != 0) continue;
        entry.first_value = wait.value;
        entry.position = findings.size();
        findings.push_back({.wait = {},
                            .role = role_of(found.role),
                            .shown_by = found.shown_by ? found.shown_by->statement : std::string()});
    }
    for (const auto& [key, entry] : entries) {
        std::string text = fmt::format("{} waits for {} >= {}", schedule.actors[std::get<0>(key)].name,
                                       schedule.fences[std::get<1>(key)].name, entry.first_value);
        if (entry.count > 1) text += fmt::format(", and {} more like it", entry.count - 1);
        findings[entry.position].wait = std::move(text);
    }
    return findings;
}

}  // namespace heapwright::validate
