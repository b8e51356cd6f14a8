// One resource drawn from a hint. Integer arithmetic alone, so that one seed gives one workload on every platform.
// Pure; the hints have passed check_workload() (stream.hpp).
// Beside it: a hint's sizes as bins, and buffers made in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// A value in [smallest, largest]. kLogUniform draws every value in proportion to 1 / value, so that every doubling
// inside the bounds is equally likely, whatever the bounds.
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

// A hint's distribution of sizes (image sides or buffer bytes) as bins between powers of two: what draw() draws one by
// one, in means and weights. Pure.

struct SizeBin {
    std::uint64_t largest = 1;  // the largest value of the bin
    double mean = 1;
    double weight = 1;  // the weights of a distribution sum to 1
};

// Ascending, never empty. kPowersOfTwo gives the powers of two themselves (or `largest` alone where the bounds hold
// none); the others one bin for each doubling, which holds the power of two that ends it.
[[nodiscard]] std::vector<SizeBin> size_bins(model::SizeDistribution distribution, std::uint64_t smallest,
                                             std::uint64_t largest);

// A buffer that is larger than the device allows, made as several of one size that hold the same data: the weights of a
// layer, the table of embeddings. A hint says whether its buffers may be (`splittable`). What follows sees an ordinary
// hint at the same place in the workload. Sizes in bytes. Pure and thread-safe.

// No element of up to this size lies across two parts.
inline constexpr std::uint64_t kPartUnit = 65536;

struct Parts {
    std::uint64_t count = 1;  // of each buffer; 1: it stays whole
    std::uint64_t bytes = 0;  // of the largest part
};

// As few as the largest buffer of the hint needs, of one size: at most `most_bytes`, a multiple of kPartUnit where that
// is not below it. A power of two where the hint's sizes are.
[[nodiscard]] Parts parts_of(const model::BufferHint& hint, std::uint64_t most_bytes);

// What the policy lets one buffer of the hint have at most: its largest_storage_buffer_bytes where that is there and
// the hint is of storage buffers, else its largest_buffer_bytes; null: no bound.
[[nodiscard]] const model::Decided<std::uint64_t>* largest_of(const model::BufferHint& hint,
                                                              const model::DevicePolicy& policy);

// Hints that parts_of() splits by largest_of() have so many times their count, and sizes by so much smaller.
[[nodiscard]] model::Workload split_buffers(model::Workload workload, const model::DevicePolicy& policy);

}  // namespace heapwright::workload
