// Runs scenarios inside a measurement session: where the device's driver optimises in the background and says so, a
// shorter run of the same scenarios trains it first, nothing perturbs the measured run, and the ordinary mode comes
// back. Elsewhere nothing is run twice, and the times of the frames say whether they were steady; a scenario without
// frames of its own says nothing of it.
// Not thread-safe. A finding of a training run is the result: the measured run is not made then.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

using ScenarioBody = std::function<Result<std::vector<model::ScenarioResult>>(const ValidateOptions& options)>;

// Errors: those of `body`, kDeviceLost.
[[nodiscard]] Result<std::vector<model::ScenarioResult>> run_measured(device::Device& device,
                                                                      const ValidateOptions& options,
                                                                      const ScenarioBody& body);

// Of the times of a scenario's frames, in their order: what the session says that the scenario runs in.
[[nodiscard]] model::MeasurementSteadiness judge_frames(const ValidateOptions& options,
                                                        std::span<const double> frames_ns);

}  // namespace heapwright::validate
