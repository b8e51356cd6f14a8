// Rule: how many dynamic descriptors a recording context takes from the shared heap at once. Few enough requests that
// the lock is rare (each context takes about 16 chunks a frame), small enough that what the last chunks of all contexts
// leave unused is no large share; at least four draws. Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] model::Decided<std::uint64_t> decide_resource_chunk(const Context& context);
[[nodiscard]] model::Decided<std::uint64_t> decide_sampler_chunk(const Context& context);

}  // namespace heapwright::policy
