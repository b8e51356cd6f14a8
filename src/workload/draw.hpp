// One resource drawn from a hint. Integer arithmetic alone, so that one seed gives one workload on every platform.
// Pure; the hints have passed check_workload() (stream.hpp).
#pragma once

#include <cstdint>

#include "core/random.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// A value in [smallest, largest]. kLogUniform draws every value in proportion to 1 / value, so that every doubling
// inside the bounds is equally likely, whatever the bounds; size_bins.hpp has the means of the same distributions.
[[nodiscard]] std::uint64_t draw(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest,
                                 Random& random);

// Width and height are drawn independently of each other.
[[nodiscard]] model::ImageDescription draw_image(const model::ImageHint& hint, Random& random);

// Sizes are rounded up to 4 bytes, the unit in which devices fill buffers.
[[nodiscard]] model::BufferDescription draw_buffer(const model::BufferHint& hint, Random& random);

// Bytes of the texels or of the buffer: what the resource takes at least.
[[nodiscard]] std::uint64_t packed_size_bytes(const model::ResourceDescription& resource);

// Their mean over draws of a hint, the same for every count.
[[nodiscard]] double mean_packed_bytes(const model::ImageHint& hint);
[[nodiscard]] double mean_packed_bytes(const model::BufferHint& hint);

}  // namespace heapwright::workload
