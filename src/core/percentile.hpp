// Percentiles of samples. Pure and thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heapwright {

// The smallest sample that at least `percent` (1 to 100) of all samples do not exceed; there is at least one sample.
template <class T>
[[nodiscard]] T percentile(std::vector<T> samples, std::size_t percent) {
    const auto rank = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() * percent + 99) / 100 - 1);
    std::ranges::nth_element(samples, rank);
    return *rank;
}

}  // namespace heapwright
