#include "heapwright/validate/describe.hpp"

#include <fmt/format.h>

namespace heapwright::validate {
namespace {

std::string describe_image(const model::ImageDescription& image) {
    std::string text = fmt::format("image {}x{}", image.width, image.height);
    if (image.dimension == model::ImageDimension::k3d) text += fmt::format("x{}", image.depth);
    text += fmt::format(" {}", model::info(image.format).name);
    if (image.tiling == model::ImageTiling::kLinear) text += ", linear";
    if (image.mip_levels > 1) text += fmt::format(", {} mips", image.mip_levels);
    if (image.array_layers > 1) text += fmt::format(", {} layers", image.array_layers);
    if (image.samples > 1) text += fmt::format(", {} samples", image.samples);
    return text;
}

}  // namespace

std::string describe(const model::ResourceDescription& resource) {
    if (const auto* image = std::get_if<model::ImageDescription>(&resource)) return describe_image(*image);
    return fmt::format("buffer of {} bytes", std::get<model::BufferDescription>(resource).size_bytes);
}

}  // namespace heapwright::validate
