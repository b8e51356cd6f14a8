#include "d3d12/background_processing.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"

namespace heapwright::d3d12 {
namespace {

using device::BackgroundProcessingMode;
using device::MeasurementsAction;

constexpr const char* kCall = "ID3D12Device6::SetBackgroundProcessingMode";

template <class D3d12, class Ours>
constexpr bool is(D3d12 theirs, Ours ours) {
    return static_cast<int>(theirs) == static_cast<int>(ours);
}
static_assert(is(D3D12_BACKGROUND_PROCESSING_MODE_ALLOWED, BackgroundProcessingMode::kAllowed));
static_assert(is(D3D12_BACKGROUND_PROCESSING_MODE_ALLOW_INTRUSIVE_MEASUREMENTS,
                 BackgroundProcessingMode::kAllowIntrusiveMeasurements));
static_assert(is(D3D12_BACKGROUND_PROCESSING_MODE_DISABLE_BACKGROUND_WORK,
                 BackgroundProcessingMode::kDisableBackgroundWork));
static_assert(is(D3D12_BACKGROUND_PROCESSING_MODE_DISABLE_PROFILING_BY_SYSTEM,
                 BackgroundProcessingMode::kDisableProfilingBySystem));
static_assert(is(D3D12_MEASUREMENTS_ACTION_KEEP_ALL, MeasurementsAction::kKeepAll));
static_assert(is(D3D12_MEASUREMENTS_ACTION_COMMIT_RESULTS, MeasurementsAction::kCommitResults));
static_assert(is(D3D12_MEASUREMENTS_ACTION_COMMIT_RESULTS_HIGH_PRIORITY,
                 MeasurementsAction::kCommitResultsHighPriority));
static_assert(is(D3D12_MEASUREMENTS_ACTION_DISCARD_PREVIOUS, MeasurementsAction::kDiscardPrevious));

// Why the device has no background processing; empty when it has.
std::string reason_against(ID3D12Device* device, HRESULT interface_result) {
    if (FAILED(interface_result))
        return fmt::format("the runtime has no ID3D12Device6: {}", result_text(interface_result));
    D3D12_FEATURE_DATA_D3D12_OPTIONS6 options{};
    leave_breadcrumb("ID3D12Device::CheckFeatureSupport", "D3D12_FEATURE_D3D12_OPTIONS6");
    const HRESULT result = device->CheckFeatureSupport(D3D12_FEATURE_D3D12_OPTIONS6, &options, sizeof options);
    if (FAILED(result))
        return fmt::format("CheckFeatureSupport refuses D3D12_FEATURE_D3D12_OPTIONS6: {}", result_text(result));
    if (options.BackgroundProcessingSupported == FALSE)
        return "the driver says of BackgroundProcessingSupported that it is false";
    return {};
}

bool refuses_mode(HRESULT result) {
    constexpr auto kDxgiAccessDenied = static_cast<HRESULT>(0x887A002B);
    const ErrorCode code = error_code(result);
    return code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotSupported || result == E_ACCESSDENIED ||
           result == kDxgiAccessDenied;
}

Error needs_developer_mode_error() {
    return {.code = ErrorCode::kRefused,
            .message = "disabling background work and high-priority commits need the system's developer mode",
            .where = kCall};
}

}  // namespace

BackgroundProcessing::BackgroundProcessing(ID3D12Device* device, EventRelay& events, bool developer_mode)
    : events_(events) {
    leave_call("IUnknown::QueryInterface");
    const HRESULT result = device->QueryInterface(IID_ID3D12Device6, device_.out());
    unsupported_reason_ = reason_against(device, result);
    developer_mode_ = developer_mode && device_;
}

Result<bool> BackgroundProcessing::set_mode(BackgroundProcessingMode mode, MeasurementsAction action,
                                            CompletionEvent* completed) {
    if (completed != nullptr && !device::commits(action))
        return fail(ErrorCode::kInvalidArgument, "a completion event is given, but the action commits nothing", kCall);
    const auto nothing_to_do = [&] {
        if (completed != nullptr) completed->signal();
        return false;
    };
    if (!device_) return nothing_to_do();
    const bool for_developers = device::needs_developer_mode(mode, action);
    if (for_developers && !developer_mode_) return fail(needs_developer_mode_error());

    HANDLE event = nullptr;
    if (completed != nullptr) {
        HEAPWRIGHT_ASSIGN(event, events_.relay_to(*completed));
    }
    BOOL more = FALSE;
    leave_breadcrumb(kCall);
    const HRESULT result =
        device_->SetBackgroundProcessingMode(static_cast<D3D12_BACKGROUND_PROCESSING_MODE>(mode),
                                             static_cast<D3D12_MEASUREMENTS_ACTION>(action), event, &more);
    if (SUCCEEDED(result)) return more != FALSE;
    if (event != nullptr) events_.withdraw(event);
    // A runtime without the feature may have the interface and no function behind it.
    if (result == E_NOTIMPL && !supported()) return nothing_to_do();
    return fail(failure(result, for_developers));
}

Error BackgroundProcessing::failure(HRESULT result, bool for_developers) {
    Error error = call_error(result, kCall);
    leave_call("ID3D12Device::GetDeviceRemovedReason");
    if (const HRESULT removed = device_->GetDeviceRemovedReason(); FAILED(removed)) {
        error.code = ErrorCode::kDeviceLost;
        error.message = fmt::format("{}; the device was removed: {}", error.message, result_text(removed));
    } else if (for_developers && refuses_mode(result)) {
        developer_mode_ = false;
        error.message = fmt::format("{}: {}", needs_developer_mode_error().message, error.message);
        error.code = ErrorCode::kRefused;
    }
    return error;
}

bool system_developer_mode() {
#ifdef _WIN32
    DWORD on = 0;
    DWORD size = sizeof on;
    const LSTATUS read =
        RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\AppModelUnlock",
                     L"AllowDevelopmentWithoutDevLicense", RRF_RT_REG_DWORD, nullptr, &on, &size);
    return read == ERROR_SUCCESS && on != 0;
#else
    return true;
#endif
}

}  // namespace heapwright::d3d12
