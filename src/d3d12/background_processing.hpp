// ID3D12Device6::SetBackgroundProcessingMode behind the seam. A runtime without that interface, or a driver that takes
// no advantage of it, is not supported, with the reason; a change of mode there is the benign no-op that the
// specification promises.
//
// What is for developers alone is not asked for where the system says that its developer mode is off: another method
// for developers, SetStablePowerState, removes the device then. Elsewhere the runtime's refusal says so, which is
// E_INVALIDARG or another refusing HRESULT for arguments that are valid otherwise; from then on such calls are refused
// here.
// Thread-safe. The relay outlives the device.
// Source: D3D12 background processing specification; "ID3D12Device6::SetBackgroundProcessingMode" (Microsoft).
#pragma once

#include <atomic>
#include <string>

#include "d3d12/api.hpp"
#include "d3d12/com.hpp"
#include "d3d12/completion_waiter.hpp"
#include "device/background_processing.hpp"

namespace heapwright::d3d12 {

class BackgroundProcessing final : public device::BackgroundProcessing {
public:
    // `developer_mode`: what the system says, see system_developer_mode().
    BackgroundProcessing(ID3D12Device* device, EventRelay& events, bool developer_mode);

    [[nodiscard]] bool supported() const override { return unsupported_reason_.empty(); }
    [[nodiscard]] std::string unsupported_reason() const override { return unsupported_reason_; }
    [[nodiscard]] bool developer_mode() const override { return developer_mode_; }
    [[nodiscard]] Result<bool> set_mode(device::BackgroundProcessingMode mode, device::MeasurementsAction action,
                                        CompletionEvent* completed) override;

private:
    [[nodiscard]] Error failure(HRESULT result, bool for_developers);

    Com<ID3D12Device6> device_;  // null: the runtime lacks the interface
    EventRelay& events_;
    std::string unsupported_reason_;
    std::atomic<bool> developer_mode_;
};

// Whether the system lets programs use what is for developers alone. Windows: the switch of its settings. Elsewhere no
// such switch is known and the runtime decides: true.
[[nodiscard]] bool system_developer_mode();

}  // namespace heapwright::d3d12
