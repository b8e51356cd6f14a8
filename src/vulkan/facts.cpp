#include "vulkan/facts.hpp"

#include <cstring>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "vulkan/fact_tables.hpp"

namespace heapwright::vulkan {
namespace {

// A feature is a VkBool32, and some drivers call any bit true.
enum class FactKind : std::uint8_t { kLimit, kFeature };

void append(std::vector<model::Fact>& facts, const FactStructure& structure, const void* values, FactKind kind) {
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
        if (kind == FactKind::kFeature && value > 1) value = 1;
        facts.push_back({.group = structure.name, .name = member.name, .value = value});
    }
}

// The structures of a table that a device has, zeroed and linked by pNext.
class StructureChain {
public:
    StructureChain(std::span<const FactStructure> table, const Instance& instance, const PhysicalDevice& device,
                   std::vector<model::UnreportedFact>& unreported) {
        const bool has_properties2 = instance.functions().get_properties2 != nullptr;
        for (const FactStructure& structure : table) {
            if (!has_properties2 || !device.provides(structure.core_version, structure.extension)) {
                unreported.push_back({.name = structure.name,
                                      .reason = why_unreported(instance, structure.core_version, structure.extension)});
                continue;
            }
            const std::size_t words = (structure.size_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
            auto storage = std::make_unique<std::uint64_t[]>(words);
            const VkBaseOutStructure head{.sType = structure.type, .pNext = first_};
            std::memcpy(storage.get(), &head, sizeof(head));
            first_ = reinterpret_cast<VkBaseOutStructure*>(storage.get());
            entries_.push_back({&structure, std::move(storage)});
        }
    }

    [[nodiscard]] void* first() const { return first_; }

    void append_to(std::vector<model::Fact>& facts, FactKind kind) const {
        for (const Entry& entry : entries_) append(facts, *entry.structure, entry.storage.get(), kind);
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

std::string why_unreported(const Instance& instance, std::uint32_t core_version, std::string_view extension) {
    if (instance.functions().get_properties2 == nullptr) {
        return "the instance has neither Vulkan 1.1 nor VK_KHR_get_physical_device_properties2";
    }
    const std::string version = fmt::format("Vulkan 1.{}", VK_API_VERSION_MINOR(core_version));
    if (core_version == 0) return fmt::format("the device has no {}", extension);
    if (extension.empty()) return fmt::format("the device has no {}", version);
    return fmt::format("the device has neither {} nor {}", version, extension);
}

Facts read_limits(const Instance& instance, const PhysicalDevice& device) {
    Facts facts;
    append(facts.values, limits_structure(), &device.properties().limits, FactKind::kLimit);
    append(facts.values, sparse_properties_structure(), &device.properties().sparseProperties, FactKind::kLimit);
    const StructureChain chain(property_structures(), instance, device, facts.unreported);
    if (chain.first() == nullptr) return facts;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", "limits");
    instance.functions().get_properties2(device.handle(), &properties);
    chain.append_to(facts.values, FactKind::kLimit);
    return facts;
}

Facts read_features(const Instance& instance, const PhysicalDevice& device) {
    Facts facts;
    VkPhysicalDeviceFeatures core{};
    leave_breadcrumb("vkGetPhysicalDeviceFeatures");
    instance.functions().get_features(device.handle(), &core);
    append(facts.values, core_features_structure(), &core, FactKind::kFeature);
    const StructureChain chain(feature_structures(), instance, device, facts.unreported);
    if (chain.first() == nullptr) return facts;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceFeatures2");
    instance.functions().get_features2(device.handle(), &features);
    chain.append_to(facts.values, FactKind::kFeature);
    return facts;
}

}  // namespace heapwright::vulkan
