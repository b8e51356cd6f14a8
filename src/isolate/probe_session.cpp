#include "heapwright/isolate/probe_session.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/path.hpp"
#include "heapwright/core/system.hpp"
#include "heapwright/d3d12/wsl.hpp"
#include "heapwright/isolate/child_process.hpp"
#include "heapwright/isolate/driver_manifests.hpp"
#include "heapwright/isolate/messages.hpp"
#include "heapwright/isolate/run_facts.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/model/selection.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::isolate {
namespace {

// A driver that a child opens alone.
struct Target {
    model::Api api = model::Api::kVulkan;
    std::vector<std::string> icd_files;     // empty: the loader's own choice
    std::int64_t vulkan_device_index = -1;  // D3D12 on Linux runs on a Vulkan device
    std::optional<model::DeviceIdentity> vulkan_device;
};

std::string driver_text(const Target& target) {
    if (target.vulkan_device) return "the Direct3D 12 runtime on " + target.vulkan_device->name;
    if (target.api == model::Api::kD3d12) return "the system's Direct3D 12";
    return target.icd_files.empty() ? std::string("the loader's drivers") : target.icd_files.front();
}

// What one driver's children said until the last one ended well or nothing more could be tried.
struct TargetResult {
    std::vector<model::DeviceIdentity> adapters;
    std::vector<std::pair<std::uint32_t, model::DeviceReport>> devices;  // by position in the driver's order
    std::vector<model::DeviceValidation> validations;
    std::vector<model::ProbeFailure> failures;
    std::vector<Error> errors;
};

// Collects the frames of one child.
class FrameCollector {
public:
    FrameCollector(const Target& target, const ProgressFunction& progress, TargetResult& result)
        : target_(target), progress_(progress), result_(result) {}

