// What sweep cases are called in comparisons, allow-lists and the store:
//   /image_sweep/FORMAT/TILING/DIMENSION/USAGE|USAGE/one_mip/layers_1/samples_1
//   /buffer_sweep/USAGE|USAGE
// Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/sweep.hpp"

namespace heapwright::compare {

[[nodiscard]] std::string case_path(const model::ImageCase& entry);
[[nodiscard]] std::string case_path(const model::BufferCase& entry);

}  // namespace heapwright::compare
