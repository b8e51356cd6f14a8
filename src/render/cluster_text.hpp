// Groups of reports for people at a terminal. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/comparison.hpp"

namespace heapwright::render {

[[nodiscard]] std::string cluster_text(const model::Clusters& clusters);

}  // namespace heapwright::render
