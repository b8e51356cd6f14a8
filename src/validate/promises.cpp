#include "validate/promises.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::validate {
namespace {

using model::PromiseVerdict;

PromiseVerdict verdict_on(double measured, double least, double most) {
    if (measured > most) return PromiseVerdict::kBroken;
    return measured < least ? PromiseVerdict::kLoose : PromiseVerdict::kKept;
}

std::string steadiness_text(const model::ScenarioResult& result) {
    const auto& steadiness = result.run.steadiness;
    if (!steadiness) return "nothing says whether the times were steady";
    switch (steadiness->answer) {
        case model::Steadiness::kSteady: return {};
        case model::Steadiness::kDidNotSettle: return "the times did not settle";
        case model::Steadiness::kTooFewSamples: return "too few frames to say whether the times were steady";
    }
    return {};
}

// So little of the bytes moves no figure out of its interval.
constexpr double kTellingShare = 0.01;

class Judge {
public:
    explicit Judge(const model::ScenarioResult& result) : result_(result) {}

    template <class T>
    model::Promise& add(model::PromiseName name, const model::Decided<T>& predicted,
                        const std::optional<model::Interval>& interval, std::optional<double> measured,
                        const std::string& untested) {
        model::Promise& promise = promises_.emplace_back(
            model::Promise{.name = name,
                           .predicted = static_cast<double>(predicted.value),
                           .measured = measured,
                           .most = interval ? interval->most : static_cast<double>(predicted.value),
                           .tolerance = "what the policy's own plays span, twice as wide",
                           .reason = untested});
        if (interval) promise.least = interval->least;
        if (promise.reason.empty() && !interval) promise.reason = "the policy is older than intervals";
        if (promise.reason.empty() && !measured) promise.reason = "not measured";
        if (promise.reason.empty()) promise.verdict = verdict_on(*measured, interval->least, interval->most);
        return promise;
    }

    // Unsteady times are longer, if anything: what holds all the same is kept, what does not is no evidence.
    void forgive(model::Promise& promise) const {
        const std::string unsteady = steadiness_text(result_);
        if (promise.verdict != PromiseVerdict::kBroken || unsteady.empty()) return;
        promise.verdict = PromiseVerdict::kNotTested;
        promise.reason = unsteady;
    }

    // What is promised by estimated sizes and does not hold says nothing of the policy.
    void forgive_estimates(double share) {
        if (share < kTellingShare) return;
        for (model::Promise& promise : promises_) {
            if (is_matter_of_time(promise.name.kind)) continue;
            if (promise.verdict != PromiseVerdict::kBroken && promise.verdict != PromiseVerdict::kLoose) continue;
            promise.verdict = PromiseVerdict::kNotTested;
            promise.reason = fmt::format("nothing in the report tells the sizes of {:.3g}% of the bytes", 100 * share);
        }
    }

    // The driver's own slowest call may be far beyond its curve. As many of them as the policy foresees in one frame
    // are no fault of the policy.
    void explain_worst_frame(model::Promise& worst, const model::Expectations& expected) const {
        const auto& slowest = result_.run.slowest_device_call_ns;
        if (worst.verdict != PromiseVerdict::kBroken || !slowest || !expected.most_calls_of_frame) return;
        const double explained = static_cast<double>(*slowest) * static_cast<double>(*expected.most_calls_of_frame);
        if (*worst.measured > worst.most + explained) return;
        worst.verdict = PromiseVerdict::kKept;
        worst.reason = fmt::format("the driver's own slowest call took {}, and a frame has up to {}",
                                   figure_text(worst, static_cast<double>(*slowest)),
                                   counted(*expected.most_calls_of_frame, "call"));
    }

