// One image table in few words. Pure.
#pragma once

#include "heapwright/model/report.hpp"
#include "heapwright/observe/alignment_rule.hpp"

namespace heapwright::observe {

// `table` is an index into the sweep's tables; `finder` was made for the sweep's grid.
[[nodiscard]] model::ImageObservation observe_image_table(const model::ImageSweep& sweep, std::uint32_t table,
                                                          const AlignmentRuleFinder& finder);

}  // namespace heapwright::observe
