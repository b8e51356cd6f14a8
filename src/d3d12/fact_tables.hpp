// The structures of ID3D12Device::CheckFeatureSupport as data: which feature number, which members. Pure.
// Source: d3d12.h; a structure that the headers lack is declared here with the number that later headers give it.
#pragma once

#include <cstdint>
#include <span>

#include "d3d12/api.hpp"

namespace heapwright::d3d12 {

// Every member has 32 bits.
struct FeatureMember {
    const char* name;
    std::uint32_t offset_bytes;
    bool is_bool;  // 0 or 1: a feature; everything else is a limit
};

struct FeatureStructure {
    D3D12_FEATURE feature;
    const char* feature_name;  // "D3D12_FEATURE_D3D12_OPTIONS"
    const char* name;          // "D3D12_FEATURE_DATA_D3D12_OPTIONS"
    std::uint32_t size_bytes;
    std::span<const FeatureMember> members;
};

// Those that are asked with a structure of zeros (node 0), in the order of their numbers.
[[nodiscard]] std::span<const FeatureStructure> feature_structures();

}  // namespace heapwright::d3d12
