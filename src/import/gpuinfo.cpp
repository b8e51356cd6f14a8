#include "import/detail/formats.hpp"

#include <array>
#include <map>
#include <utility>

#include "import/detail/vulkan_structures.hpp"
#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"

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
    read_properties(properties, device);
    model::DeviceIdentity& identity = device.identity;
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

void read_facts(const JsonValue& root, const ExtendedParts& properties, model::DeviceReport& device) {
    const ExtendedParts features(root, "devicefeatures2", "supported", "features");
    collect_limits(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceLimits")
                return found_value(root.find("properties", "limits", member));
            if (structure.name == "VkPhysicalDeviceSparseProperties") {
                return found_value(root.find("properties", "sparseProperties", member));
            }
            return found_value(properties.find(structure.extension, member));
        },
        device);
    collect_features(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceFeatures") return found_value(root.find("features", member));
            return found_value(features.find(structure.extension, member));
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
    HEAPWRIGHT_TRY(read_extensions(root.find("extensions"), device));
    HEAPWRIGHT_TRY(read_memory(root.find("memory"), device));
    HEAPWRIGHT_TRY(read_queue_families(root.find("queues"), device));
    read_facts(root, properties, device);
    return device;
}

}  // namespace heapwright::imports::detail
