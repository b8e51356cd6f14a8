// Waits that no order of the engines ends. One violation for each circle of waits, with every wait and signal of it;
// one for each wait that nothing can meet; and one for each other wait that stands behind such a one, with all that
// lies between. Of several signals that could meet a wait, none of which can run, the first is followed.
#pragma once

#include <vector>

#include "heapwright/schedule/progress.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

// `progress` is that of play().
[[nodiscard]] std::vector<Violation> check_deadlocks(const Schedule& schedule, const Progress& progress);

}  // namespace heapwright::schedule
