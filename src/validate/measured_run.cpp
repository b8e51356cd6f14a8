#include "validate/measured_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "device/measurement_session.hpp"

namespace heapwright::validate {
namespace {

// A training run is as long as shows the driver the work, and all of them take no more than this together.
constexpr std::uint64_t kTrainingSteps = 512;
constexpr std::uint64_t kMostTrainingNs = 10'000'000'000;
constexpr std::uint64_t kTrainingShare = 4;  // of the time limit

ValidateOptions training_options(const ValidateOptions& options, std::uint64_t time_limit_ns) {
    ValidateOptions training = options;
    training.churn_steps = options.churn_steps == 0 ? kTrainingSteps : std::min(options.churn_steps, kTrainingSteps);
    training.extra_frames_ns = 0;
    training.time_limit_ns = time_limit_ns;
    training.progress = {};
    return training;
}

}  // namespace

Result<std::vector<model::ScenarioResult>> run_measured(device::Device& device, const ValidateOptions& options,
                                                        const ScenarioBody& body) {
    const std::uint64_t limit_ns = std::min(kMostTrainingNs, options.time_limit_ns / kTrainingShare);
    std::optional<std::vector<model::ScenarioResult>> broken;
    const device::TrainingWork work{
        .run = [&]() -> Status {
            if (options.progress) options.progress("training", 0);
            HEAPWRIGHT_ASSIGN(auto results, body(training_options(options, limit_ns)));
            if (std::ranges::all_of(results, [](const auto& one) { return one.findings_total == 0; })) return {};
            broken = std::move(results);
            return fail(ErrorCode::kInvariantBroken, "a training run has findings");
        },
        .drain = [&] { return device.submitter().wait_idle(); }};
    const auto session = device::MeasurementSession::begin(device.background_processing(), work,
                                                           {.commit_timeout_ns = limit_ns, .time_limit_ns = limit_ns});
    if (broken) return std::move(*broken);
    if (!session) return fail(session.error());
    ValidateOptions measured = options;
    measured.session = &*session;
    return body(measured);
}

model::MeasurementSteadiness judge_frames(const ValidateOptions& options, std::span<const double> frames_ns) {
    return options.session == nullptr ? device::judge_by_measurements(frames_ns, {})
                                      : options.session->judge(frames_ns);
}

}  // namespace heapwright::validate
