#include "import/detail/formats.hpp"

#include <optional>

#include "import/detail/vulkan_structures.hpp"
#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"

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
            constexpr std::string_view kCore = "VkPhysicalDeviceProperties";
            if (structure.name == "VkPhysicalDeviceLimits") return found_value(root.find(kCore, "limits", member));
            if (structure.name == "VkPhysicalDeviceSparseProperties") {
                return found_value(root.find(kCore, "sparseProperties", member));
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

bool states_a_device(const model::DeviceReport& device) {
    return device.identity.vendor_id != 0 || !device.heaps.empty() || !device.limits.empty() ||
           !device.features.empty() || !device.queue_families.empty() || !device.extensions.empty();
}

}  // namespace

bool is_devsim(const JsonValue& root) {
    if (!root.is_object()) return false;
    bool found =
        root.find("$schema") && root.find("$schema")->text().value_or("").find("/devsim") != std::string_view::npos;
    static_cast<void>(root.for_each([&found](std::string_view key, const JsonValue& value) -> Status {
        found = found || (value.is_object() && key.starts_with("VkPhysicalDevice")) ||
                (value.is_array() && key.starts_with("ArrayOfVk"));
        return {};
    }));
    return found;
}

Result<model::DeviceReport> import_devsim(const JsonValue& root) {
    model::DeviceReport device;
    const auto properties = root.find("VkPhysicalDeviceProperties");
    // Whatever else the root holds, none of its members is one of the properties.
    read_properties(properties ? *properties : root, device);
    device.absent.emplace_back("/identity/luid");
    HEAPWRIGHT_TRY(read_extensions(root.find("ArrayOfVkExtensionProperties"), device));
    HEAPWRIGHT_TRY(read_memory(root.find("VkPhysicalDeviceMemoryProperties"), device));
    HEAPWRIGHT_TRY(read_queue_families(root.find("ArrayOfVkQueueFamilyProperties"), device));
    read_structures(root, device);
    if (!states_a_device(device)) {
        return root.error(
            "a configuration of the device simulation layer that holds overrides, no device: it states no ids, memory, "
            "queue families, extensions, limits or features that a report holds; vulkaninfo writes a whole device",
            ErrorCode::kParseError);
    }
    if (device.heaps.empty()) add_no_memory_finding(device, "the file");
    return device;
}

}  // namespace heapwright::imports::detail
