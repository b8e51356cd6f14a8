// Which drivers of a list a matrix runs. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/matrix/driver.hpp"

namespace heapwright::matrix {

struct Selection {
    std::vector<std::string> families;  // empty: every one
    std::vector<std::string> gpus;      // of the played GPUs these alone; empty: every one
};

// In the list's order. A driver that plays no GPU is not asked for one. Errors: kInvalidArgument for a family or a GPU
// that the list lacks, naming those that it has.
[[nodiscard]] Result<std::vector<Driver>> choose(const std::vector<Driver>& drivers, const Selection& selection);

}  // namespace heapwright::matrix
