#include "isolate/driver_stages.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/interrupt.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "d3d12/wsl.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "isolate/driver_manifests.hpp"
#include "isolate/messages.hpp"
#include "isolate/target_run.hpp"
#include "model/selection.hpp"

namespace heapwright::isolate {
namespace {

std::vector<Target> vulkan_targets(const std::vector<std::string>& icd_files) {
    std::vector<Target> targets;
    for (const std::string& file : icd_files) targets.push_back({.icd_files = {file}});
    if (!targets.empty()) return targets;
    for (const auto& manifest : vulkan_driver_manifests()) {
        targets.push_back({.icd_files = {path_text(manifest)}});
    }
    if (targets.empty()) targets.push_back({});
    return targets;
}

struct SessionResult {
    std::vector<model::DeviceIdentity> adapters;
    std::vector<std::pair<std::uint32_t, model::DeviceReport>> devices;  // by global index
    std::vector<model::DeviceValidation> validations;
    std::vector<TargetFailure> failures;
};

// One driver's children, their results added to the session's.
Result<TargetResult> run_and_add(const Target& target, WorkerRequest request, std::uint64_t timeout_ns,
                                 const ProgressFunction& progress, SessionResult& session) {
    const auto first_index = static_cast<std::uint32_t>(session.adapters.size());
    request.first_index = first_index;
    TargetResult result;
    HEAPWRIGHT_TRY(run_target(target, std::move(request), timeout_ns, progress, result));
    std::sort(result.devices.begin(), result.devices.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [position, device] : result.devices)
        session.devices.emplace_back(first_index + position, std::move(device));
    session.adapters.insert(session.adapters.end(), result.adapters.begin(), result.adapters.end());
    std::move(result.validations.begin(), result.validations.end(), std::back_inserter(session.validations));
    std::move(result.failures.begin(), result.failures.end(), std::back_inserter(session.failures));
    return result;
}

// Whether the system itself lists adapters of Direct3D 12: DXGI does on Windows, DXCore on the Windows Subsystem for
// Linux. vkd3d is elsewhere than on Windows.
#ifdef _WIN32
constexpr bool kMayHaveVkd3d = false;
bool system_lists_d3d12() {
    return true;
}
#else
constexpr bool kMayHaveVkd3d = true;
bool system_lists_d3d12() {
    return wsl::has_direct3d12();
}
#endif

// The children that vkd3d needs, one for each Vulkan device.
std::vector<Target> vkd3d_targets(const Target& vulkan, const std::vector<model::DeviceIdentity>& adapters) {
    std::vector<Target> targets;
    for (std::size_t position = 0; position < adapters.size(); ++position) {
        targets.push_back({.api = model::Api::kD3d12,
                           .icd_files = vulkan.icd_files,
                           .vulkan_device_index = static_cast<std::uint32_t>(position),
                           .vulkan_device = adapters[position]});
    }
    return targets;
}

Result<SessionResult> run_session(const DeviceChoice& choice, const WorkerRequest& request, std::uint64_t timeout_ns,
                                  const ProgressFunction& progress) {
    const ApiChoice apis = choice.apis;
    SessionResult session;
    std::vector<Target> d3d12;
    if (apis != ApiChoice::kVulkan && system_lists_d3d12()) d3d12.push_back({.api = model::Api::kD3d12});
    const bool needs_vulkan = apis != ApiChoice::kD3d12 || kMayHaveVkd3d;
    for (const Target& target : needs_vulkan ? vulkan_targets(choice.icd_files) : std::vector<Target>{}) {
        TargetResult result;
        if (apis == ApiChoice::kD3d12) {
            HEAPWRIGHT_TRY(run_target(target, {}, timeout_ns, progress, result));
        } else {
            HEAPWRIGHT_ASSIGN(result, run_and_add(target, request, timeout_ns, progress, session));
        }
        if (!kMayHaveVkd3d || apis == ApiChoice::kVulkan) continue;
        for (Target& runtime : vkd3d_targets(target, result.adapters)) d3d12.push_back(std::move(runtime));
    }
    for (const Target& target : d3d12) {
        HEAPWRIGHT_TRY(run_and_add(target, request, timeout_ns, progress, session));
    }
    HEAPWRIGHT_TRY(check_interrupted());
    return session;
}

ApiChoice apis_of(const model::Policy& policy) {
    const auto any = [&](model::Api api) {
        return std::any_of(policy.devices.begin(), policy.devices.end(),
                           [api](const model::DevicePolicy& device) { return device.identity.api == api; });
    };
    if (!any(model::Api::kD3d12)) return ApiChoice::kVulkan;
    return any(model::Api::kVulkan) ? ApiChoice::kAll : ApiChoice::kD3d12;
}

// Why a session gave nothing: the first driver's error where there is one, else that there is no device.
tl::unexpected<Error> nothing_found(const SessionResult& session, const std::vector<std::string>& icd_files) {
    for (const TargetFailure& failure : session.failures) {
        if (failure.error.code != ErrorCode::kNoDevice) return fail(failure.error);
    }
    std::string message = "no device was found";
    for (const TargetFailure& failure : session.failures) {
        message += fmt::format("; {}: {}", failure.told.driver, failure.told.reason);
    }
    return fail(ErrorCode::kNoDevice, std::move(message), fmt::format("{}", fmt::join(icd_files, ", ")));
}

// What a driver lacks is no fault, nor that it has no device, unless it was named: who names a driver counts on it.
bool is_fault(const Error& error, const DeviceChoice& choice) {
    if (error.code == ErrorCode::kNoDevice) return !choice.icd_files.empty();
    return error.code != ErrorCode::kNoLoader && error.code != ErrorCode::kNotSupported;
}

// Whether a validation failed by the driver, rather than by what was asked for or by a limit.
bool is_drivers_doing(ErrorCode code) {
    switch (code) {
        case ErrorCode::kNoDevice:
        case ErrorCode::kDriverFailure:
        case ErrorCode::kDeviceLost:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kTooManyObjects: return true;
        default: return false;
    }
}

std::vector<model::ProbeFailure> told(const std::vector<TargetFailure>& failures) {
    std::vector<model::ProbeFailure> list;
    for (const TargetFailure& failure : failures) list.push_back(failure.told);
    return list;
}

// A measurement that the driver failed is a warning (isolate/worker.cpp, the sweeps); of one that it lacks a note
// tells.
bool could_not_be_measured(const model::DeviceReport& device) {
    return std::ranges::any_of(device.findings, [](const model::Finding& finding) {
        return finding.severity != model::FindingSeverity::kNote && finding.id.ends_with("-not-measured");
    });
}

// A time limit that the child cannot keep itself (a call that never returns) is enforced from outside, later than the
// limit that it was told.
std::uint64_t child_timeout_ns(std::uint64_t time_limit_ns) {
    constexpr std::uint64_t kGraceNs = 10'000'000'000;
    return time_limit_ns + std::min(kGraceNs, std::uint64_t{~0ull} - time_limit_ns);
}

// Loading a driver and asking for its devices takes seconds at most, also on a machine with eight of them.
constexpr std::uint64_t kEnumerationLimitNs = 60'000'000'000;

}  // namespace

model::DocumentVolatile run_facts() {
    return {.created_utc = utc_now(), .host = host_description()};
}

Result<Enumeration> enumerate_devices(const DeviceChoice& choice, const ProgressFunction& progress) {
    HEAPWRIGHT_ASSIGN(SessionResult session,
                      run_session(choice, {}, std::min(choice.limits.time_limit_ns, kEnumerationLimitNs), progress));
    if (session.adapters.empty()) return nothing_found(session, choice.icd_files);
    return Enumeration{.devices = std::move(session.adapters), .failures = told(session.failures)};
}

Result<Probed> probe_devices(const DeviceChoice& choice, const ProbeRequest& request, const model::Workload* workload,
                             const ProgressFunction& progress) {
    WorkerRequest job{.selectors = choice.selectors, .limits = choice.limits, .probe = request};
    if (workload != nullptr) job.workload = model::write(*workload);
    HEAPWRIGHT_ASSIGN(SessionResult session,
                      run_session(choice, job, child_timeout_ns(choice.limits.time_limit_ns), progress));
    if (session.adapters.empty()) return nothing_found(session, choice.icd_files);
    HEAPWRIGHT_TRY(model::select_devices(choice.selectors, session.adapters));
    if (session.devices.empty()) return nothing_found(session, choice.icd_files);

    Probed probed;
    model::Report& report = probed.report;
    report.header.tool_version = kVersion;
    for (auto& [index, device] : session.devices) {
        device.run.device_index = index;
        probed.faults = probed.faults || could_not_be_measured(device);
        report.devices.push_back(std::move(device));
    }
    probed.faults = probed.faults || std::ranges::any_of(session.failures, [&](const TargetFailure& failure) {
                        return is_fault(failure.error, choice);
                    });
    report.failures = told(session.failures);
    report.run = run_facts();
    return probed;
}

Result<model::Validation> validate_devices(const model::Policy& policy, const model::Workload& workload,
                                           const DeviceChoice& choice, const validate::ValidationRequest& request,
                                           const ProgressFunction& progress) {
    DeviceChoice reached = choice;
    reached.apis = apis_of(policy);
    const WorkerRequest job{.selectors = choice.selectors,
                            .limits = choice.limits,
                            .validation = request,
                            .workload = model::write(workload),
                            .policy = model::write(policy)};
    HEAPWRIGHT_ASSIGN(SessionResult session,
                      run_session(reached, job, child_timeout_ns(choice.limits.time_limit_ns), progress));
    // A driver without a device lost none, unless it was named. A device that was tried is lost whatever it was.
    std::vector<TargetFailure> lost;
    std::ranges::copy_if(session.failures, std::back_inserter(lost), [&](const TargetFailure& failure) {
        return failure.of_device || is_fault(failure.error, choice);
    });
    if (lost.empty()) {
        if (session.adapters.empty()) return nothing_found(session, choice.icd_files);
        HEAPWRIGHT_TRY(model::select_devices(choice.selectors, session.adapters));
    }
    if (session.validations.empty()) {
        // What no driver is to blame for, such as a scenario that is not known, is the answer.
        for (const TargetFailure& failure : lost) {
            const bool by_driver = failure.of_device ? failure.error.code != ErrorCode::kInvalidArgument
                                                     : is_drivers_doing(failure.error.code);
            if (!by_driver) return fail(failure.error);
        }
    }
    if (session.validations.empty() && lost.empty()) {
        std::string made_for;
        for (const model::DevicePolicy& device : policy.devices) {
            made_for += fmt::format("{}{} ({} {})", made_for.empty() ? "" : ", ", device.identity.name,
                                    device.identity.driver_name, device.identity.driver_info);
        }
        return fail(ErrorCode::kDeviceMismatch,
                    fmt::format("the policy was made for {}, which is not among the selected devices; "
                                "--allow-other-device runs it all the same",
                                made_for),
                    "/devices");
    }
    model::Validation validation;
    validation.header.tool_version = kVersion;
    validation.header.sources = {{model::DocumentKind::kPolicy, model::stable_hash(policy)},
                                 {model::DocumentKind::kWorkload, model::stable_hash(workload)}};
    validation.workload_name = workload.name;
    validation.devices = std::move(session.validations);
    validation.failures = told(lost);
    validation.run = run_facts();
    return validation;
}

}  // namespace heapwright::isolate
