// The seam to an API's background processing: ID3D12Device6::SetBackgroundProcessingMode. An API or a driver without it
// says so in supported(); changing the mode there is a benign no-op.
// Source: D3D12 background processing specification.
#pragma once

#include "heapwright/background/background_processor.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::background {

class BackgroundProcessing {
public:
    virtual ~BackgroundProcessing() = default;

    // D3D12_FEATURE_DATA_D3D12_OPTIONS6::BackgroundProcessingSupported: whether the driver takes advantage of it.
    [[nodiscard]] virtual bool supported() const = 0;

    // Whether the modes and actions that are for developers alone are accepted.
    [[nodiscard]] virtual bool developer_mode() const = 0;

    // Gives FurtherMeasurementsDesired. Errors: kInvalidArgument (an event without a commit), kRefused (needs
    // developer mode), kDeviceLost.
    [[nodiscard]] virtual Result<bool> set_mode(Mode mode, Action action, CompletionEvent* completed) = 0;
};

}  // namespace heapwright::background
