// Direct3D 12's rules on resource states and bundles.
//
// There are two queue type classes, 3D/compute and copy. COPY_DEST and COPY_SOURCE of one class are not
// those of the other; a copy queue takes a resource in COMMON (from which it is promoted, and to which it decays when
// the work ends) or in a state to which the copy queue itself brought it; a presented back buffer is in COMMON;
// bundles run on 3D queues alone. On a 3D or compute queue a buffer in COMMON is promoted to any state, a texture to
// COPY_DEST, COPY_SOURCE and SHADER_RESOURCE. What was promoted to a read state decays to COMMON again; a buffer does
// from every state, also one that a transition brought it to, when the submission ends. A texture keeps the state that
// a transition brought it to.
// Uses are taken in the order in which the schedule plays; what has no order is the access rules' finding.
// Source: "Multi-engine synchronization", multi-queue resource access; Direct3D 12 specification, implicit state
// transitions.
#pragma once

#include <vector>

#include "heapwright/schedule/progress.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

[[nodiscard]] std::vector<Violation> check_states(const Schedule& schedule, const Progress& progress);

}  // namespace heapwright::schedule
