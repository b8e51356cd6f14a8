// The kinds of suballocator, in the words of a policy. It stands in core because a policy (model) names the kind and
// suballoc makes it, and neither of the two depends on the other.
#pragma once

#include <cstdint>

namespace heapwright {

enum class SuballocatorKind : std::uint8_t {
    kTlsf,         // two-level bins, any size and alignment
    kFixedBlocks,  // best fit in blocks of the bucket's alignment
    kSlots,        // equal slots
    kLinear,       // bump and reset
    kRing,         // bump and retire by fence
};

}  // namespace heapwright
