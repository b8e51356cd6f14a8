// The fields of two devices' entries, compared one by one over the whole document tree: what field_rules.hpp says of a
// path decides, arrays are matched by what their elements are. Sweeps and measured costs are left out; they have
// comparisons of their own. Pure and thread-safe.
// Beside it: what sweep cases are called in comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/validation.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct FieldDifferences {
    std::vector<model::FieldChange> changes;  // in document order; what is not the same
    std::uint64_t same_fields = 0;
};

[[nodiscard]] FieldDifferences compare_fields(const model::DeviceReport& baseline, const model::DeviceReport& other);
[[nodiscard]] FieldDifferences compare_fields(const model::DevicePolicy& baseline, const model::DevicePolicy& other);
[[nodiscard]] FieldDifferences compare_fields(const model::DeviceValidation& baseline,
                                              const model::DeviceValidation& other);

// Of every field that an entry holds.
[[nodiscard]] std::vector<std::string> field_paths(const model::DeviceReport& device);
[[nodiscard]] std::vector<std::string> field_paths(const model::DevicePolicy& device);
[[nodiscard]] std::vector<std::string> field_paths(const model::DeviceValidation& device);

// What sweep cases are called in comparisons, allow-lists and the store:
//   /image_sweep/FORMAT/TILING/DIMENSION/USAGE|USAGE/one_mip/layers_1/samples_1
//   /buffer_sweep/USAGE|USAGE
// Pure and thread-safe.

[[nodiscard]] std::string case_path(const model::ImageCase& entry);
[[nodiscard]] std::string case_path(const model::BufferCase& entry);

}  // namespace heapwright::compare
