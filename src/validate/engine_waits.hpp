// Why each wait of a schedule is there, as a validation document says it. Pure.
#pragma once

#include <vector>

#include "engines/schedule.hpp"
#include "engines/violation.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

// One entry for each actor, fence, role and kind of work that it orders, with how many waits it stands for and the
// first of them.
[[nodiscard]] std::vector<model::WaitFinding> wait_findings(const engines::Schedule& schedule, engines::Rules rules);

}  // namespace heapwright::validate
