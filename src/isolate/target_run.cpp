#include "isolate/target_run.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "isolate/child_process.hpp"
#include "isolate/failed_parts.hpp"

namespace heapwright::isolate {
namespace {

std::string driver_text(const Target& target) {
    if (target.vulkan_device) return "the Direct3D 12 runtime on " + target.vulkan_device->name;
    if (target.api == model::Api::kD3d12) return "the system's Direct3D 12";
    return target.icd_files.empty() ? std::string("the loader's drivers") : target.icd_files.front();
}

// Empty: of the driver itself.
std::optional<model::DeviceIdentity> device_of(const TargetResult& result, std::optional<std::uint32_t> position) {
    if (!position || *position >= result.adapters.size()) return std::nullopt;
    return result.adapters[*position];
}

// How much there is beyond the facts.
std::size_t answered_parts(const model::DeviceReport& device) {
    const auto answered = [](const auto& sweep) {
        return std::ranges::count_if(sweep.cases, [](const auto& entry) { return entry.table.has_value(); });
    };
    return static_cast<std::size_t>(answered(device.image_sweep) + answered(device.buffer_sweep)) +
           device.run.memory_cost.size() + (device.run.engines ? 1 : 0);
}

// Collects the frames of one child. `earlier` is what the child before it said of its last device.
class FrameCollector {
public:
    FrameCollector(const Target& target, const ProgressFunction& progress, TargetResult& result,
                   std::optional<model::DeviceReport> earlier)
        : target_(target), progress_(progress), result_(result), facts_(std::move(earlier)) {}

    void operator()(char kind, std::string payload) {
        switch (kind) {
            case kFrameAdapters: take_adapters(payload); break;
            case kFrameStarted: start(payload); break;
            case kFrameFacts:
                if (auto device = read_device(payload)) take_facts(std::move(*device));
                break;
            case kFrameDevice:
                if (auto device = read_device(payload)) {
                    result_.devices.emplace_back(*started_, std::move(*device));
                    finish();
                } else {
                    take_error({.code = ErrorCode::kDriverFailure,
                                .message = "the driver's answers make no report: " + to_string(device.error())});
                }
                break;
            case kFrameValidation:
                if (auto validation = model::read_validation(payload, "worker")) {
                    for (auto& device : validation->devices) result_.validations.push_back(std::move(device));
                    finish();
                } else {
                    take_error(
                        {.code = ErrorCode::kDriverFailure,
                         .message = "the driver's answers make no validation: " + to_string(validation.error())});
                }
                break;
            case kFrameScenario:
                if (auto validation = model::read_validation(payload, "worker")) {
                    for (auto& device : validation->devices) take_scenarios(std::move(device));
                }
                break;
            case kFrameError: take_error(decode_error(payload)); break;
            case kFrameProgress: show(payload); break;
            case kFrameEnd: ended_ = true; break;
            default: break;
        }
    }

    // The device that was being worked on when the child ended, if any.
    [[nodiscard]] std::optional<std::uint32_t> started() const { return started_; }
    // Whether the child did all that it was asked. Under Wine a process that is ended by a signal exits with code 0.
    [[nodiscard]] bool ended() const { return ended_; }
    // Devices that had their turn.
    [[nodiscard]] const std::vector<std::uint32_t>& finished() const { return finished_; }
    [[nodiscard]] bool reached(std::uint32_t position) const {
        return started_ == position || std::ranges::find(finished_, position) != finished_.end();
    }
    [[nodiscard]] std::optional<model::DeviceReport> give_facts() { return std::exchange(facts_, std::nullopt); }
    // The scenarios that were done when the child ended amid one.
    [[nodiscard]] std::optional<model::DeviceValidation> give_validation() {
        return std::exchange(validation_, std::nullopt);
    }

private:
    // Each part holds what was done since the one before it.
    void take_scenarios(model::DeviceValidation part) {
        if (part.scenarios.empty()) return;
        if (!validation_) {
            validation_ = std::move(part);
            return;
        }
        std::ranges::move(part.scenarios, std::back_inserter(validation_->scenarios));
    }

    void take_adapters(const std::string& payload) {
        auto report = model::read_report(payload, "worker");
        if (!report) {
            take_error(report.error());
            return;
        }
        result_.adapters.clear();
        for (const model::DeviceReport& device : report->devices) result_.adapters.push_back(device.identity);
    }

    void finish() {
        if (started_) finished_.push_back(*started_);
        started_.reset();
        facts_.reset();
        validation_.reset();
    }

    void start(const std::string& payload) {
        std::uint32_t position = 0;
        std::from_chars(payload.data(), payload.data() + payload.size(), position);
        started_ = position;
        // What an earlier child said is of the first device of this one.
        if (!finished_.empty()) facts_.reset();
    }

    void take_facts(model::DeviceReport device) {
        if (!facts_ || answered_parts(device) >= answered_parts(*facts_)) facts_ = std::move(device);
    }

    static Result<model::DeviceReport> read_device(const std::string& payload) {
        HEAPWRIGHT_ASSIGN(model::Report report, model::read_report(payload, "worker"));
        return std::move(report.devices.front());
    }

