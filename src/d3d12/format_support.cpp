#include "d3d12/format_support.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/call.hpp"
#include "d3d12/facts.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::d3d12 {
namespace {

namespace image_usage = model::image_usage;

constexpr std::uint32_t kMostSamples = 32;

}  // namespace

FormatSupport::FormatSupport(ID3D12Device* device)
    : device_(device),
      unaligned_blocks_(feature_data<D3D12_FEATURE_DATA_D3D12_OPTIONS8>(device, D3D12_FEATURE_D3D12_OPTIONS8,
                                                                        "D3D12_FEATURE_D3D12_OPTIONS8", failed_)
                            .UnalignedBlockTexturesSupported != 0) {}

const FormatSupport::Answer& FormatSupport::of(model::Format format) {
    const std::scoped_lock lock(mutex_);
    std::optional<Answer>& known = answers_[static_cast<std::size_t>(format)];
    if (known) return *known;
    known.emplace();
    D3D12_FEATURE_DATA_FORMAT_SUPPORT support{};
    support.Format = view_format(format);
    const HRESULT supported = check_feature(device_, D3D12_FEATURE_FORMAT_SUPPORT, &support, sizeof support,
                                            model::info(format).name, failed_);
    if (FAILED(supported)) {
        known->refusal = fmt::format("ID3D12Device::CheckFeatureSupport tells nothing of {}: {}",
                                     model::info(format).name, result_text(supported));
        return *known;
    }
    known->support1 = static_cast<std::uint32_t>(support.Support1);
    known->support2 = static_cast<std::uint32_t>(support.Support2);
    for (std::uint32_t count = 1; count < kMostSamples; count *= 2) {
        D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS levels{};
        levels.Format = support.Format;
        levels.SampleCount = count;
        const HRESULT result = check_feature(device_, D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS, &levels, sizeof levels,
                                             model::info(format).name, failed_);
        if (SUCCEEDED(result) && levels.NumQualityLevels > 0) known->sample_counts |= count;
    }
    return *known;
}

std::string FormatSupport::objection(const model::ImageDescription& image) {
    if (image.width == 0 || image.height == 0 || image.depth == 0 || image.mip_levels == 0 || image.array_layers == 0 ||
        !is_power_of_two(image.samples) || image.usage == 0) {
        return "a texture needs a usage, extents, mip levels and array layers of at least 1, and a power of two of "
               "samples";
    }
    if (std::string reason = texture_description(image).not_supported; !reason.empty()) return reason;
    const model::FormatInfo& format = model::info(image.format);
    const Answer& answer = of(image.format);
    if (!answer.refusal.empty()) return answer.refusal;
    const auto lacks = [&](bool wanted, std::uint32_t bit) { return wanted && (answer.support1 & bit) == 0; };
    const auto text = [&](const char* what) { return fmt::format("the device has no {} as {}", format.name, what); };
    const bool volume = image.dimension == model::ImageDimension::k3d;
    // Not D3D12_FORMAT_SUPPORT1_MIP: vkd3d sets it for formats that can be filtered alone, and creates the others with
    // mip levels all the same.
    if (lacks(!volume, D3D12_FORMAT_SUPPORT1_TEXTURE2D)) return text("2D texture");
    if (lacks(volume, D3D12_FORMAT_SUPPORT1_TEXTURE3D)) return text("3D texture");
    if (lacks((image.usage & image_usage::kColorAttachment) != 0, D3D12_FORMAT_SUPPORT1_RENDER_TARGET)) {
        return text("render target");
    }
    if (lacks((image.usage & image_usage::kDepthStencilAttachment) != 0, D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL)) {
        return text("depth stencil");
    }
    if (lacks((image.usage & image_usage::kStorage) != 0, D3D12_FORMAT_SUPPORT1_TYPED_UNORDERED_ACCESS_VIEW)) {
        return text("texture with unordered access");
    }
    // What a depth format's views can is a matter of the typeless format that the texture then has.
    const bool sampled = (image.usage & (image_usage::kSampled | image_usage::kInputAttachment)) != 0;
    if (lacks(sampled && !format.is_depth_stencil(), D3D12_FORMAT_SUPPORT1_SHADER_LOAD) &&
        lacks(true, D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE)) {
        return text("shader resource");
    }
    if (image.samples > 1 && (answer.sample_counts & image.samples) == 0) {
        return fmt::format("the device has no {} with {} samples", format.name, image.samples);
    }
    return {};
}

std::string FormatSupport::extent_objection(const model::ImageDescription& image) const {
    const model::FormatInfo& format = model::info(image.format);
    const bool volume = image.dimension == model::ImageDimension::k3d;
    const std::uint32_t side = volume ? D3D12_REQ_TEXTURE3D_U_V_OR_W_DIMENSION : D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION;
    if (std::max({image.width, image.height, image.depth}) > side) {
        return fmt::format("{}x{}x{}, limit {}", image.width, image.height, image.depth, side);
    }
    if (image.array_layers > D3D12_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION) {
        return fmt::format("{} array layers, limit {}", image.array_layers, D3D12_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION);
    }
    const std::uint32_t full_chain = model::full_mip_chain(image.width, image.height, image.depth);
    if (image.mip_levels > full_chain) {
        return fmt::format("{} mip levels, but the extent has {}", image.mip_levels, full_chain);
    }
    if (!unaligned_blocks_ && (image.width % format.block_width != 0 || image.height % format.block_height != 0)) {
        return fmt::format("{}x{} is not made of whole {}x{} blocks, as the device demands", image.width, image.height,
                           format.block_width, format.block_height);
    }
    return {};
}

}  // namespace heapwright::d3d12
