#include "import/vulkan_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "import/parts.hpp"
#include "import/vulkan_identity.hpp"

namespace heapwright::imports {
namespace {

constexpr std::array<std::string_view, 2> kPromotedSuffixes{"KHR", "EXT"};

std::string_view without_suffix(std::string_view name) {
    for (const std::string_view suffix : kPromotedSuffixes) {
        if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
    }
    return name;
}

bool provides(const model::DeviceReport& device, const FactStructure& structure) {
    if (structure.core_minor != kNoCoreVersion &&
        api_minor_version(device.identity.api_version) >= structure.core_minor) {
        return true;
    }
    return !structure.extension.empty() &&
           std::any_of(device.extensions.begin(), device.extensions.end(),
                       [&structure](const model::Extension& entry) { return entry.name == structure.extension; });
}

struct Target {
    std::string_view pointer;
    std::uint64_t largest;
    std::vector<model::Fact>& facts;
};

void collect(const FactStructure& structure, const FindMember& find, const Target& target,
             model::DeviceReport& device) {
    std::vector<std::string> missing;
    const std::size_t before = target.facts.size();
    for (const std::string_view member : structure.members) {
        const auto found = find(structure, member);
        if (!found) {
            missing.push_back(fmt::format("{}/{}/{}", target.pointer, structure.name, member));
        } else if (!found->value || *found->value > target.largest) {
            add_unreadable_value(device, fmt::format("{}/{}/{}", target.pointer, structure.name, member), found->where);
        } else {
            target.facts.push_back(
                {.group = std::string(structure.name), .name = std::string(member), .value = *found->value});
        }
    }
    if (target.facts.size() != before) {
        std::move(missing.begin(), missing.end(), std::back_inserter(device.absent));
    } else if (provides(device, structure)) {
        device.absent.push_back(fmt::format("{}/{}", target.pointer, structure.name));
    }
}

}  // namespace

void collect_limits(const FindMember& find, model::DeviceReport& device) {
    const Target target{"/limits", std::numeric_limits<std::uint64_t>::max(), device.limits};
    for (const FactStructure& structure : vulkan_limit_structures()) collect(structure, find, target, device);
}

void collect_features(const FindMember& find, model::DeviceReport& device) {
    const Target target{"/features", 1, device.features};
    for (const FactStructure& structure : vulkan_feature_structures()) collect(structure, find, target, device);
}

bool names_structure(std::string_view name, const FactStructure& structure) {
    if (name == structure.name) return true;
    // VK_EXT_buffer_device_address is another extension than the one that became core.
    if (structure.name == "VkPhysicalDeviceBufferDeviceAddressFeatures") return false;
    return without_suffix(name) == without_suffix(structure.name);
}

}  // namespace heapwright::imports
