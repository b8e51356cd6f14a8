// A resource as a scenario asks for it: with the transfers that the checks need, or as it was where the device has no
// such resource. Nothing where the device has neither. Errors: the device's own, when it could not answer.
#pragma once

#include <cstdint>
#include <optional>

#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::validate {

struct SupportedResource {
    model::ResourceDescription description;
    std::uint64_t size_bytes = 0;  // as the device requires
};

[[nodiscard]] Result<std::optional<SupportedResource>> supported(device::Device& device,
                                                                 const model::ResourceDescription& description);

}  // namespace heapwright::validate
