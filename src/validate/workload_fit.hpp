// Whether a policy holds a workload at its peak: no set of memory uses may want more than the usable bytes of all the
// heaps that serve them. Sizes in bytes. Pure.
#pragma once

#include <optional>
#include <string>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "validate/population.hpp"

namespace heapwright::validate {

// In words, what is missing; empty: it fits. A policy that states its capacity speaks for `is_policys_workload`; for
// another one, and where it states none, `wanted_bytes` count.
[[nodiscard]] std::optional<std::string> misfit_of(const model::DevicePolicy& policy, const model::DeviceReport& facts,
                                                   const BytesByUse& wanted_bytes, bool is_policys_workload);

}  // namespace heapwright::validate
