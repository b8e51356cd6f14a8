#include "validate/scenario.hpp"

#include <utility>

#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {

void Scenario::require_sound(std::string_view who, const Status& sound) {
    if (!sound) log.add(model::Fault::kInvariant, std::string(who), to_string(sound.error()));
}

void Scenario::take_messages() {
    for (std::string& message : device.take_validation_messages())
        log.add(model::Fault::kValidationLayer, "validation layer", std::move(message));
}

model::ScenarioResult Scenario::begin_result(std::string_view name) {
    (void)device.take_validation_messages();
    progress(name, 0.0);
    return {.name = std::string(name),
            .seed = options.run_seed(),
            .verdict = device.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed};
}

Status Scenario::judge_early_end(const Error& error, model::ScenarioResult& result) {
    if (error.code == ErrorCode::kDeviceLost) return fail(error);
    result.reason = no_verdict_text(error);
    if (is_not_there(error, device)) {
        result.verdict = model::Verdict::kNotSupported;
    } else if (is_lack_of_memory(error) || (error.code == ErrorCode::kTimeLimit && is_out_of_time())) {
        result.verdict = model::Verdict::kInconclusive;
    } else {
        log.add(model::Fault::kApiError, result.name, result.reason);
    }
    return {};
}

}  // namespace heapwright::validate
