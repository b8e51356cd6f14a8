// Rule: what a validation of an earlier policy on the same device teaches the next one. Measured figures beside those
// that this advice would promise without it:
//   worst frame                 its ratio is a factor on what device memory costs, for the rules and for the promises
//   all others                  the measured figure is promised, where it is more than a tenth away
// A promise that was not tested, and one of a stand-in, teaches nothing. The outcome depends on the validation alone, so
// that repeating it with a validation of its own policy changes nothing once the figures repeat. Pure.
#pragma once

#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::policy {

// From an eighth to eight; 1 where the measured worst frame is within a tenth, or unknown.
[[nodiscard]] double learned_cost_factor(const model::Expectations& unlearned,
                                         const model::DeviceValidation& validation);

void learn_promises(model::Expectations& expected, const model::DeviceValidation& validation);

}  // namespace heapwright::policy
