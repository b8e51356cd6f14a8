#include "device_under_test.hpp"

#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {

std::optional<MemoryTypeIndex> DeviceUnderTest::memory_type(std::uint32_t bits, model::Flags properties) const {
    for (std::uint32_t i = 0; i < memory_type_flags_.size(); ++i) {
        const bool admitted = (bits >> i & 1) != 0;
        if (admitted && (memory_type_flags_[i] & properties) == properties) return MemoryTypeIndex{i};
    }
    return std::nullopt;
}

device::ResourceId DeviceUnderTest::host_buffer(std::uint64_t size_bytes) {
    const model::BufferDescription buffer{.size_bytes = size_bytes, .usage = kBothTransfers};
    const auto requirements = device_->resources().requirements(buffer);
    REQUIRE(requirements);
    const auto type = memory_type(requirements->memory_type_bits, model::memory_property::kHostVisible);
    REQUIRE(type);
    const auto created = device_->resources().create_dedicated(buffer, *type, 0.5f);
    if (!created) FAIL(to_string(created.error()));
    return *created;
}

std::span<std::byte> DeviceUnderTest::bytes(device::ResourceId buffer) {
    const auto mapped = device_->resources().map_dedicated(buffer);
    if (!mapped) FAIL(to_string(mapped.error()));
    return *mapped;
}

device::ResourceId DeviceUnderTest::dedicated(const model::ResourceDescription& resource) {
    const auto requirements = device_->resources().requirements(resource);
    if (!requirements) FAIL(to_string(requirements.error()));
    const auto type = memory_type(requirements->memory_type_bits, 0);
    REQUIRE(type);
    const auto created = device_->resources().create_dedicated(resource, *type, 0.5f);
    if (!created) FAIL(to_string(created.error()));
    return *created;
}

void DeviceUnderTest::run(std::span<const device::Work> work, device::EngineId engine) {
    const auto timeline = device_->create_timeline(0);
    REQUIRE(timeline);
    const device::TimelinePoint done{.timeline = timeline->get(), .value = {1}};
    const Status submitted =
        device_->submitter().submit({.engine = engine, .waits = {}, .work = work, .signals = std::span(&done, 1)});
    if (!submitted) FAIL(to_string(submitted.error()));
    const Status waited = (*timeline)->wait({1}, kTimeoutNs);
    if (!waited) FAIL(to_string(waited.error()));
}

}  // namespace heapwright::test
