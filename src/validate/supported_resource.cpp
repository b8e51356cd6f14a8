#include "heapwright/validate/supported_resource.hpp"

#include <utility>

namespace heapwright::validate {

Result<SupportedResource> supported(device::Device& device, const model::ResourceDescription& description) {
    model::ResourceDescription checked = description;
    if (auto* image = std::get_if<model::ImageDescription>(&checked)) {
        if ((image->usage & model::image_usage::kTransientAttachment) == 0)
            image->usage |= model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    } else {
        std::get<model::BufferDescription>(checked).usage |=
            model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    }
    auto requirements = device.resources().requirements(checked);
    if (requirements) return SupportedResource{.description = checked, .size_bytes = requirements->size_bytes};
    if (!is_refusal(requirements.error())) return fail(std::move(requirements.error()));
    HEAPWRIGHT_ASSIGN(const auto plain, device.resources().requirements(description));
    return SupportedResource{.description = description, .size_bytes = plain.size_bytes};
}

}  // namespace heapwright::validate
