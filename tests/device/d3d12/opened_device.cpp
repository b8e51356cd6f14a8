#include "opened_device.hpp"

#include <catch2/catch_test_macros.hpp>

#include "d3d12/device.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::test {

OpenedDevice::OpenedDevice(const char* driver, bool /*validation_layers*/) : source_(open_source(driver)) {
    auto device = source_->open(0, {});
    if (!device) FAIL(to_string(device.error()));
    device_ = std::move(*device);
    REQUIRE(device_->is_real());
    for (const model::MemoryType& type : device_->facts().memory_types) {
        memory_type_flags_.push_back(type.property_flags);
    }
}

LiveObjects OpenedDevice::live() const {
    const auto live = d3d12::live_objects(*device_);
    REQUIRE(live);
    return {.source_allocations = live->source_allocations,
            .resources = live->resources,
            .command_lists = live->command_lists};
}

void OpenedDevice::close(std::span<const device::ResourceId> resources) {
    for (const device::ResourceId resource : resources) device_->resources().destroy(resource);
    const LiveObjects left = live();
    CHECK(left.source_allocations == 0);
    CHECK(left.resources == 0);
    abandon();
}

std::uint64_t packed_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil) {
    return d3d12::plane_layout(image, mip_level, stencil).packed_bytes();
}

}  // namespace heapwright::test
