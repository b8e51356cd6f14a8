#include "validate/supported_resource.hpp"
#include "contract/device_limits.hpp"

#include <utility>

namespace heapwright::validate {
namespace {

// A resource that no device allocation holds is none that the device has, though it may describe it.
Result<SupportedResource> allocatable(const device::Device& device, const model::ResourceDescription& description,
                                      std::uint64_t size_bytes) {
    const std::uint64_t largest = contract::largest_allocation_bytes(device.facts());
    if (size_bytes <= largest) return SupportedResource{.description = description, .size_bytes = size_bytes};
    return fail(Error{.code = ErrorCode::kOutOfRange,
                      .message = "the resource is larger than any device allocation may be",
                      .where = "maxMemoryAllocationSize",
                      .value = size_bytes,
                      .limit = largest});
}

}  // namespace

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
    if (requirements) return allocatable(device, checked, requirements->size_bytes);
    if (!is_refusal(requirements.error())) return fail(std::move(requirements.error()));
    HEAPWRIGHT_ASSIGN(const auto plain, device.resources().requirements(description));
    return allocatable(device, description, plain.size_bytes);
}

}  // namespace heapwright::validate
