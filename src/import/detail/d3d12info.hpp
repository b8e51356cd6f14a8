// D3d12info's JSON (https://github.com/sawickiap/D3d12info): an array of runs, each with its adapters. Facts keep the
// names of the structures: integers of D3D12_FEATURE_DATA_* are limits, booleans features, in the file's order.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_d3d12info(const JsonValue& root);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_d3d12info(const JsonValue& root);

// Heaps and budgets from DXGI, memory types from what Direct3D 12 defines for the adapter's architecture.
[[nodiscard]] Status read_d3d12_memory(const JsonValue& adapter, model::DeviceReport& device);

}  // namespace heapwright::imports::detail
