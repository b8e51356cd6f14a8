// One driver: its children, one after the other, until all of its devices had their turn. What a child said before it
// crashed or hung is kept. A probe goes on in the next child without the step that brought the driver down, a bounded
// number of times; after that, and in a validation, the device is left out.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "isolate/driver_stages.hpp"
#include "isolate/messages.hpp"

namespace heapwright::isolate {

// A driver or a device that failed: as the documents have it, and the error that it was.
struct TargetFailure {
    model::ProbeFailure told;
    Error error;
    bool of_device = false;  // one that was being worked on, rather than the driver
};

// What one driver's children said until the last one ended well or nothing more could be tried.
struct TargetResult {
    std::vector<model::DeviceIdentity> adapters;
    std::vector<std::pair<std::uint32_t, model::DeviceReport>> devices;  // by position in the driver's order
    std::vector<model::DeviceValidation> validations;
    std::vector<TargetFailure> failures;
};

// `timeout_ns` is each device's. Errors: kInterrupted, kIoError when no child could be started; whatever the driver did
// wrong is in `result`.
[[nodiscard]] Status run_target(const Target& target, WorkerRequest request, std::uint64_t timeout_ns,
                                const ProgressFunction& progress, TargetResult& result);

}  // namespace heapwright::isolate
