#include "workload/split.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/checked.hpp"

namespace heapwright::workload {
namespace {

void split(model::BufferHint& hint, std::uint64_t most_bytes) {
    const Parts parts = parts_of(hint, most_bytes);
    if (parts.count == 1) return;
    const bool one_size = hint.smallest_bytes == hint.largest_bytes;
    hint.smallest_bytes = one_size ? parts.bytes : std::min(parts.bytes, div_ceil(hint.smallest_bytes, parts.count));
    hint.largest_bytes = parts.bytes;
    hint.count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max(), hint.count * parts.count));
}

}  // namespace

Parts parts_of(const model::BufferHint& hint, std::uint64_t most_bytes) {
    if (!hint.splittable || most_bytes == 0 || hint.largest_bytes <= most_bytes) return {.bytes = hint.largest_bytes};
    constexpr std::uint64_t kMostParts = 1ull << 31;
    const std::uint64_t unit = most_bytes < kPartUnit ? 1 : kPartUnit;
    const std::uint64_t most = align_down(most_bytes, unit);
    Parts parts{.count = std::min(kMostParts, div_ceil(hint.largest_bytes, most))};
    if (hint.distribution == model::SizeDistribution::kPowersOfTwo) parts.count = std::bit_ceil(parts.count);
    parts.bytes = std::min(most, align_up(div_ceil(hint.largest_bytes, parts.count), unit));
    return parts;
}

const model::Decided<std::uint64_t>* largest_of(const model::BufferHint& hint, const model::DevicePolicy& policy) {
    const bool is_storage = (hint.usage & model::buffer_usage::kStorage) != 0;
    if (is_storage && policy.largest_storage_buffer_bytes) return &*policy.largest_storage_buffer_bytes;
    return policy.largest_buffer_bytes ? &*policy.largest_buffer_bytes : nullptr;
}

model::Workload split_buffers(model::Workload workload, const model::DevicePolicy& policy) {
    for (model::BufferHint& hint : workload.buffers) {
        if (const auto* const largest = largest_of(hint, policy)) split(hint, largest->value);
    }
    return workload;
}

}  // namespace heapwright::workload
