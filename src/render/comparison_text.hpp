// A comparison for people at a terminal. Lines not wrapped. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/comparison.hpp"

namespace heapwright::render {

struct ComparisonTextOptions {
    bool all = false;  // expected differences too, one by one
};

[[nodiscard]] std::string comparison_text(const model::Comparison& comparison,
                                          const ComparisonTextOptions& options = {});

}  // namespace heapwright::render
