#include "heapwright/import/detail/vulkan_structures.hpp"

#include <fmt/format.h>

#include "heapwright/import/detail/number_limits.hpp"
#include "heapwright/import/parts.hpp"
#include "heapwright/import/vulkan_identity.hpp"

namespace heapwright::imports::detail {
namespace {

Status check_count(const JsonValue& memory, std::string_view key, std::size_t count) {
    const auto stated = memory.find(key);
    if (!stated || stated->number() == count) return {};
    return stated->error("the file holds another number of entries", ErrorCode::kSchemaViolation, count,
                         stated->number());
}

}  // namespace

std::optional<FoundValue> found_value(const std::optional<JsonValue>& value) {
    if (!value) return std::nullopt;
    return FoundValue{.value = value->number(), .where = value->pointer()};
}

Status read_properties(const JsonValue& properties, model::DeviceReport& device) {
    model::DeviceIdentity& identity = device.identity;
    HEAPWRIGHT_ASSIGN(const JsonValue name, properties.require("deviceName"));
    if (!name.text()) return name.error("expected a text");
    identity.name = *name.text();
    HEAPWRIGHT_ASSIGN(const std::uint64_t vendor, properties.require_number("vendorID", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t device_id, properties.require_number("deviceID", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t driver_version, properties.require_number("driverVersion", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t api_version, properties.require_number("apiVersion", kMax32));
    HEAPWRIGHT_ASSIGN(const std::uint64_t type, properties.require_number("deviceType", kMax32));
    identity.vendor_id = static_cast<std::uint32_t>(vendor);
    identity.device_id = static_cast<std::uint32_t>(device_id);
    identity.driver_version = static_cast<std::uint32_t>(driver_version);
    identity.api_version = vulkan_version_text(api_version);
    identity.type = vulkan_device_type(type);
    return {};
}

Status read_extensions(const std::optional<JsonValue>& extensions, model::DeviceReport& device) {
    if (!extensions) return {};
    return extensions->for_each([&device](std::string_view, const JsonValue& entry) -> Status {
        const auto name = entry.find("extensionName");
        const auto revision = entry.find("specVersion");
        const std::uint64_t version = revision ? revision->number().value_or(kMax64) : kMax64;
        if (!name || name->text().value_or("").empty()) {
            add_unreadable_extension(device, entry.where(),
                                     name ? "named " + name->shown() : entry.shown() + " without a name");
        } else if (version > kMax32) {
            add_unreadable_extension(
                device, entry.where(),
                fmt::format("{} of revision {}", name->shown(), revision ? revision->shown() : "none"));
        } else {
            device.extensions.push_back(
                {.name = std::string(*name->text()), .spec_version = static_cast<std::uint32_t>(version)});
        }
        return {};
    });
}

Status read_memory(const std::optional<JsonValue>& memory, model::DeviceReport& device) {
    if (!memory) return {};
    HEAPWRIGHT_ASSIGN(const JsonValue heaps, memory->require("memoryHeaps"));
    HEAPWRIGHT_ASSIGN(const JsonValue types, memory->require("memoryTypes"));
    HEAPWRIGHT_TRY(heaps.for_each([&device](std::string_view, const JsonValue& heap) -> Status {
        HEAPWRIGHT_ASSIGN(const std::uint64_t size, heap.require_number("size", kMax64));
        HEAPWRIGHT_ASSIGN(const std::uint64_t flags, heap.require_number("flags", kMax32));
        device.heaps.push_back({.size_bytes = size, .flags = static_cast<model::Flags>(flags)});
        return {};
    }));
    HEAPWRIGHT_TRY(types.for_each([&device](std::string_view, const JsonValue& type) -> Status {
        HEAPWRIGHT_ASSIGN(const std::uint64_t heap, type.require_number("heapIndex", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t flags, type.require_number("propertyFlags", kMax32));
        device.memory_types.push_back(
            {.heap_index = static_cast<std::uint32_t>(heap), .property_flags = static_cast<model::Flags>(flags)});
        return {};
    }));
    HEAPWRIGHT_TRY(check_count(*memory, "memoryHeapCount", device.heaps.size()));
    HEAPWRIGHT_TRY(check_count(*memory, "memoryTypeCount", device.memory_types.size()));
    return check_memory(device, memory->where());
}

Status read_queue_families(const std::optional<JsonValue>& queues, model::DeviceReport& device) {
    if (!queues) return {};
    return queues->for_each([&device](std::string_view, const JsonValue& entry) -> Status {
        HEAPWRIGHT_ASSIGN(const std::uint64_t flags, entry.require_number("queueFlags", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t count, entry.require_number("queueCount", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t bits, entry.require_number("timestampValidBits", 64));
        HEAPWRIGHT_ASSIGN(const JsonValue granularity, entry.require("minImageTransferGranularity"));
        HEAPWRIGHT_ASSIGN(const std::uint64_t width, granularity.require_number("width", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t height, granularity.require_number("height", kMax32));
        HEAPWRIGHT_ASSIGN(const std::uint64_t depth, granularity.require_number("depth", kMax32));
        device.queue_families.push_back(
            {.flags = static_cast<model::Flags>(flags),
             .queue_count = static_cast<std::uint32_t>(count),
             .timestamp_valid_bits = static_cast<std::uint32_t>(bits),
             .min_image_transfer_granularity = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
                                                static_cast<std::uint32_t>(depth)}});
        return {};
    });
}

}  // namespace heapwright::imports::detail
