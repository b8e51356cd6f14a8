// The hints behind a trace, which is read twice: in memory that grows with what is alive and with the hints, and by a
// quarter of a byte for each creation.
//  - Lifetime: destroyed in the frame that created it: frame. Never destroyed: persistent. Destroyed in one frame
//    together with at least 15 others of its kind, and those at least a quarter of the kind's live ones: level.
//    Otherwise streaming.
//  - One image hint for each format, tiling, usage, mips, depth, layers, samples, memory use and lifetime.
//    Up to 64 distinct extents are kept as they are, repeated by how often they occur; more become the bounds of their
//    sides.
//  - One buffer hint for each usage, memory use, lifetime and doubling of the size: the histogram of the sizes.
//  - A hint's count is the largest number alive at once.
// Not thread-safe over one source.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"
#include "workload/trace_reader.hpp"

namespace heapwright::workload {

// `open` gives the trace from its beginning, twice. Errors: those of the reader; kIoError where the trace changed
// meanwhile.
[[nodiscard]] Result<model::Workload> workload_from_trace(const OpenTrace& open, std::string_view name);

}  // namespace heapwright::workload