    void operator()(char kind, std::string payload) {
        switch (kind) {
            case kFrameAdapters: take_adapters(payload); break;
            case kFrameStarted: start(payload); break;
            case kFrameFacts: facts_ = read_device(payload); break;
            case kFrameDevice:
                if (auto device = read_device(payload)) result_.devices.emplace_back(*started_, std::move(*device));
                started_.reset();
                break;
            case kFrameValidation:
                if (auto validation = model::read_validation(payload, "worker")) {
                    for (auto& device : validation->devices) result_.validations.push_back(std::move(device));
                } else {
                    result_.errors.push_back(validation.error());
                }
                started_.reset();
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
    [[nodiscard]] std::optional<model::DeviceReport> take_facts() { return std::exchange(facts_, std::nullopt); }

private:
    void take_adapters(const std::string& payload) {
        auto report = model::read_report(payload, "worker");
        if (!report) {
            result_.errors.push_back(report.error());
            return;
        }
        result_.adapters.clear();
        for (const model::DeviceReport& device : report->devices) result_.adapters.push_back(device.identity);
    }

    void start(const std::string& payload) {
        std::uint32_t position = 0;
        std::from_chars(payload.data(), payload.data() + payload.size(), position);
        started_ = position;
        facts_.reset();
    }

    std::optional<model::DeviceReport> read_device(const std::string& payload) {
        auto report = model::read_report(payload, "worker");
        if (!report) {
            result_.errors.push_back(report.error());
            return std::nullopt;
        }
        return std::move(report->devices.front());
    }

    void take_error(Error error) {
        result_.failures.push_back({.driver = started_ && *started_ < result_.adapters.size()
                                                  ? result_.adapters[*started_].name
                                                  : driver_text(target_),
                                    .api = target_.api,
                                    .last_call = error.where,
                                    .reason = error.message,
                                    .code = error.native_code});
        result_.errors.push_back(std::move(error));
        started_.reset();
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
    std::optional<model::DeviceReport> facts_;
    bool ended_ = false;
};

std::string end_text(const ChildOutcome& outcome, std::uint64_t timeout_ns) {
    switch (outcome.end) {
        case ChildEnd::kSignalled: return fmt::format("the driver crashed with {}", signal_text(outcome.code));
        case ChildEnd::kTimedOut:
            return fmt::format("the driver gave no answer within {:.1f} s", static_cast<double>(timeout_ns) * 1e-9);
        case ChildEnd::kExited: break;
    }
    return fmt::format("the driver ended the process with exit code {}", outcome.code);
}

// What a driver itself printed last, as the reason behind an error that says less.
std::string last_line(const std::string& diagnostics) {
    std::string_view text(diagnostics);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const std::size_t begin = text.rfind('\n');
    return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

model::DeviceValidation crashed_validation(const model::DeviceIdentity& device, const model::ProbeFailure& failure) {
    model::ScenarioResult scenario;
    scenario.name = "driver";
    scenario.verdict = model::Verdict::kFailed;
    scenario.reason = failure.reason;
    scenario.findings.push_back(
        {.fault = model::Fault::kApiError, .step = 0, .resource = failure.last_call, .statement = failure.reason});
    scenario.findings_total = 1;
    model::DeviceValidation validation;
    validation.identity = device;
    validation.scenarios.push_back(std::move(scenario));
    validation.verdict = model::Verdict::kFailed;
    validation.reason =
        fmt::format("{}, last call {}", failure.reason, failure.last_call.empty() ? "unknown" : failure.last_call);
    return validation;
}

std::string identity_document(const model::DeviceIdentity& identity) {
    model::Report report;
    report.header.tool_version = kVersion;
    report.devices.emplace_back().identity = identity;
    return model::write(report);
}

// vkd3d refuses a device with a bare error code and prints why on lines that begin with "err:".
void add_runtime_reason(const std::string& diagnostics, TargetResult& result) {
    const std::size_t begin = diagnostics.find("err:");
    if (begin == std::string::npos || result.failures.empty()) return;
    const std::string line = diagnostics.substr(begin, diagnostics.find('\n', begin) - begin);
    for (model::ProbeFailure& failure : result.failures) failure.reason += "; it printed: " + line;
    for (Error& error : result.errors) error.message += "; it printed: " + line;
}

// Runs a driver's child again and again, each time without the device that brought the last one down.
Status run_target(const Target& target, WorkerRequest request, std::uint64_t timeout_ns,
                  const ProgressFunction& progress, TargetResult& result) {
    request.api = target.api;
    request.icd_files = target.icd_files;
    request.vulkan_device_index = target.vulkan_device_index;
    if (target.vulkan_device) request.vulkan_device = identity_document(*target.vulkan_device);
    for (;;) {
        HEAPWRIGHT_TRY(check_interrupted());
        FrameCollector collector(target, progress, result);
        ChildRequest child{.arguments = {"worker"},
                           .environment = {},
                           .input = encode(request),
                           .timeout_ns = timeout_ns,
                           .next_turn = kFrameStarted};
        HEAPWRIGHT_ASSIGN(const ChildOutcome outcome, run_child(child, [&](char kind, std::string payload) {
                              collector(kind, std::move(payload));
                          }));
        if (interrupted()) return {};
        if (outcome.end == ChildEnd::kExited && outcome.code == 0 && collector.ended()) {
            add_runtime_reason(outcome.diagnostics, result);
            return {};
        }

        const auto position = collector.started();
        const std::string reason = end_text(outcome, timeout_ns);
        const std::string printed = last_line(outcome.diagnostics);
        model::ProbeFailure failure{
            .driver =
                position && *position < result.adapters.size() ? result.adapters[*position].name : driver_text(target),
            .api = target.api,
            .last_call = outcome.last_call,
            .reason = printed.empty() ? reason : fmt::format("{}; it printed: {}", reason, printed),
            .code = outcome.code};
        Error error{.code = ErrorCode::kDriverFailure,
                    .message = fmt::format("{}: {}", failure.driver, failure.reason),
                    .where = failure.last_call};
        if (outcome.end != ChildEnd::kTimedOut) error.native_code = outcome.code;
        result.errors.push_back(std::move(error));
        if (!position || *position >= result.adapters.size()) {
            result.failures.push_back(std::move(failure));
            return {};
        }
        if (request.task == WorkerTask::kValidate) {
            result.validations.push_back(crashed_validation(result.adapters[*position], failure));
        }
        if (auto facts = collector.take_facts()) {
            facts->findings.push_back(
                {.id = "driver-crash",
                 .severity = model::FindingSeverity::kViolation,
                 .statement = fmt::format("{} in {}; what follows that call is missing", reason,
                                          outcome.last_call.empty() ? "an unknown call" : outcome.last_call),
                 .clause = {},
                 .evidence = {}});
            if (facts->image_sweep.cases.empty()) facts->absent.push_back("/image_sweep");
            if (facts->buffer_sweep.cases.empty()) facts->absent.push_back("/buffer_sweep");
            if (facts->run.memory_cost.empty()) facts->absent.push_back("/volatile/memory_cost");
            facts->absent.push_back("/volatile/engines");
            result.devices.emplace_back(*position, std::move(*facts));
        }
        result.failures.push_back(std::move(failure));
        request.skip.push_back(*position);
    }
}

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
    std::vector<model::ProbeFailure> failures;
    std::vector<Error> errors;
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
    std::move(result.errors.begin(), result.errors.end(), std::back_inserter(session.errors));
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
                           .vulkan_device_index = static_cast<std::int64_t>(position),
                           .vulkan_device = adapters[position]});
    }
    return targets;
}

Result<SessionResult> run_session(const std::vector<std::string>& icd_files, ApiChoice apis,
                                  const WorkerRequest& request, std::uint64_t timeout_ns,
                                  const ProgressFunction& progress) {
    SessionResult session;
    std::vector<Target> d3d12;
    if (apis != ApiChoice::kVulkan && system_lists_d3d12()) d3d12.push_back({.api = model::Api::kD3d12});
    const bool needs_vulkan = apis != ApiChoice::kD3d12 || kMayHaveVkd3d;
    for (const Target& target : needs_vulkan ? vulkan_targets(icd_files) : std::vector<Target>{}) {
        TargetResult result;
        if (apis == ApiChoice::kD3d12) {
            HEAPWRIGHT_TRY(run_target(target, {.identity_only = true}, timeout_ns, progress, result));
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
    for (const Error& error : session.errors) {
        if (error.code != ErrorCode::kNoDevice) return fail(error);
    }
    std::string message = "no device was found";
    for (const model::ProbeFailure& failure : session.failures) {
        message += fmt::format("; {}: {}", failure.driver, failure.reason);
    }
    return fail(ErrorCode::kNoDevice, std::move(message), fmt::format("{}", fmt::join(icd_files, ", ")));
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

Result<Enumeration> enumerate_devices(const ProbeOptions& options) {
    WorkerRequest request{.task = WorkerTask::kProbe, .identity_only = true};
    HEAPWRIGHT_ASSIGN(SessionResult session,
                      run_session(options.icd_files, options.apis, request,
                                  std::min(options.time_limit_ns, kEnumerationLimitNs), options.progress));
    if (session.adapters.empty()) return nothing_found(session, options.icd_files);
    return Enumeration{.devices = std::move(session.adapters), .failures = std::move(session.failures)};
}

Result<model::Report> probe_devices(const ProbeOptions& options) {
    WorkerRequest request{.task = WorkerTask::kProbe,
                          .selectors = options.selectors,
                          .measure_memory_cost = options.measure_memory_cost,
                          .memory_limit_bytes = options.memory_limit_bytes,
                          .time_limit_ns = options.time_limit_ns,
                          .workload = options.workload == nullptr ? "" : model::write(*options.workload)};
    HEAPWRIGHT_ASSIGN(SessionResult session, run_session(options.icd_files, options.apis, request,
                                                         child_timeout_ns(options.time_limit_ns), options.progress));
    if (session.adapters.empty()) return nothing_found(session, options.icd_files);
    HEAPWRIGHT_TRY(model::select_devices(options.selectors, session.adapters));
    if (session.devices.empty()) return nothing_found(session, options.icd_files);

    model::Report report;
    report.header.tool_version = kVersion;
    for (auto& [index, device] : session.devices) {
        device.run.device_index = index;
        report.devices.push_back(std::move(device));
    }
    report.failures = std::move(session.failures);
    report.run = run_facts();
    return report;
}

Result<model::Validation> validate_devices(const model::Policy& policy, const model::Workload& workload,
                                           const ValidateOptions& options) {
    WorkerRequest request{.task = WorkerTask::kValidate,
                          .selectors = options.selectors,
                          .validation_layers = options.validation_layers,
                          .allow_other_device = options.allow_other_device,
                          .baselines = options.baselines,
                          .scenarios = options.scenarios,
                          .seed = options.seed,
                          .memory_limit_bytes = options.memory_limit_bytes,
                          .time_limit_ns = options.time_limit_ns,
                          .workload = model::write(workload),
                          .policy = model::write(policy)};
    HEAPWRIGHT_ASSIGN(SessionResult session, run_session(options.icd_files, apis_of(policy), request,
                                                         child_timeout_ns(options.time_limit_ns), options.progress));
    if (session.adapters.empty()) return nothing_found(session, options.icd_files);
    HEAPWRIGHT_TRY(model::select_devices(options.selectors, session.adapters));
    if (session.validations.empty()) {
        if (!session.errors.empty()) return fail(session.errors.front());
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
    validation.devices = std::move(session.validations);
    validation.run = run_facts();
    return validation;
}

}  // namespace heapwright::isolate
