// The smallest set of policies, each made for one group's representative, that serves every group within a given waste.
// Greedy set cover: always the policy that serves the most devices not yet served (a factor of ln n from the optimum at
// worst), then policies that others make superfluous are dropped. Deterministic; uses `threads` threads.
#pragma once

#include "heapwright/compare/cluster.hpp"

namespace heapwright::compare {

// Fills served_by, waste and not_served of the groups, and the policies and bound of the clusters. Every
// representative is read again. Errors: kInterrupted.
[[nodiscard]] Status find_covering_policies(model::Clusters& clusters, const ClusterOptions& options);

}  // namespace heapwright::compare
