#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

namespace heapwright::cli {
namespace {

bool is_complete_or_asked_for(const model::ScenarioResult& scenario) {
    return !is_in_part(scenario.verdict) || (scenario.part && scenario.part->asked_for);
}

}  // namespace

ExitCode exit_code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kNoLoader:
        case ErrorCode::kNoDevice:
        case ErrorCode::kDriverFailure:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kOverBudget:
        case ErrorCode::kDeviceLost: return ExitCode::kNoDevice;
        case ErrorCode::kTimeLimit:
        case ErrorCode::kInterrupted: return ExitCode::kInconclusive;
        case ErrorCode::kInvariantBroken: return ExitCode::kFailed;
        default: return ExitCode::kUsage;
    }
}

ExitCode worse(ExitCode one, ExitCode other) {
    constexpr std::array kOrder{ExitCode::kUsage,        ExitCode::kFailed,       ExitCode::kNoDevice,
                                ExitCode::kPartlyFailed, ExitCode::kInconclusive, ExitCode::kGood};
    return *std::ranges::find_if(kOrder, [&](ExitCode code) { return code == one || code == other; });
}

ExitCode exit_code_of(const model::Validation& validation) {
    if (validation.devices.empty()) return ExitCode::kNoDevice;
    ExitCode code = validation.failures.empty() ? ExitCode::kGood : ExitCode::kPartlyFailed;
    for (const model::DeviceValidation& device : validation.devices) {
        switch (device.verdict) {
            case model::Verdict::kValidated:
            case model::Verdict::kReplayed: break;
            case model::Verdict::kFailed: code = worse(code, ExitCode::kFailed); break;
            case model::Verdict::kInconclusive:
            case model::Verdict::kNotSupported: code = worse(code, ExitCode::kInconclusive); break;
            case model::Verdict::kValidatedInPart:
            case model::Verdict::kReplayedInPart:
                if (!std::ranges::all_of(device.scenarios, is_complete_or_asked_for))
                    code = worse(code, ExitCode::kInconclusive);
                break;
        }
    }
    return code;
}

}  // namespace heapwright::cli
