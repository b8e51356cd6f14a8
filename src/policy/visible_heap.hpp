// Rules: the capacity of a shader-visible descriptor heap, and its division into a static and a dynamic part.
//   dynamic: (frames in flight + 1) frames of dynamic descriptors, a chunk more for each context in each of them, a
//            quarter for requests larger than a chunk
//   static:  what the workload keeps, and a quarter more for what waits for the device
//   both shrink in proportion where the device's limit is smaller than their sum
// Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] model::VisibleHeapPolicy decide_resource_heap(const Context& context, std::uint64_t frames_in_flight,
                                                            std::vector<std::string>& warnings);
[[nodiscard]] model::VisibleHeapPolicy decide_sampler_heap(const Context& context, std::uint64_t frames_in_flight,
                                                           std::vector<std::string>& warnings);

}  // namespace heapwright::policy
