#include "heapwright/import/detail/devsim.hpp"

#include <optional>

#include "heapwright/import/detail/vulkan_structures.hpp"
#include "heapwright/import/vulkan_facts.hpp"

namespace heapwright::imports::detail {
namespace {

// A member of a structure of its own, which may have had a vendor's suffix when the file was written.
std::optional<JsonValue> find_in_structure(const JsonValue& root, const FactStructure& structure,
                                           std::string_view member) {
    if (auto value = root.find(structure.name, member)) return value;
    std::optional<JsonValue> value;
    static_cast<void>(root.for_each([&](std::string_view name, const JsonValue& entry) -> Status {
        if (!value && names_structure(name, structure)) value = entry.find(member);
        return {};
    }));
    return value;
}

void read_structures(const JsonValue& root, model::DeviceReport& device) {
    collect_limits(
        [&root](const FactStructure& structure, std::string_view member) -> std::optional<FoundValue> {
            const auto properties = root.find("VkPhysicalDeviceProperties");
            if (structure.name == "VkPhysicalDeviceLimits") return found_value(properties->find("limits", member));
            if (structure.name == "VkPhysicalDeviceSparseProperties") {
                return found_value(properties->find("sparseProperties", member));
            }
            return found_value(find_in_structure(root, structure, member));
        },
        device);
    collect_features(
        [&root](const FactStructure& structure, std::string_view member) {
            return found_value(find_in_structure(root, structure, member));
        },
        device);
}

}  // namespace

bool is_devsim(const JsonValue& root) {
    return root.find("VkPhysicalDeviceProperties", "deviceName").has_value();
}

Result<model::DeviceReport> import_devsim(const JsonValue& root) {
    model::DeviceReport device;
    HEAPWRIGHT_ASSIGN(const JsonValue properties, root.require("VkPhysicalDeviceProperties"));
    HEAPWRIGHT_TRY(read_properties(properties, device));
    device.absent.emplace_back("/identity/luid");
    HEAPWRIGHT_TRY(read_extensions(root.find("ArrayOfVkExtensionProperties"), device));
    HEAPWRIGHT_TRY(read_memory(root.find("VkPhysicalDeviceMemoryProperties"), device));
    HEAPWRIGHT_TRY(read_queue_families(root.find("ArrayOfVkQueueFamilyProperties"), device));
    read_structures(root, device);
    return device;
}

}  // namespace heapwright::imports::detail
