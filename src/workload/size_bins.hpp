// A hint's distribution of sizes (image sides or buffer bytes) as bins between powers of two: what draw() draws one by
// one (draw.hpp), in means and weights. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

struct SizeBin {
    std::uint64_t largest = 1;  // the largest value of the bin
    double mean = 1;
    double weight = 1;  // the weights of a distribution sum to 1
};

// Ascending, never empty. kPowersOfTwo gives the powers of two themselves (or `largest` alone where the bounds hold
// none); the others one bin for each doubling, which holds the power of two that ends it.
[[nodiscard]] std::vector<SizeBin> size_bins(model::SizeDistribution distribution, std::uint64_t smallest,
                                             std::uint64_t largest);

}  // namespace heapwright::workload
