#include "opened_device.hpp"

#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

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
    instance_->functions().get_memory_properties(physical_, &memory_);
    model::DeviceReport facts;
    facts.identity.name = driver;
    auto device = vulkan::open_device(*instance_, physical_, facts, {.validation_layers = validation_layers});
    if (!device) FAIL(to_string(device.error()));
    device_ = std::move(*device);
    REQUIRE(device_->is_real());
    REQUIRE(device_->facts().identity.name == driver);
}

std::optional<MemoryTypeIndex> OpenedDevice::memory_type(std::uint32_t bits, model::Flags properties) const {
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
        const bool admitted = ((bits >> i) & 1) != 0;
        if (admitted && (memory_.memoryTypes[i].propertyFlags & properties) == properties) return MemoryTypeIndex{i};
    }
    return std::nullopt;
}

device::ResourceId OpenedDevice::host_buffer(std::uint64_t size_bytes) {
    const model::BufferDescription buffer{.size_bytes = size_bytes, .usage = kBothTransfers};
    const auto requirements = device_->resources().requirements(buffer);
    REQUIRE(requirements);
    const auto type = memory_type(requirements->memory_type_bits, model::memory_property::kHostVisible);
    REQUIRE(type);
    const auto created = device_->resources().create_dedicated(buffer, *type, 0.5f);
    if (!created) FAIL(to_string(created.error()));
    return *created;
}

std::span<std::byte> OpenedDevice::bytes(device::ResourceId buffer) {
    const auto mapped = device_->resources().map_dedicated(buffer);
    if (!mapped) FAIL(to_string(mapped.error()));
    return *mapped;
}

device::ResourceId OpenedDevice::dedicated(const model::ResourceDescription& resource) {
    const auto requirements = device_->resources().requirements(resource);
    if (!requirements) FAIL(to_string(requirements.error()));
    const auto type = memory_type(requirements->memory_type_bits, 0);
    REQUIRE(type);
    const auto created = device_->resources().create_dedicated(resource, *type, 0.5f);
    if (!created) FAIL(to_string(created.error()));
    return *created;
}

void OpenedDevice::run(std::span<const device::Work> work, device::EngineId engine) {
    const auto timeline = device_->create_timeline(0);
    REQUIRE(timeline);
    const device::TimelinePoint done{.timeline = timeline->get(), .value = {1}};
    const Status submitted =
        device_->submitter().submit({.engine = engine, .waits = {}, .work = work, .signals = std::span(&done, 1)});
    if (!submitted) FAIL(to_string(submitted.error()));
    const Status waited = (*timeline)->wait({1}, kTimeoutNs);
    if (!waited) FAIL(to_string(waited.error()));
}

void OpenedDevice::close(std::span<const device::ResourceId> resources) {
    for (const device::ResourceId resource : resources) device_->resources().destroy(resource);
    const auto live = vulkan::live_objects(*device_);
    REQUIRE(live);
    CHECK(live->heaps == 0);
    CHECK(live->resources == 0);
    CHECK(live->allocations == 0);
    abandon();
}

void OpenedDevice::abandon() {
    device_.reset();
    const auto messages = instance_->take_messages();
    for (const std::string& message : messages) UNSCOPED_INFO(message);
    CHECK(messages.empty());
}

}  // namespace heapwright::test
