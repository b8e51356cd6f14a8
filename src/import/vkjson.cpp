#include "import/detail/formats.hpp"

#include <array>
#include <string>
#include <utility>

#include "import/detail/vulkan_structures.hpp"
#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"

namespace heapwright::imports::detail {
namespace {

// "VkPhysicalDeviceMaintenance3Properties" of the key "maintenance3Properties"; empty where no such key can be.
std::string structure_of_key(std::string_view key) {
    if (key.empty() || key.front() < 'a' || key.front() > 'z') return {};
    std::string name = "VkPhysicalDevice";
    name += static_cast<char>(key.front() - 'a' + 'A');
    return name += key.substr(1);
}

// The structures beside VkPhysicalDeviceProperties and VkPhysicalDeviceFeatures: those of Vulkan 1.1 stand in the
// device itself, those of an extension under its name, and those of later versions under "core12" as a whole.
class VkjsonStructures {
public:
    explicit VkjsonStructures(const JsonValue& device) {
        static_cast<void>(device.for_each([this](std::string_view key, const JsonValue& value) -> Status {
            add(key, value);
            if (!key.starts_with("VK_")) return {};
            return value.for_each([this](std::string_view inner, const JsonValue& structure) -> Status {
                add(inner, structure);
                return {};
            });
        }));
        for (const std::string_view core : {"core14", "core13", "core12", "core11"}) {
            for (const std::string_view part : {"properties", "features"}) {
                if (auto value = device.find(core, part)) cores_.push_back(std::move(*value));
            }
        }
    }

    [[nodiscard]] std::optional<FoundValue> find(const FactStructure& structure, std::string_view member) const {
        for (const auto& [owner, value] : structures_) {
            if (owner != &structure) continue;
            if (const auto found = value.find(member)) return found_value(found);
        }
        for (const JsonValue& core : cores_) {
            if (const auto found = core.find(member)) return found_value(found);
        }
        return std::nullopt;
    }

private:
    void add(std::string_view key, const JsonValue& value) {
        if (!value.is_object()) return;
        const std::string name = structure_of_key(key);
        for (const auto table : {vulkan_limit_structures(), vulkan_feature_structures()}) {
            for (const FactStructure& structure : table) {
                if (names_structure(name, structure)) structures_.emplace_back(&structure, value);
            }
        }
    }

    std::vector<std::pair<const FactStructure*, JsonValue>> structures_;
    std::vector<JsonValue> cores_;
};

void read_driver(const JsonValue& root, model::DeviceIdentity& identity) {
    auto driver = root.find("VK_KHR_driver_properties", "driverPropertiesKHR");
    if (!driver) driver = root.find("core12", "properties");
    if (!driver) return;
    const auto id = driver->find("driverID");
    if (const auto number = id ? id->number() : std::nullopt) identity.driver_id = vulkan_driver_id(*number);
    identity.driver_name = text_of(driver->find("driverName"));
    identity.driver_info = text_of(driver->find("driverInfo"));
    identity.conformance_version = conformance_of(driver->find("conformanceVersion"));
}

void read_ids(const JsonValue& root, model::DeviceReport& device) {
    auto ids = root.find("idProperties");
    if (!ids) ids = root.find("core11", "properties");
    const auto valid = ids ? number32(ids->find("deviceLUIDValid")) : std::nullopt;
    if (!valid) device.absent.emplace_back("/identity/luid");
    if (!ids) return;
    device.identity.device_uuid = hex_of(ids->find("deviceUUID"), 16);
    device.identity.driver_uuid = hex_of(ids->find("driverUUID"), 16);
    if (valid == 1u) device.identity.luid = hex_of(ids->find("deviceLUID"), 8);
}

Result<model::DeviceReport> import_device(const JsonValue& root) {
    model::DeviceReport device;
    HEAPWRIGHT_ASSIGN(const JsonValue properties, root.require("properties"));
    read_properties(properties, device);
    read_driver(root, device.identity);
    read_ids(root, device);
    HEAPWRIGHT_TRY(read_extensions(root.find("extensions"), device));
    HEAPWRIGHT_TRY(read_memory(root.find("memory"), device));
    HEAPWRIGHT_TRY(read_queue_families(root.find("queues"), device));
    const VkjsonStructures structures(root);
    collect_limits(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceLimits") return found_value(properties.find("limits", member));
            if (structure.name == "VkPhysicalDeviceSparseProperties") {
                return found_value(properties.find("sparseProperties", member));
            }
            return structures.find(structure, member);
        },
        device);
    collect_features(
        [&](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            if (structure.name == "VkPhysicalDeviceFeatures") return found_value(root.find("features", member));
            return structures.find(structure, member);
        },
        device);
    return device;
}

bool is_device(const JsonValue& value) {
    return value.find("properties", "deviceName") && !value.find("environment") &&
           (value.find("features") || value.find("memory") || value.find("queues"));
}

bool lists_devices(const JsonValue& root) {
    const auto devices = root.find("devices");
    if (!devices || !devices->is_array()) return false;
    bool found = root.find("layers") && root.find("extensions");
    static_cast<void>(devices->for_each([&found](std::string_view, const JsonValue& device) -> Status {
        found = found || is_device(device);
        return {};
    }));
    return found;
}

}  // namespace

bool is_vkjson(const JsonValue& root) {
    return is_device(root) || lists_devices(root);
}

Result<std::vector<model::DeviceReport>> import_vkjson(const JsonValue& root) {
    std::vector<model::DeviceReport> devices;
    const auto add = [&devices](std::string_view, const JsonValue& value) -> Status {
        HEAPWRIGHT_ASSIGN(model::DeviceReport device, import_device(value));
        devices.push_back(std::move(device));
        return {};
    };
    if (is_device(root)) {
        HEAPWRIGHT_TRY(add("", root));
        return devices;
    }
    HEAPWRIGHT_ASSIGN(const JsonValue list, root.require("devices"));
    HEAPWRIGHT_TRY(list.for_each(add));
    if (devices.empty()) return list.error("the file lists no device");
    return devices;
}

}  // namespace heapwright::imports::detail
