#include "heapwright/d3d12/device.hpp"

namespace heapwright::d3d12 {

Result<std::unique_ptr<device::Device>> open_device(Adapter&, std::uint32_t) {
    return fail(ErrorCode::kNotSupported, "this version probes Direct3D 12 devices and opens none for work");
}

std::optional<LiveObjects> live_objects(const device::Device&) {
    return std::nullopt;
}

}  // namespace heapwright::d3d12
