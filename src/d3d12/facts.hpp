// What CheckFeatureSupport tells: tiers and limits, features, feature levels, format support. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "d3d12/api.hpp"
#include "heapwright/model/report.hpp"
#include "probe/failed_questions.hpp"

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

}  // namespace heapwright::d3d12
