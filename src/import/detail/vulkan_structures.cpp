#include "import/detail/vulkan_structures.hpp"

#include <fmt/format.h>

#include <array>

#include "import/detail/number_limits.hpp"
#include "import/parts.hpp"

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

std::uint32_t number_or_absent(const JsonValue& parent, std::string_view key, std::uint64_t limit, std::string pointer,
                               model::DeviceReport& device) {
    const auto value = parent.find(key);
    if (!value) {
        device.absent.push_back(std::move(pointer));
        return 0;
    }
    const auto number = value->number();
    if (!number || *number > limit) {
        add_unreadable_value(device, std::move(pointer), value->pointer());
        return 0;
    }
    return static_cast<std::uint32_t>(*number);
}

void read_properties(const JsonValue& properties, model::DeviceReport& device) {
    model::DeviceIdentity& identity = device.identity;
    const auto name = properties.find("deviceName");
    identity.name = text_of(name);
    if (!name) device.absent.emplace_back("/identity/name");
    if (name && !name->text()) add_unreadable_value(device, "/identity/name", name->pointer());
    if (identity.name.empty()) identity.name = "unnamed device";
    const auto number = [&](std::string_view key, std::string_view member) {
        return number_or_absent(properties, key, kMax32, fmt::format("/identity/{}", member), device);
    };
    identity.vendor_id = number("vendorID", "vendor_id");
    identity.device_id = number("deviceID", "device_id");
    identity.driver_version = number("driverVersion", "driver_version");
    identity.type = vulkan_device_type(number("deviceType", "type"));
    const std::size_t missing = device.absent.size();
    const std::uint32_t api_version = number("apiVersion", "api_version");
    if (device.absent.size() == missing) identity.api_version = vulkan_version_text(api_version);
}

std::string conformance_of(const std::optional<JsonValue>& version) {
    if (!version) return {};
    const auto part = [&version](std::string_view key) { return number32(version->find(key)).value_or(0); };
    return conformance_text(fmt::format("{}.{}.{}.{}", part("major"), part("minor"), part("subminor"), part("patch")));
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

void add_queue_family(const JsonValue& family, model::Flags flags, model::DeviceReport& device) {
    const std::string place = fmt::format("/queue_families/{}", device.queue_families.size());
    model::QueueFamily read{.flags = flags, .min_image_transfer_granularity = {}};
    read.queue_count = number_or_absent(family, "queueCount", kMax32, place + "/queue_count", device);
    read.timestamp_valid_bits =
        number_or_absent(family, "timestampValidBits", 64, place + "/timestamp_valid_bits", device);
    const std::string granularity_place = place + "/min_image_transfer_granularity";
    if (const auto granularity = family.find("minImageTransferGranularity")) {
        constexpr std::array<std::string_view, 3> kSides{"width", "height", "depth"};
        for (std::size_t i = 0; i < kSides.size(); ++i) {
            read.min_image_transfer_granularity[i] =
                number_or_absent(*granularity, kSides[i], kMax32, fmt::format("{}/{}", granularity_place, i), device);
        }
    } else {
        device.absent.push_back(granularity_place);
    }
    device.queue_families.push_back(read);
}

Status read_queue_families(const std::optional<JsonValue>& queues, model::DeviceReport& device) {
    if (!queues) return {};
    return queues->for_each([&device](std::string_view, const JsonValue& entry) -> Status {
        const model::Flags flags = number_or_absent(
            entry, "queueFlags", kMax32, fmt::format("/queue_families/{}/flags", device.queue_families.size()), device);
        add_queue_family(entry, flags, device);
        return {};
    });
}

}  // namespace heapwright::imports::detail
