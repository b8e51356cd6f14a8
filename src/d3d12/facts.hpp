// What CheckFeatureSupport tells: tiers and limits, features, feature levels, format support. Thread-safe.
#pragma once

#include <string>

#include "heapwright/d3d12/api.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// Fills limits and features of the report in the order of the feature numbers; a structure that the runtime refuses is
// evidence of the finding "features-unknown-to-runtime".
void read_features(ID3D12Device* device, model::DeviceReport& report);

// "12_1", the highest that the runtime and the headers know.
[[nodiscard]] std::string highest_feature_level(ID3D12Device* device);

// A structure by value; zeros when the runtime does not know it.
template <class Structure>
[[nodiscard]] Structure feature_data(ID3D12Device* device, D3D12_FEATURE feature) {
    Structure data{};
    if (FAILED(device->CheckFeatureSupport(feature, &data, sizeof data))) data = {};
    return data;
}

}  // namespace heapwright::d3d12
