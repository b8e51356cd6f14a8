#include "validate/scenario_verdict.hpp"

#include <utility>

namespace heapwright::validate {

bool is_not_there(const Error& error, const device::Device& device) {
    return error.code == ErrorCode::kNotSupported ||
           (error.code == ErrorCode::kOutOfRange && !device.is_real() && error.where != "replay");
}

model::ScenarioResult begin_result(std::string_view name, device::Device& device, const ValidateOptions& options) {
    (void)device.take_validation_messages();
    if (options.progress) options.progress(name, 0.0);
    return {.name = std::string(name),
            .seed = options.run_seed(),
            .verdict = device.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed};
}

void take_messages(device::Device& device, FindingLog& log) {
    for (std::string& message : device.take_validation_messages())
        log.add(model::Fault::kValidationLayer, "validation layer", std::move(message));
}

Status judge_early_end(const Error& error, const device::Device& device, const ValidateOptions& options,
                       std::uint64_t elapsed_ns, FindingLog& log, model::ScenarioResult& result) {
    if (error.code == ErrorCode::kDeviceLost) return fail(error);
    result.reason = is_lack_of_memory(error) ? lack_of_memory_text(error) : to_string(error);
    if (is_not_there(error, device)) {
        result.verdict = model::Verdict::kNotSupported;
    } else if (is_lack_of_memory(error) ||
               (error.code == ErrorCode::kTimeLimit && elapsed_ns >= options.time_limit_ns)) {
        result.verdict = model::Verdict::kInconclusive;
    } else {
        log.add(model::Fault::kApiError, result.name, result.reason);
    }
    return {};
}

}  // namespace heapwright::validate
