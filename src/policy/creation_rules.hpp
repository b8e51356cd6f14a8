// Rule: how many of the host's threads may create images, buffers, and descriptor pools at once: the fewest whose
// measured rate comes within a tenth of the highest. Some drivers take turns: then one thread makes more alone than
// many together. Rule: memoryPriority is switched on only where no number of threads loses more than half of its rate
// by it. Pure.
#pragma once

#include <optional>

#include "heapwright/model/policy.hpp"
#include "policy/context.hpp"

namespace heapwright::policy {

// Nothing for a report that does not measure them.
[[nodiscard]] std::optional<model::CreationPolicy> decide_creations(const Context& context);

}  // namespace heapwright::policy
