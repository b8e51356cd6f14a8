// Rule: how many frames the host may be ahead of the device. What the workload asks for; every one of them holds its
// dynamic descriptors, its uploads and what was released in it until the device has passed it. Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] model::Decided<std::uint64_t> decide_frames_in_flight(const Context& context);

}  // namespace heapwright::policy
