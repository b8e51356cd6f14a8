// The policy that the memory article's rule (source_rule.hpp) gives a workload, complete enough to serve all that
// another policy serves, so that both can be played on the same operations. Pure. Errors: those of advise().
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::policy {

// Where the report holds no sweep the rule cannot know every alignment that the driver asks for: what `other` serves
// and it does not gets buckets of its own, with its chunk size. Memory types are taken as `other` ranks them.
[[nodiscard]] Result<model::DevicePolicy> policy_by_source_rule(const model::DeviceReport& facts,
                                                                const model::Workload& workload,
                                                                const model::DevicePolicy& other);

}  // namespace heapwright::policy
