// Imported and probed reports compare only if both name the same facts.
#include <catch2/catch_test_macros.hpp>

#include "import/parts.hpp"
#include "import/vulkan_facts.hpp"
#include "vulkan/fact_tables.hpp"
#include "vulkan/facts.hpp"

using namespace heapwright;

namespace {

void check_same(const imports::FactStructure& ours, const vulkan::FactStructure& theirs) {
    INFO(theirs.name);
    REQUIRE(ours.name == theirs.name);
    CHECK(ours.extension == theirs.extension);
    if (theirs.core_version == 0) {
        CHECK(ours.core_minor == imports::kNoCoreVersion);
    } else {
        CHECK(ours.core_minor == VK_API_VERSION_MINOR(theirs.core_version));
    }
    REQUIRE(ours.members.size() == theirs.members.size());
    for (std::size_t i = 0; i < ours.members.size(); ++i) CHECK(ours.members[i] == theirs.members[i].name);
}

}  // namespace

TEST_CASE("the importers keep the facts that the Vulkan probe reads, in its order") {
    const auto limits = imports::vulkan_limit_structures();
    const auto properties = vulkan::property_structures();
    REQUIRE(limits.size() == properties.size() + 2);
    check_same(limits[0], vulkan::limits_structure());
    check_same(limits[1], vulkan::sparse_properties_structure());
    for (std::size_t i = 0; i < properties.size(); ++i) check_same(limits[i + 2], properties[i]);

    const auto features = imports::vulkan_feature_structures();
    const auto theirs = vulkan::feature_structures();
    REQUIRE(features.size() == theirs.size() + 1);
    check_same(features[0], vulkan::core_features_structure());
    for (std::size_t i = 0; i < theirs.size(); ++i) check_same(features[i + 1], theirs[i]);
}

TEST_CASE("driver ids have the probe's names") {
    for (std::uint32_t id = 1; id <= 40; ++id) {
        CHECK(imports::vulkan_driver_id(std::uint64_t{id}) == vulkan::driver_id_name(static_cast<VkDriverId>(id)));
    }
}

TEST_CASE("a promoted structure is known by its older and newer names") {
    const imports::FactStructure plain{"VkPhysicalDeviceMaintenance6Properties", 4, "VK_KHR_maintenance6", {}};
    CHECK(imports::names_structure("VkPhysicalDeviceMaintenance6Properties", plain));
    CHECK(imports::names_structure("VkPhysicalDeviceMaintenance6PropertiesKHR", plain));
    CHECK_FALSE(imports::names_structure("VkPhysicalDeviceMaintenance5PropertiesKHR", plain));
    const imports::FactStructure address{"VkPhysicalDeviceBufferDeviceAddressFeatures", 2, "", {}};
    CHECK_FALSE(imports::names_structure("VkPhysicalDeviceBufferDeviceAddressFeaturesEXT", address));
}
