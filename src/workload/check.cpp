#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "heapwright/workload/stream.hpp"

namespace heapwright::workload {
namespace {

constexpr std::uint64_t kLargestBufferBytes = 1ull << 48;

tl::unexpected<Error> refuse(const std::string& where, std::string message, std::uint64_t value, std::uint64_t limit) {
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = std::move(message),
                 .where = where,
                 .value = value,
                 .limit = limit});
}

Status check_range(const std::string& where, std::uint64_t smallest, std::uint64_t largest,
                   model::SizeDistribution distribution) {
    if (smallest == 0 || smallest > largest) {
        return refuse(where, "the smallest size is 0 or above the largest", smallest, largest);
    }
    if (distribution == model::SizeDistribution::kPowersOfTwo && std::bit_floor(largest) < smallest) {
        return refuse(where, "no power of two lies between the bounds", smallest, largest);
    }
    return {};
}

Status check_image(const model::ImageHint& hint, const std::string& where) {
    if (hint.extents.empty()) {
        HEAPWRIGHT_TRY(check_range(where, hint.smallest_side, hint.largest_side, hint.distribution));
    }
    for (const auto& extent : hint.extents) {
        if (extent[0] == 0 || extent[1] == 0) return refuse(where + "/extents", "a side is 0", 0, 1);
    }
    if (hint.array_layers == 0) return refuse(where + "/array_layers", "an image has at least one layer", 0, 1);
    if (!std::has_single_bit(hint.samples) || hint.samples > 64) {
        return refuse(where + "/samples", "not a sample count", hint.samples, 64);
    }
    if (hint.samples > 1 && hint.full_mips) {
        return refuse(where + "/full_mips", "a multisampled image has one mip level", hint.samples, 1);
    }
    return {};
}

}  // namespace

Status check_workload(const model::Workload& workload) {
    if (!(workload.reserve_share >= 0.0 && workload.reserve_share < 1.0)) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("{} is not in [0, 1)", workload.reserve_share),
                    "/reserve_share");
    }
    for (std::size_t i = 0; i < workload.images.size(); ++i) {
        HEAPWRIGHT_TRY(check_image(workload.images[i], fmt::format("/images/{}", i)));
    }
    for (std::size_t i = 0; i < workload.buffers.size(); ++i) {
        const model::BufferHint& hint = workload.buffers[i];
        const std::string where = fmt::format("/buffers/{}", i);
        HEAPWRIGHT_TRY(check_range(where, hint.smallest_bytes, hint.largest_bytes, hint.distribution));
        if (hint.largest_bytes > kLargestBufferBytes) {
            return refuse(where, "no device has buffers of this size", hint.largest_bytes, kLargestBufferBytes);
        }
    }
    return {};
}

}  // namespace heapwright::workload
