// The seam to an API's background processing: ID3D12Device6::SetBackgroundProcessingMode. An API or a driver without it
// says so in supported(); changing the mode there is a benign no-op: it wants no more measurements, and a commit has
// ended at once.
// Thread-safety: all calls from any thread. There is no synchronization between a change of mode and work on the
// queues: who wants to know which work the change answers drains the queues first.
// Source: D3D12 background processing specification.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/device/background_processor.hpp"

namespace heapwright::device {

class BackgroundProcessing {
public:
    virtual ~BackgroundProcessing() = default;

    // D3D12_FEATURE_DATA_D3D12_OPTIONS6::BackgroundProcessingSupported: whether the driver takes advantage of it.
    [[nodiscard]] virtual bool supported() const = 0;

    // Why not; empty where it is supported.
    [[nodiscard]] virtual std::string unsupported_reason() const = 0;

    // Whether the modes and actions that are for developers alone can be asked for, as far as is known: the runtime may
    // still refuse the first of them, and does so with the others then.
    [[nodiscard]] virtual bool developer_mode() const = 0;

    // Gives FurtherMeasurementsDesired. `completed` is null unless the action commits; it is signalled when the commit
    // has ended. Errors: kInvalidArgument (an event without a commit), kRefused (needs developer mode), kDeviceLost,
    // the runtime's.
    [[nodiscard]] virtual Result<bool> set_mode(BackgroundProcessingMode mode, MeasurementsAction action,
                                                CompletionEvent* completed) = 0;
};

}  // namespace heapwright::device
