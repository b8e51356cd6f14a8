#include "heapwright/vulkan/facts.hpp"

#include <cstring>
#include <memory>
#include <span>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/vulkan/fact_tables.hpp"

namespace heapwright::vulkan {
namespace {

void append(std::vector<model::Fact>& facts, const FactStructure& structure, const void* values) {
    const auto* bytes = static_cast<const std::byte*>(values);
    for (const FactMember& member : structure.members) {
        std::uint64_t value = 0;
        if (member.size_bytes == sizeof(std::uint64_t)) {
            std::memcpy(&value, bytes + member.offset_bytes, sizeof(value));
        } else {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes + member.offset_bytes, sizeof(word));
            value = word;
        }
        facts.push_back({.group = structure.name, .name = member.name, .value = value});
    }
}

// The structures of a table that a device has, zeroed and linked by pNext.
class StructureChain {
public:
    StructureChain(std::span<const FactStructure> table, const PhysicalDevice& device) {
        for (const FactStructure& structure : table) {
            if (!device.provides(structure.core_version, structure.extension)) continue;
            const std::size_t words = (structure.size_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
            auto storage = std::make_unique<std::uint64_t[]>(words);
            const VkBaseOutStructure head{.sType = structure.type, .pNext = first_};
            std::memcpy(storage.get(), &head, sizeof(head));
            first_ = reinterpret_cast<VkBaseOutStructure*>(storage.get());
            entries_.push_back({&structure, std::move(storage)});
        }
    }

    [[nodiscard]] void* first() const { return first_; }

    void append_to(std::vector<model::Fact>& facts) const {
        for (const Entry& entry : entries_) append(facts, *entry.structure, entry.storage.get());
    }

private:
    struct Entry {
        const FactStructure* structure;
        std::unique_ptr<std::uint64_t[]> storage;
    };

    std::vector<Entry> entries_;
    VkBaseOutStructure* first_ = nullptr;
};

}  // namespace

std::vector<model::Fact> read_limits(const Instance& instance, const PhysicalDevice& device) {
    std::vector<model::Fact> facts;
    append(facts, limits_structure(), &device.properties().limits);
    append(facts, sparse_properties_structure(), &device.properties().sparseProperties);
    if (instance.functions().get_properties2 == nullptr) return facts;
    const StructureChain chain(property_structures(), device);
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", "limits");
    instance.functions().get_properties2(device.handle(), &properties);
    chain.append_to(facts);
    return facts;
}

std::vector<model::Fact> read_features(const Instance& instance, const PhysicalDevice& device) {
    std::vector<model::Fact> facts;
    VkPhysicalDeviceFeatures core{};
    leave_breadcrumb("vkGetPhysicalDeviceFeatures");
    instance.functions().get_features(device.handle(), &core);
    append(facts, core_features_structure(), &core);
    if (instance.functions().get_features2 == nullptr) return facts;
    const StructureChain chain(feature_structures(), device);
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceFeatures2");
    instance.functions().get_features2(device.handle(), &features);
    chain.append_to(facts);
    return facts;
}

}  // namespace heapwright::vulkan
