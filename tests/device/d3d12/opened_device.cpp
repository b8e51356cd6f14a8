#include "opened_device.hpp"

#include <catch2/catch_test_macros.hpp>

#include "heapwright/d3d12/device.hpp"

namespace heapwright::test {

OpenedDevice::OpenedDevice(const char* driver) : source_(open_source(driver)) {
    auto device = source_->open(0, {});
    if (!device) FAIL(to_string(device.error()));
    device_ = std::move(*device);
    REQUIRE(device_->is_real());
}

std::optional<MemoryTypeIndex> OpenedDevice::memory_type(std::uint32_t bits, model::Flags properties) const {
    const auto& types = device_->facts().memory_types;
    for (std::uint32_t i = 0; i < types.size(); ++i) {
        const bool admitted = ((bits >> i) & 1) != 0;
        if (admitted && (types[i].property_flags & properties) == properties) return MemoryTypeIndex{i};
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
    const auto live = d3d12::live_objects(*device_);
    REQUIRE(live);
    CHECK(live->heaps == 0);
    CHECK(live->resources == 0);
    abandon();
}

}  // namespace heapwright::test