    void take_error(Error error) {
        const bool of_device = started_ && *started_ < result_.adapters.size();
        std::string driver = of_device ? result_.adapters[*started_].name : driver_text(target_);
        std::string reason = error.message;
        if (reason.starts_with(driver + ": ")) reason.erase(0, driver.size() + 2);
        if (started_ && facts_) {
            result_.devices.emplace_back(*started_, left_with(std::move(*facts_), failure_finding(error)));
        }
        if (auto validation = give_validation())
            result_.validations.push_back(left_with(std::move(*validation), {}, to_string(error)));
        result_.failures.push_back({.told = {.driver = std::move(driver),
                                             .api = target_.api,
                                             .device = device_of(result_, started_),
                                             .last_call = error.where,
                                             .kind = model::FailureKind::kError,
                                             .reason = std::move(reason),
                                             .code = error.native_code},
                                    .error = std::move(error),
                                    .of_device = of_device});
        finish();
    }

    void show(const std::string& payload) const {
        if (!progress_) return;
        double share = 0;
        const auto [end, error] = std::from_chars(payload.data(), payload.data() + payload.size(), share);
        const auto used = static_cast<std::size_t>(end - payload.data());
        if (error == std::errc{} && used < payload.size()) progress_(std::string_view(payload).substr(used + 1), share);
    }

    const Target& target_;
    const ProgressFunction& progress_;
    TargetResult& result_;
    std::optional<std::uint32_t> started_;
    std::vector<std::uint32_t> finished_;
    std::optional<model::DeviceReport> facts_;
    std::optional<model::DeviceValidation> validation_;
    bool ended_ = false;
};

model::FailureKind kind_of(ChildEnd end) {
    switch (end) {
        case ChildEnd::kSignalled: return model::FailureKind::kCrash;
        case ChildEnd::kTimedOut:
        case ChildEnd::kStalled: return model::FailureKind::kHang;
        case ChildEnd::kExited: break;
    }
    return model::FailureKind::kExit;
}

std::string end_text(const ChildOutcome& outcome) {
    switch (outcome.end) {
        case ChildEnd::kSignalled: return fmt::format("the driver crashed with {}", signal_text(outcome.code));
        case ChildEnd::kTimedOut:
        case ChildEnd::kStalled:
            return fmt::format("the driver gave no answer within {:.1f} s",
                               static_cast<double>(outcome.limit_ns) * 1e-9);
        case ChildEnd::kExited: break;
    }
    return fmt::format("the driver ended the process with exit code {}", outcome.code);
}

// vkd3d refuses a device with a bare error code and prints why on lines that begin with "err:".
void add_runtime_reason(const std::string& diagnostics, TargetResult& result) {
    const std::size_t begin = diagnostics.find("err:");
    if (begin == std::string::npos || result.failures.empty()) return;
    const std::string line = diagnostics.substr(begin, diagnostics.find('\n', begin) - begin);
    for (TargetFailure& failure : result.failures) {
        failure.told.reason += "; it printed: " + line;
        failure.error.message += "; it printed: " + line;
    }
}

// "image sweep/17"; nothing where no step was under way.
std::optional<SkippedStep> parse_step(std::uint32_t position, std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    SkippedStep step{.position = position, .stage = std::string(text.substr(0, slash))};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + slash + 1, end, step.index);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return step;
}

// The steps that one device's probe leaves out after the driver ended the process in them, so that the next process
// comes further. A stage in which that happens often, or in which the driver hung once, is given up from there on.
class Restarts {
public:
    // Whether another process may go on with the device; the step is then among steps().
    [[nodiscard]] bool allow(std::uint32_t position, const ChildOutcome& outcome, const std::string& reason) {
        constexpr std::size_t kMostInAStage = 3;
        constexpr std::size_t kMostOfADevice = 12;
        constexpr std::size_t kMostHangs = 3;
        auto step = parse_step(position, outcome.last_step);
        if (!step) return false;
        std::size_t in_stage = 0;
        std::size_t of_device = 0;
        for (const SkippedStep& earlier : steps_) {
            if (earlier.position != position) continue;
            ++of_device;
            if (earlier.stage == step->stage) ++in_stage;
        }
        const bool hung = outcome.end == ChildEnd::kTimedOut || outcome.end == ChildEnd::kStalled;
        if (hung) ++hangs_;
        if (of_device >= kMostOfADevice || hangs_ > kMostHangs || in_stage > kMostInAStage) return false;
        step->and_later = hung || in_stage + 1 >= kMostInAStage;
        step->reason = fmt::format("not asked{}: {} in {}", step->and_later ? " from here on" : "", reason,
                                   outcome.last_call.empty() ? "an unknown call" : outcome.last_call);
        steps_.push_back(std::move(*step));
        return true;
    }
    [[nodiscard]] const std::vector<SkippedStep>& steps() const { return steps_; }

private:
    std::vector<SkippedStep> steps_;
    std::size_t hangs_ = 0;
};

// Every crash of a device stands beside its report, once each.
void add_crashes(const std::vector<std::pair<std::uint32_t, model::Finding>>& crashes, TargetResult& result) {
    for (auto& [position, device] : result.devices) {
        for (const auto& [of, finding] : crashes)
            if (of == position) device.findings.push_back(finding);
    }
}

// What the processes so far learned of a device that the next one goes on with.
struct KnownDevice {
    std::uint32_t position = 0;
    model::DeviceReport device;
};

}  // namespace

