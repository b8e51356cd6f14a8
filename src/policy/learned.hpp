// Rule: what a validation of an earlier policy on the same device teaches the next one. Measured figures beside those
// that the earlier policy promised:
//   worst frame   its ratio is a factor, a power of two, on what device memory costs, for the rules and the promises,
//                 where frames call the device at all
//   all others    the measured figure is promised, where it is more than a tenth away
// The earlier policy's own factor is the one with which this advice makes its promise of the worst frame; the factors
// of repeated validations multiply. A promise that was not tested, and one of a stand-in, teaches nothing. Repeated
// with validations of its own policies, the factor stays once the measured worst frame is within the square root of two
// of the promise, and with it the policy; the other promises then are what is measured. Pure.
#pragma once

#include <functional>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::policy {

// What another workload took teaches nothing. Errors: kInvalidArgument, which names both.
[[nodiscard]] Status check_teaches(const model::Validation& validation, const model::Workload& workload);

// From an eighth to eight. `advise_at`: the policy under a factor. Errors: its own.
[[nodiscard]] Result<double> learned_cost_factor(const model::DeviceValidation& validation,
                                                 const std::function<Result<model::DevicePolicy>(double)>& advise_at);

void learn_promises(model::Expectations& expected, const model::DeviceValidation& validation);

}  // namespace heapwright::policy
