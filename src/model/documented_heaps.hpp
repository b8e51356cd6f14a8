// The sizes of shader-visible heaps that Direct3D 12 documents for its hardware tiers, in descriptors. They hold where
// a runtime does not answer D3D12_FEATURE_D3D12_OPTIONS19, also where its driver would take more. Source: Direct3D 12
// programming guide, hardware tiers.
#pragma once

#include <cstdint>

namespace heapwright::model {

inline constexpr std::uint64_t kDocumentedVisibleViews = 1'000'000;
inline constexpr std::uint64_t kDocumentedVisibleSamplers = 2048;

}  // namespace heapwright::model
