// Which drivers of a list a matrix runs. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "compare/matrix_driver.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::compare {

struct DriverSelection {
    std::vector<std::string> families;  // empty: every one
    std::vector<std::string> gpus;      // of the played GPUs these alone; empty: every one
};

// In the list's order. A driver that plays no GPU is not asked for one. Errors: kInvalidArgument for a family or a GPU
// that the list lacks, naming those that it has.
[[nodiscard]] Result<std::vector<MatrixDriver>> choose_drivers(const std::vector<MatrixDriver>& drivers,
                                                               const DriverSelection& selection);

}  // namespace heapwright::compare
