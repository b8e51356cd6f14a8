#include "workload/creation_rules.hpp"

#include <string>

#include <fmt/format.h>

namespace heapwright::workload {
namespace {

namespace image_usage = model::image_usage;
namespace image_creation = model::image_creation;

tl::unexpected<Error> forbid(const std::string& where, std::string message) {
    return fail(ErrorCode::kInvalidArgument, std::move(message), where);
}

std::string usage_text(model::Flags usage) {
    return model::flags_text(usage, model::image_usage_names());
}

// A bit without a name may be of an extension that allows it.
model::Flags named_usages() {
    model::Flags all = 0;
    for (const model::FlagName& entry : model::image_usage_names()) all |= entry.bit;
    return all;
}

Status check_transient(const model::ImageHint& hint, const std::string& where) {
    if ((hint.usage & image_usage::kTransientAttachment) == 0) return {};
    constexpr model::Flags kAttachments =
        image_usage::kColorAttachment | image_usage::kDepthStencilAttachment | image_usage::kInputAttachment;
    const model::Flags others = hint.usage & named_usages() & ~(kAttachments | image_usage::kTransientAttachment);
    if (others != 0) {
        return forbid(where, fmt::format("TRANSIENT_ATTACHMENT beside {}; VkImageCreateInfo allows {} alone beside it",
                                         usage_text(others), usage_text(kAttachments)));
    }
    if ((hint.usage & kAttachments) != 0) return {};
    return forbid(where, fmt::format("TRANSIENT_ATTACHMENT alone; VkImageCreateInfo needs one of {} beside it",
                                     usage_text(kAttachments)));
}

// VkFormatFeatureFlagBits: depth and stencil are attached as such, colours as colours, blocks not at all; only a view
// of another format makes blocks an attachment.
Status check_attachment(const model::ImageHint& hint, const std::string& where) {
    const model::FormatInfo& format = model::info(hint.format);
    if ((hint.usage & image_usage::kDepthStencilAttachment) != 0 && !format.is_depth_stencil()) {
        return forbid(where, fmt::format("DEPTH_STENCIL_ATTACHMENT of {}, which has neither depth nor stencil "
                                         "(VkImageCreateInfo: the format must support the usage)",
                                         format.name));
    }
    if ((hint.usage & image_usage::kColorAttachment) == 0) return {};
    const bool is_viewed_otherwise = (hint.flags & image_creation::kExtendedUsage) != 0;
    if (!format.is_depth_stencil() && (!format.is_compressed() || is_viewed_otherwise)) return {};
    return forbid(where, fmt::format("COLOR_ATTACHMENT of {}, a {} format (VkImageCreateInfo: the format must support "
                                     "the usage)",
                                     format.name, format.is_compressed() ? "compressed" : "depth or stencil"));
}

Status check_samples(const model::ImageHint& hint, const std::string& where) {
    if (hint.samples == 1) return {};
    if (hint.tiling == model::ImageTiling::kLinear) {
        return forbid(where, fmt::format("{} samples of a linear image; VkImageCreateInfo allows samples above 1 with "
                                         "optimal tiling alone",
                                         hint.samples));
    }
    // VkImageFormatProperties: 1 where the format can be no attachment.
    if (model::info(hint.format).is_compressed()) {
        return forbid(where, fmt::format("{} samples of {}, a compressed format; VkImageCreateInfo allows it 1",
                                         hint.samples, model::info(hint.format).name));
    }
    if ((hint.flags & image_creation::kCubeCompatible) != 0) {
        return forbid(
            where, fmt::format("{} samples of a CUBE_COMPATIBLE image; VkImageCreateInfo allows it 1", hint.samples));
    }
    return {};
}

// Sides that are drawn are odd ones, too, unless they are one even side or powers of two from 2 on.
bool draws_odd_sides(const model::ImageHint& hint) {
    if (hint.distribution == model::SizeDistribution::kPowersOfTwo) return hint.smallest_side == 1;
    return hint.smallest_side != hint.largest_side || hint.smallest_side % 2 != 0;
}

// Formats that need a sampler Y'CbCr conversion.
Status check_subsampled(const model::ImageHint& hint, const std::string& where) {
    const model::FormatInfo& format = model::info(hint.format);
    const bool is_subsampled = format.has_blocks() && !format.is_compressed();
    if (!is_subsampled && !format.is_multi_planar()) return {};
    const auto single = [&](std::string_view member, std::string_view what) {
        return forbid(fmt::format("{}/{}", where, member), fmt::format("{} of {}; VkImageCreateInfo allows 1, because "
                                                                       "the format needs a Y'CbCr conversion",
                                                                       what, format.name));
    };
    if (hint.full_mips) return single("full_mips", "a mip chain");
    if (hint.mip_levels.value_or(1) > 1) return single("mip_levels", fmt::format("{} mip levels", *hint.mip_levels));
    if (hint.samples > 1) return single("samples", fmt::format("{} samples", hint.samples));
    if (hint.depth)
        return forbid(where + "/depth", fmt::format("a 3D image of {}; VkImageCreateInfo allows 2D alone, "
                                                    "because the format needs a Y'CbCr conversion",
                                                    format.name));
    if (!is_subsampled) return {};
    const std::string rule = fmt::format("VkImageCreateInfo: {} needs an even {}", format.name,
                                         format.block_height > 1 ? "width and height" : "width");
    for (std::size_t i = 0; i < hint.extents.size(); ++i) {
        const auto [width, height] = hint.extents[i];
        if (width % format.block_width == 0 && height % format.block_height == 0) continue;
        return forbid(fmt::format("{}/extents/{}", where, i), fmt::format("{}x{} is odd; {}", width, height, rule));
    }
    if (hint.extents.empty() && draws_odd_sides(hint)) {
        return forbid(where + "/smallest_side",
                      fmt::format("sides from {} to {} are odd, too; {}: name the extents, or powers_of_two from 2 on",
                                  hint.smallest_side, hint.largest_side, rule));
    }
    return {};
}

Status check_block_views(const model::ImageHint& hint, const std::string& where) {
    if ((hint.flags & image_creation::kBlockTexelViewCompatible) == 0) return {};
    if (!model::info(hint.format).is_compressed()) {
        return forbid(where, fmt::format("BLOCK_TEXEL_VIEW_COMPATIBLE of {}; VkImageCreateInfo allows it of compressed "
                                         "formats alone",
                                         model::info(hint.format).name));
    }
    if ((hint.flags & image_creation::kMutableFormat) != 0) return {};
    return forbid(where, "BLOCK_TEXEL_VIEW_COMPATIBLE without MUTABLE_FORMAT; VkImageCreateInfo needs both");
}

Status check_image_creation(const model::ImageHint& hint, const std::string& where) {
    const std::string usage = where + "/usage";
    if (hint.usage == 0) return forbid(usage, "no usage; VkImageCreateInfo: usage must not be 0");
    HEAPWRIGHT_TRY(check_attachment(hint, usage));
    HEAPWRIGHT_TRY(check_transient(hint, usage));
    HEAPWRIGHT_TRY(check_samples(hint, where + "/samples"));
    HEAPWRIGHT_TRY(check_subsampled(hint, where));
    return check_block_views(hint, where + "/flags");
}

}  // namespace

Status check_creation(const model::Workload& workload) {
    for (std::size_t i = 0; i < workload.images.size(); ++i) {
        HEAPWRIGHT_TRY(check_image_creation(workload.images[i], fmt::format("/images/{}", i)));
    }
    for (std::size_t i = 0; i < workload.buffers.size(); ++i) {
        if (workload.buffers[i].usage != 0) continue;
        return forbid(fmt::format("/buffers/{}/usage", i), "no usage; VkBufferCreateInfo: usage must not be 0");
    }
    return {};
}

}  // namespace heapwright::workload