    [[nodiscard]] std::vector<model::Promise> take() { return std::move(promises_); }

private:
    const model::ScenarioResult& result_;
    std::vector<model::Promise> promises_;
};

template <class T>
std::optional<double> real_of(const std::optional<T>& measured) {
    return measured ? std::optional(static_cast<double>(*measured)) : std::nullopt;
}

std::optional<double> measured_of(const model::PromiseName& name, const model::ScenarioResult& result,
                                  const PromiseFacts& facts) {
    using enum model::PromiseKind;
    const auto& run = result.run;
    switch (name.kind) {
        case kMeanWaste: return result.memory.mean_waste;
        case kPeakWaste: return result.memory.peak_waste;
        case kDeviceAllocations: return static_cast<double>(result.counts.device_allocations);
        case kP99FrameNs: return real_of(run.p99_frame_ns);
        case kWorstFrameNs: return static_cast<double>(run.worst_frame_ns);
        case kWorstLoadNs: return real_of(run.worst_load_ns);
        case kLateChunks:
            if (run.prepared_chunks) return static_cast<double>(run.prepared_chunks->taken_late);
            break;
        case kPeakReservedBytes:
            if (*name.heap < facts.peak_reserved_bytes.size())
                return static_cast<double>(facts.peak_reserved_bytes[*name.heap]);
            break;
    }
    return {};
}

}  // namespace

std::vector<model::Promise> judge_promises(const model::DevicePolicy& policy, const model::ScenarioResult& result,
                                           const PromiseFacts& facts) {
    if (!policy.expectations) return {};
    const model::Expectations& expected = *policy.expectations;
    Judge judge(result);
    model::for_each_promise(expected, [&](const model::PromiseName& name, const auto& predicted, const auto& interval) {
        const bool by_time = is_matter_of_time(name.kind);
        const std::string& untested = by_time && facts.untested.empty() ? facts.untested_times : facts.untested;
        model::Promise& promise = judge.add(name, predicted, interval, measured_of(name, result, facts), untested);
        if (name.kind == model::PromiseKind::kWorstFrameNs) judge.explain_worst_frame(promise, expected);
        if (model::unit_of(name.kind) == model::Unit::kNanoseconds) judge.forgive(promise);
    });
    if (expected.estimated_share) judge.forgive_estimates(*expected.estimated_share);
    return judge.take();
}

bool is_matter_of_time(model::PromiseKind kind) {
    return kind == model::PromiseKind::kLateChunks || model::unit_of(kind) == model::Unit::kNanoseconds;
}

std::string measured_text(const model::Promise& promise) {
    return promise.measured ? figure_text(promise, *promise.measured) : "no figure";
}

std::vector<std::string> promise_lines(const std::vector<model::Promise>& promises) {
    std::vector<std::string> lines;
    for (const model::Promise& promise : promises) {
        std::string line = fmt::format("promise {}: ", text_of(promise.name));
        switch (promise.verdict) {
            case model::PromiseVerdict::kKept:
                line += promise.reason.empty() ? "kept" : "kept, " + promise.reason;
                break;
            case model::PromiseVerdict::kLoose: line += "loose"; break;
            case model::PromiseVerdict::kBroken: line += "broken"; break;
            case model::PromiseVerdict::kNotTested: line += "not tested, " + promise.reason; break;
        }
        lines.push_back(fmt::format("{}: {}, {}", line, measured_text(promise), bounds_text(promise)));
    }
    return lines;
}

std::uint64_t count_loose(const std::vector<model::Promise>& promises) {
    return static_cast<std::uint64_t>(std::ranges::count(promises, PromiseVerdict::kLoose, &model::Promise::verdict));
}

std::string broken_text(const std::vector<model::Promise>& promises) {
    std::string text;
    std::uint64_t broken = 0;
    for (const model::Promise& promise : promises) {
        if (promise.verdict != model::PromiseVerdict::kBroken) continue;
        text += fmt::format("{}{} {}, {}", broken++ == 0 ? "" : "; ", text_of(promise.name), measured_text(promise),
                            bounds_text(promise));
    }
    return broken == 0 ? "" : fmt::format("{} broken: {}", counted(broken, "promise"), text);
}

}  // namespace heapwright::validate
