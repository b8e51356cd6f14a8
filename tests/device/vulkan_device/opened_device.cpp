#include "opened_device.hpp"

#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "device/image_planes.hpp"
#include "vulkan/format_map.hpp"

namespace heapwright::test {

OpenedDevice::OpenedDevice(const char* driver, bool validation_layers) {
    const char* icd = std::getenv(driver);
    if (icd == nullptr || *icd == '\0') SKIP(driver << " is not set");
    INFO(driver);
    auto instance = vulkan::Instance::create(
        {.icd_files = {icd}, .validation_layers = validation_layers, .synchronization_validation = validation_layers});
    if (!instance) FAIL(to_string(instance.error()));
    instance_ = std::make_unique<vulkan::Instance>(std::move(*instance));
    const auto devices = instance_->physical_devices();
    REQUIRE(devices);
    REQUIRE_FALSE(devices->empty());
    physical_ = devices->front();
    VkPhysicalDeviceMemoryProperties memory{};
    instance_->functions().get_memory_properties(physical_, &memory);
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        memory_type_flags_.push_back(memory.memoryTypes[i].propertyFlags);
    }
    model::DeviceReport facts;
    facts.identity.name = driver;
    auto device = vulkan::open_device(*instance_, physical_, facts, {.validation_layers = validation_layers});
    if (!device) FAIL(to_string(device.error()));
    device_ = std::move(*device);
    REQUIRE(device_->is_real());
    REQUIRE(device_->facts().identity.name == driver);
}

LiveObjects OpenedDevice::live() const {
    const auto live = vulkan::live_objects(*device_);
    REQUIRE(live);
    return {.source_allocations = live->source_allocations,
            .resources = live->resources,
            .command_lists = live->command_buffers,
            .allocations = live->allocations};
}

void OpenedDevice::close(std::span<const device::ResourceId> resources) {
    for (const device::ResourceId resource : resources) device_->resources().destroy(resource);
    const LiveObjects left = live();
    CHECK(left.source_allocations == 0);
    CHECK(left.resources == 0);
    CHECK(left.allocations == 0);
    abandon();
}

void OpenedDevice::abandon() {
    device_.reset();
    const auto messages = instance_->take_messages();
    for (const std::string& message : messages) UNSCOPED_INFO(message);
    CHECK(messages.empty());
}

std::uint64_t packed_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil) {
    return device::copied_bytes(image, {.mip_level = mip_level, .stencil_aspect = stencil});
}

}  // namespace heapwright::test
