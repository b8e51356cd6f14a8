// Rule: which share of a heap's budget at run time stays with other processes: the workload's. The usable bytes of the
// heap leave the same share of the budget at the time of the report; the budget of the moment may be smaller. None
// where the device reports no budget: there is nothing to take a share of. Pure.
#pragma once

#include <optional>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] std::optional<model::Decided<double>> decide_reserve_share(const Context& context, std::size_t heap);

}  // namespace heapwright::policy
