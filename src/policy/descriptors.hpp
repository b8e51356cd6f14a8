// Rules: the sizes of descriptor heaps and what divides them. Counts of descriptors. Pure.
// Beside it: how many descriptors one shader-visible heap may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/context.hpp"

namespace heapwright::policy {

// What a policy says of descriptors: the pages of the CPU heaps, both shader-visible heaps and what divides them all.
// A page holds about an eighth of what the workload keeps, rounded up to a power of two, within
// bounds: creating a heap locks all threads that create views, and a page that is larger than needed costs host memory.
[[nodiscard]] model::DescriptorPolicy decide_descriptors(const Context& context, std::uint64_t frames_in_flight,
                                                         model::Statement& warnings);

// The capacity of a shader-visible heap, and its division into a static and a dynamic part.
//   dynamic: (frames in flight + 1) frames of dynamic descriptors, a chunk more for each context in each of them, a
//            quarter for requests larger than a chunk
//   static:  what the workload keeps, and a quarter more for what waits for the device
//   both shrink in proportion where the device's limit is smaller than their sum
// A recording context takes dynamic descriptors a chunk at a time: few enough requests that the lock is rare (about 16
// chunks a frame), small enough that what the last chunks of all contexts leave unused is no large share; at least four
// draws.
[[nodiscard]] model::VisibleHeapPolicy decide_resource_heap(const Context& context, std::uint64_t frames_in_flight,
                                                            model::Statement& warnings);
[[nodiscard]] model::VisibleHeapPolicy decide_sampler_heap(const Context& context, std::uint64_t frames_in_flight,
                                                           model::Statement& warnings);

// Which suballocator divides each part. CPU heaps and the static part of a shader-visible heap serve rows of any length
// that end in any order: the general two-level one. The dynamic part serves equal chunks: fixed slots, unless a draw
// needs more than a chunk holds. Fills the five kinds; the dynamic chunks are decided.
// Source: "Managing Descriptor Heaps" (Diligent Engine): a variable-size allocator, and chunks of equal size for
// dynamic descriptors.
void decide_descriptor_suballocators(const Context& context, model::DescriptorPolicy& policy);

// How many descriptors one shader-visible heap may hold: on Direct3D 12 what D3D12_OPTIONS19 states, else the
// documented hardware tiers, less where no heap of that size could be created; on Vulkan the smallest limit of the
// descriptor types that share a heap, for samplers also of the objects that may live (less a share for static
// samplers). Never what a driver takes beyond. Pure.

struct DescriptorLimit {
    std::optional<std::uint64_t> count;  // empty: the report states none
    model::Statement reason;             // which limit decides
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] DescriptorLimit resource_descriptor_limit(const Context& context);
[[nodiscard]] DescriptorLimit sampler_descriptor_limit(const Context& context);

}  // namespace heapwright::policy
