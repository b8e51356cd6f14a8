#include "heapwright/validate/supported_resource.hpp"

#include <utility>

namespace heapwright::validate {
namespace {

// A replayed report that holds nothing like it says kOutOfRange.
bool is_refusal(const Error& error) {
    return error.code == ErrorCode::kNotSupported || error.code == ErrorCode::kOutOfRange;
}

}  // namespace

Result<std::optional<SupportedResource>> supported(device::Device& device,
                                                   const model::ResourceDescription& description) {
    model::ResourceDescription checked = description;
    if (auto* image = std::get_if<model::ImageDescription>(&checked)) {
        if ((image->usage & model::image_usage::kTransientAttachment) == 0)
            image->usage |= model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    } else {
        std::get<model::BufferDescription>(checked).usage |=
            model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    }
    for (const model::ResourceDescription& one : {checked, description}) {
        auto requirements = device.resources().requirements(one);
        if (requirements) return SupportedResource{.description = one, .size_bytes = requirements->size_bytes};
        if (!is_refusal(requirements.error())) return fail(std::move(requirements.error()));
    }
    return std::nullopt;
}

}  // namespace heapwright::validate