Status run_target(const Target& target, WorkerRequest request, std::uint64_t timeout_ns,
                  const ProgressFunction& progress, TargetResult& result) {
    // A call of a probe takes milliseconds, and so does closing a device that was validated; one that takes longer than
    // this never returns. A scenario may calculate for longer.
    constexpr std::uint64_t kStallNs = 60'000'000'000;
    request.target = target;
    Restarts restarts;
    std::vector<std::pair<std::uint32_t, model::Finding>> crashes;
    std::optional<KnownDevice> known;
    for (;;) {
        HEAPWRIGHT_TRY(check_interrupted());
        FrameCollector collector(target, progress, result, known ? std::optional(known->device) : std::nullopt);
        ChildRequest child{.arguments = {"worker"},
                           .environment = {},
                           .input = encode(request),
                           .timeout_ns = timeout_ns,
                           .next_turn = kFrameStarted,
                           .stall_ns = kStallNs};
        if (!request.probe) child.stalls_after = kFrameValidation;
        HEAPWRIGHT_ASSIGN(const ChildOutcome outcome, run_child(child, [&](char kind, std::string payload) {
                              collector(kind, std::move(payload));
                          }));
        if (interrupted()) return {};
        if (known && !collector.reached(known->position)) {
            // This time the driver did not come as far as that device.
            request.skip.push_back(known->position);
            result.devices.emplace_back(known->position, std::move(known->device));
        }
        known.reset();
        if (outcome.end == ChildEnd::kExited && outcome.code == 0 && collector.ended()) {
            add_runtime_reason(outcome.diagnostics, result);
            add_crashes(crashes, result);
            return {};
        }

        const auto position = collector.started();
        const bool of_device = position && *position < result.adapters.size();
        std::string reason = end_text(outcome);
        if (!outcome.other_calls.empty())
            reason += fmt::format(" (last call of another thread: {})", outcome.other_calls);
        // What a driver itself printed last is the reason behind an error that says less.
        const std::string printed = last_line(outcome.diagnostics);
        const auto step_under_way = parse_step(position.value_or(0), outcome.last_step);
        model::ProbeFailure told{
            .driver = of_device ? result.adapters[*position].name : driver_text(target),
            .api = target.api,
            .device = device_of(result, position),
            .step = step_under_way ? step_under_way->stage : std::string(),
            .last_call = outcome.last_call,
            .kind = kind_of(outcome.end),
            .reason = printed.empty() ? reason : fmt::format("{}; it printed: {}", reason, printed),
            .code = outcome.code};
        Error error{.code = ErrorCode::kDriverFailure,
                    .message = fmt::format("{}: {}", told.driver, told.reason),
                    .where = told.last_call};
        if (outcome.end == ChildEnd::kSignalled || outcome.end == ChildEnd::kExited) error.native_code = outcome.code;
        result.failures.push_back({.told = std::move(told), .error = std::move(error), .of_device = of_device});
        for (const std::uint32_t done : collector.finished()) request.skip.push_back(done);
        if (!of_device) {
            // After one device, as while it was closed, the others have their turn.
            const bool others_left = request.selectors.empty() && request.skip.size() < result.adapters.size();
            if (others_left && !collector.finished().empty()) continue;
            add_crashes(crashes, result);
            return {};
        }
        if (request.probe && restarts.allow(*position, outcome, reason)) {
            request.skipped_steps = restarts.steps();
            const SkippedStep& step = request.skipped_steps.back();
            const std::string left_out = step.stage == kClosing
                                             ? "the probe went on and left devices open"
                                             : fmt::format("{} {}{} was left out, and the probe went on", step.stage,
                                                           step.index, step.and_later ? " and later" : "");
            if (auto facts = collector.give_facts()) known = {.position = *position, .device = std::move(*facts)};
            crashes.emplace_back(*position, crash_finding(reason, outcome.last_call, left_out));
            result.failures.back().told.reason += "; " + left_out;
            continue;
        }
        if (auto validation = collector.give_validation()) {
            const std::string step = step_under_way ? step_under_way->stage : std::string();
            result.validations.push_back(
                left_with(std::move(*validation), step,
                          fmt::format("{} in {}; what follows did not run", reason,
                                      outcome.last_call.empty() ? "an unknown call" : outcome.last_call)));
        }
        if (auto facts = collector.give_facts()) {
            result.devices.emplace_back(
                *position, left_with(std::move(*facts),
                                     crash_finding(reason, outcome.last_call, "what follows that call is missing")));
        }
        request.skip.push_back(*position);
    }
}

}  // namespace heapwright::isolate
