// The Vulkan structures and members that an import keeps: the same, under the same names and in the same order, as the
// Vulkan probe reads, so that imported and probed reports compare. A test holds the two lists together.
// Constant data, thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/model/report.hpp"

namespace heapwright::imports {

inline constexpr std::uint32_t kNoCoreVersion = std::numeric_limits<std::uint32_t>::max();

struct FactStructure {
    std::string_view name;
    std::uint32_t core_minor;  // in core since 1.core_minor
    std::string_view extension;
    std::span<const std::string_view> members;
};

[[nodiscard]] std::span<const FactStructure> vulkan_limit_structures();
[[nodiscard]] std::span<const FactStructure> vulkan_feature_structures();

// What a source file holds under a structure's member.
struct FoundValue {
    std::optional<std::uint64_t> value;  // empty: it stands there, in a form that is no number
    std::string where;                   // a JSON pointer into the source file, or its line
};

using FindMember = std::function<std::optional<FoundValue>(const FactStructure&, std::string_view member)>;

// Fills limits and features, each in the order of its table. Of a structure that the device provides, by its API
// version or its extensions (which must be filled before), what the source lacks is listed in `absent`; a value that is
// no number also gives a finding.
void collect_limits(const FindMember& find, model::DeviceReport& device);
void collect_features(const FindMember& find, model::DeviceReport& device);

// Whether the name of a structure in a file means `structure`: equal, or equal but for a vendor suffix that came or
// went when an extension was promoted ("VkPhysicalDeviceMaintenance6PropertiesKHR").
[[nodiscard]] bool names_structure(std::string_view name, const FactStructure& structure);

}  // namespace heapwright::imports
