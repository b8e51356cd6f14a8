#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "workload/stream.hpp"

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

// VkImageCreateInfo, "Valid Usage": what a 3D image cannot have.
Status check_volume(const model::ImageHint& hint, const std::string& where) {
    if (!hint.depth) return {};
    if (*hint.depth == 0) return refuse(where + "/depth", "a 3D image has at least one slice", 0, 1);
    if (hint.array_layers > 1) return refuse(where + "/array_layers", "a 3D image has one layer", hint.array_layers, 1);
    if (hint.samples > 1) return refuse(where + "/samples", "a 3D image has one sample", hint.samples, 1);
    return {};
}

Status check_flags(const model::ImageHint& hint, const std::string& where) {
    namespace image_creation = model::image_creation;
    if (const model::Flags unknown = hint.flags & ~image_creation::kCarriedOut; unknown != 0) {
        return fail(
            {.code = ErrorCode::kNotSupported,
             .message = fmt::format("creation with {} is not supported; carried out are {}",
                                    model::flags_text(unknown, model::image_creation_names()),
                                    model::flags_text(image_creation::kCarriedOut, model::image_creation_names())),
             .where = where + "/flags"});
    }
    const bool cube = (hint.flags & image_creation::kCubeCompatible) != 0;
    if (cube && (hint.array_layers < 6 || hint.depth)) {
        return refuse(where + "/flags", "CUBE_COMPATIBLE needs a 2D image of at least 6 layers", hint.array_layers, 6);
    }
    for (const auto& extent : hint.extents) {
        if (cube && extent[0] != extent[1]) {
            return refuse(where + "/extents", "CUBE_COMPATIBLE needs square images", extent[0], extent[1]);
        }
    }
    if (cube && hint.extents.empty() && hint.smallest_side != hint.largest_side) {
        return refuse(where + "/flags", "CUBE_COMPATIBLE needs square images: name their extents", hint.smallest_side,
                      hint.largest_side);
    }
    if ((hint.flags & image_creation::k2dArrayCompatible) != 0 && !hint.depth) {
        return refuse(where + "/flags", "2D_ARRAY_COMPATIBLE needs a 3D image: name its depth", 0, 1);
    }
    return {};
}

template <class Hint>
Status check_host_access(const Hint& hint, const std::string& where) {
    if (!hint.host_access) return {};
    if (hint.memory_use == model::MemoryUse::kDeviceOnly) {
        return fail(ErrorCode::kInvalidArgument, "the host does not see the memory of memory_use \"device_only\"",
                    where + "/host_access");
    }
    if (hint.memory_use == model::MemoryUse::kReadback && *hint.host_access == model::HostAccess::kSequential) {
        return fail(ErrorCode::kInvalidArgument,
                    "\"sequential\" says that the host never reads, memory_use \"readback\" that it does",
                    where + "/host_access");
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
    if (hint.samples > 1 && (hint.full_mips || hint.mip_levels.value_or(1) > 1)) {
        return refuse(where + (hint.full_mips ? "/full_mips" : "/mip_levels"), "a multisampled image has one mip level",
                      hint.samples, 1);
    }
    if (hint.full_mips && hint.mip_levels) {
        return refuse(where + "/mip_levels", "full_mips says another number of mip levels", *hint.mip_levels, 0);
    }
    HEAPWRIGHT_TRY(check_volume(hint, where));
    HEAPWRIGHT_TRY(check_flags(hint, where));
    return check_host_access(hint, where);
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
        HEAPWRIGHT_TRY(check_host_access(hint, where));
    }
    return {};
}

}  // namespace heapwright::workload
