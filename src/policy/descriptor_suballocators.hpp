// Rule: which suballocator divides each part of the descriptor heaps. CPU heaps and the static part of a shader-visible
// heap serve rows of any length that end in any order: the general two-level one. The dynamic part serves equal chunks:
// fixed slots, unless a draw needs more than a chunk holds. Pure.
// Source: "Managing Descriptor Heaps" (Diligent Engine): a variable-size allocator, and chunks of equal size for
// dynamic descriptors.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// Fills the five kinds; the dynamic chunks are decided.
void decide_descriptor_suballocators(const Context& context, model::DescriptorPolicy& policy);

}  // namespace heapwright::policy
