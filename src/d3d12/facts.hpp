// What CheckFeatureSupport tells: tiers and limits, features, feature levels, format support. Thread-safe.
// Beside it: the tables of what is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "d3d12/api.hpp"
#include "heapwright/model/report.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {

// Asks CheckFeatureSupport. A runtime refuses what it does not know with E_INVALIDARG, E_NOTIMPL, E_FAIL or
// DXGI_ERROR_UNSUPPORTED; any other failure is none of the answers, and `failed` tells of it.
HRESULT check_feature(ID3D12Device* device, D3D12_FEATURE feature, void* data, std::size_t size_bytes,
                      std::string_view name, probe::FailedQuestions& failed);

// Fills limits and features of the report in the order of the feature numbers; a structure that the runtime refuses is
// evidence of the finding "features-unknown-to-runtime".
void read_features(ID3D12Device* device, model::DeviceReport& report);

// "12_1", the highest that the runtime and the headers know.
[[nodiscard]] std::string highest_feature_level(ID3D12Device* device, probe::FailedQuestions& failed);

// A structure by value; zeros when the runtime does not know it, or failed.
template <class Structure>
[[nodiscard]] Structure feature_data(ID3D12Device* device, D3D12_FEATURE feature, std::string_view name,
                                     probe::FailedQuestions& failed) {
    Structure data{};
    if (FAILED(check_feature(device, feature, &data, sizeof data, name, failed))) data = {};
    return data;
}

// The structures of ID3D12Device::CheckFeatureSupport as data: which feature number, which members. Pure.
// Source: d3d12.h; a structure that the headers lack is declared here with the number that later headers give it.

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
