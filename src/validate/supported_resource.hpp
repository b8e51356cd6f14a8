// A resource as a scenario asks for it: with the transfers that the checks need, or as it was where the device has no
// such resource. Errors: the device's own; is_refusal() tells that it has neither from that it could not answer.
#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::validate {

struct SupportedResource {
    model::ResourceDescription description;
    std::uint64_t size_bytes = 0;  // as the device requires
};

[[nodiscard]] Result<SupportedResource> supported(device::Device& device,
                                                  const model::ResourceDescription& description);

// The device has no such resource; a replayed report that holds nothing like it says kOutOfRange.
[[nodiscard]] inline bool is_refusal(const Error& error) {
    return error.code == ErrorCode::kNotSupported || error.code == ErrorCode::kOutOfRange;
}

}  // namespace heapwright::validate
