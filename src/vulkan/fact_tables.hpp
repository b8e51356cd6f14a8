// Which members of which structures the report keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heapwright_generated/volk.hpp"

namespace heapwright::vulkan {

struct FactMember {
    const char* name;
    std::uint32_t offset_bytes;
    std::uint32_t size_bytes;  // 4 or 8: an unsigned integer, a VkBool32, a VkDeviceSize or a flag word
};

struct FactStructure {
    const char* name;
    VkStructureType type;  // VK_STRUCTURE_TYPE_MAX_ENUM for one that is part of another and is never chained
    std::uint32_t size_bytes;
    std::uint32_t core_version;  // 0: in no core version
    const char* extension;       // empty: by no extension
    std::span<const FactMember> members;
};

[[nodiscard]] const FactStructure& limits_structure();
[[nodiscard]] const FactStructure& sparse_properties_structure();
[[nodiscard]] const FactStructure& core_features_structure();
[[nodiscard]] std::span<const FactStructure> property_structures();
[[nodiscard]] std::span<const FactStructure> feature_structures();

}  // namespace heapwright::vulkan

#define HEAPWRIGHT_FACT(structure, member)                                                  \
    ::heapwright::vulkan::FactMember {                                                      \
#member, static_cast < std::uint32_t>(offsetof(structure, member)),                 \
            static_cast < std::uint32_t>(sizeof(static_cast <structure*>(nullptr)->member)) \
    }
