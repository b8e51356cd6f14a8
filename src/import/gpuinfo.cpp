#include "heapwright/import/detail/gpuinfo.hpp"

#include <array>
#include <limits>
#include <map>
#include <utility>

#include "heapwright/import/detail/number_limits.hpp"
#include "heapwright/import/number_text.hpp"
#include "heapwright/import/parts.hpp"
#include "heapwright/import/vulkan_facts.hpp"
#include "heapwright/import/vulkan_identity.hpp"

namespace heapwright::imports::detail {
namespace {

// Newest first: a member that was promoted twice stands in the newer one.
constexpr std::array<std::string_view, 4> kCoreParts{"core14", "core13", "core12", "core11"};

// Properties or features by (extension, name).
class ExtendedParts {
public:
    ExtendedParts(const JsonValue& root, std::string_view list, std::string_view value_key, std::string_view core_part)
        : root_(root), core_part_(core_part) {
        const auto entries = root.find("extended", list);
        if (!entries) return;
        // Entries without these keys hold no fact.
        static_cast<void>(entries->for_each([&](std::string_view, const JsonValue& entry) -> Status {
            const auto extension = entry.find("extension");
            const auto name = entry.find("name");
            const auto value = entry.find(value_key);
            if (!extension || !name || !value || !extension->text() || !name->text()) return {};
            by_extension_.emplace(std::pair{*extension->text(), *name->text()}, *value);
            return {};
        }));
    }

    [[nodiscard]] std::optional<JsonValue> find(std::string_view extension, std::string_view name) const {
        const auto entry = by_extension_.find({extension, name});
        if (entry != by_extension_.end()) return entry->second;
        for (const std::string_view core : kCoreParts) {
            if (auto value = root_.find(core, core_part_, name)) return value;
        }
        return std::nullopt;
    }

private:
    JsonValue root_;
    std::string_view core_part_;
    std::map<std::pair<std::string_view, std::string_view>, JsonValue> by_extension_;
};

std::optional<FoundValue> found(const std::optional<JsonValue>& value) {
    if (!value) return std::nullopt;
    return FoundValue{.value = value->number(), .where = value->pointer()};
}

void read_driver(const ExtendedParts& properties, model::DeviceIdentity& identity) {
    constexpr std::string_view kExtension = "VK_KHR_driver_properties";
    if (const auto id = properties.find(kExtension, "driverID")) {
        if (const auto number = id->number()) identity.driver_id = vulkan_driver_id(*number);
    }
    identity.driver_name = text_of(properties.find(kExtension, "driverName"));
    identity.driver_info = text_of(properties.find(kExtension, "driverInfo"));
    identity.conformance_version = conformance_text(text_of(properties.find(kExtension, "conformanceVersion")));
}

void read_pci(const ExtendedParts& properties, model::DeviceIdentity& identity) {
    constexpr std::string_view kExtension = "VK_EXT_pci_bus_info";
    const auto domain = number32(properties.find(kExtension, "pciDomain"));
    const auto bus = number32(properties.find(kExtension, "pciBus"));
    const auto device = number32(properties.find(kExtension, "pciDevice"));
    const auto function = number32(properties.find(kExtension, "pciFunction"));
    if (!domain || !bus || !device || !function) return;
    identity.pci = model::PciAddress{.domain = *domain, .bus = *bus, .device = *device, .function = *function};
}

Status read_identity(const JsonValue& root, const ExtendedParts& extended, model::DeviceReport& device) {
    HEAPWRIGHT_ASSIGN(const JsonValue properties, root.require("properties"));
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
    read_driver(extended, identity);
    read_pci(extended, identity);

    identity.device_uuid = hex_of(root.find("core11", "properties", "deviceUUID"), 16);
    identity.driver_uuid = hex_of(root.find("core11", "properties", "driverUUID"), 16);
    const auto luid_valid = root.find("core11", "properties", "deviceLUIDValid");
    if (!luid_valid || !luid_valid->number()) {
        device.absent.emplace_back("/identity/luid");
    } else if (*luid_valid->number() == 1) {
        identity.luid = hex_of(root.find("core11", "properties", "deviceLUID"), 8);
    }
    return {};
}

Status read_extensions(const JsonValue& root, model::DeviceReport& device) {
    const auto extensions = root.find("extensions");
    if (!extensions) return {};
    return extensions->for_each([&device](std::string_view, const JsonValue& entry) -> Status {
        HEAPWRIGHT_ASSIGN(const JsonValue name, entry.require("extensionName"));
        HEAPWRIGHT_ASSIGN(const std::uint64_t version, entry.require_number("specVersion", kMax32));
        if (name.text().value_or("").empty()) return name.error("expected an extension's name");
        device.extensions.push_back(
            {.name = std::string(*name.text()), .spec_version = static_cast<std::uint32_t>(version)});
        return {};
    });
}

Status check_count(const JsonValue& memory, std::string_view key, std::size_t count) {
    const auto stated = memory.find(key);
    if (!stated || stated->number() == count) return {};
    return stated->error("the file holds another number of entries", ErrorCode::kSchemaViolation, count,
                         stated->number());
}

Status read_memory(const JsonValue& root, model::DeviceReport& device) {
    const auto memory = root.find("memory");
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

Status read_queue_families(const JsonValue& root, model::DeviceReport& device) {
    const auto queues = root.find("queues");
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

void read_facts(const JsonValue& root, const ExtendedParts& properties, model::DeviceReport& device) {
    const ExtendedParts features(root, "devicefeatures2", "supported", "features");
    collect_limits(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceLimits") return found(root.find("properties", "limits", member));
            if (structure.name == "VkPhysicalDeviceSparseProperties") {
                return found(root.find("properties", "sparseProperties", member));
            }
            return found(properties.find(structure.extension, member));
        },
        device);
    collect_features(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceFeatures") return found(root.find("features", member));
            return found(features.find(structure.extension, member));
        },
        device);
}

}  // namespace

bool is_gpuinfo(const JsonValue& root) {
    return root.find("properties", "deviceName") && root.find("environment");
}

Result<model::DeviceReport> import_gpuinfo(const JsonValue& root) {
    model::DeviceReport device;
    const ExtendedParts properties(root, "deviceproperties2", "value", "properties");
    HEAPWRIGHT_TRY(read_identity(root, properties, device));
    HEAPWRIGHT_TRY(read_extensions(root, device));
    HEAPWRIGHT_TRY(read_memory(root, device));
    HEAPWRIGHT_TRY(read_queue_families(root, device));
    read_facts(root, properties, device);
    return device;
}

}  // namespace heapwright::imports::detail
