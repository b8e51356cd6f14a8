// Rule: how many descriptors one page of a CPU descriptor heap holds, by type. A page holds about an eighth of what the
// workload keeps, rounded up to a power of two, within bounds: creating a heap locks all threads that create views, and
// a page that is larger than needed costs host memory. Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// Fills the four page sizes.
void decide_cpu_heap_pages(const Context& context, model::DescriptorPolicy& policy);

}  // namespace heapwright::policy
