// All rules of a schedule at once, to be asked before anything is submitted.
#pragma once

#include <vector>

#include "engines/schedule.hpp"
#include "engines/violation.hpp"

namespace heapwright::engines {

[[nodiscard]] std::vector<Violation> check(const Schedule& schedule, Rules rules);

// The order in which to submit the operations so that no wait is submitted before a signal that meets it: for one
// queue in several engines' place, and for a driver that takes an early wait for met. Empty when there is none; then
// check() reports the deadlock.
[[nodiscard]] std::vector<std::size_t> signals_first(const Schedule& schedule);

}  // namespace heapwright::engines
