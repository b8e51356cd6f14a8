// Rule: whether work beside draws pays on an engine of its own. It pays when the two at the same time save at least a
// tenth of the shorter one and nine of ten runs (of fewer than ten: all) stay below the time of one after the other.
// Without that measurement, with fewer than three samples of it, or where it was disturbed (the report says so, or more
// is gained than all of the shorter one by more than 5%), an engine whose queues are not the graphics ones is taken to
// pay. Pure.
#pragma once

#include "heapwright/policy/engine_facts.hpp"

namespace heapwright::policy {

// `kind` is the kind of the engine beside the graphics one; `what` names its work: "copies".
[[nodiscard]] model::Decided<bool> decide_overlap(const EngineFacts& facts, std::string_view kind,
                                                  std::string_view what);

}  // namespace heapwright::policy
