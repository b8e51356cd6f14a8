// The workloads that come with the program: the documents of policies/presets, compiled in.
// Pure and thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// general-engine first, which is the default; the others sorted by name.
[[nodiscard]] std::vector<std::string_view> preset_names();

// The document as it stands in policies/presets. Errors: kInvalidArgument naming the known ones.
[[nodiscard]] Result<std::string_view> preset_text(std::string_view name);

[[nodiscard]] Result<model::Workload> preset(std::string_view name);

}  // namespace heapwright::workload
