// Why each wait of a schedule is there, as a validation document says it. Pure.
#pragma once

#include <vector>

#include "heapwright/model/validation.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::validate {

// One entry for each actor, fence, role and kind of work that it orders, with how many waits it stands for and the
// first of them.
[[nodiscard]] std::vector<model::WaitFinding> wait_findings(const schedule::Schedule& schedule, schedule::Rules rules);

}  // namespace heapwright::validate
