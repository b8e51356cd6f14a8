#include "contract/assumed_requirements.hpp"

#include "contract/bucket_choice.hpp"
#include "core/checked.hpp"

namespace heapwright::contract {

std::uint64_t assumed_buffer_alignment(const model::DeviceReport& device) {
    return device.identity.api == model::Api::kD3d12 ? 65536 : 256;
}

model::MemoryRequirements assumed_requirements(const model::DeviceReport& device,
                                               const model::ResourceDescription& resource) {
    const model::ResourceClass resource_class = model::resource_class(resource, true);
    std::uint32_t type_bits = 0;
    for (std::size_t i = 0; i < device.memory_types.size() && i < 32; ++i) {
        if (holds_class(device.memory_types[i], resource_class)) type_bits |= 1u << i;
    }
    const auto* image = std::get_if<model::ImageDescription>(&resource);
    const std::uint64_t alignment = image != nullptr ? kAssumedImageAlignment : assumed_buffer_alignment(device);
    const std::uint64_t packed =
        image != nullptr ? model::packed_size_bytes(*image) : std::get<model::BufferDescription>(resource).size_bytes;
    return {.size_bytes = align_up_or_largest(packed, alignment),
            .alignment_bytes = alignment,
            .memory_type_bits = type_bits};
}

}  // namespace heapwright::contract
