// Heaps, memory types, limits and features equal what vulkaninfo reads of the same driver.
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "drivers.hpp"
#include "vulkaninfo.hpp"

using namespace heapwright;
using probe_test::VulkanInfo;

namespace {

// vulkaninfo 1.3.239 does not print these structures.
const std::set<std::string> kUnknownToVulkaninfo = {
    "VkPhysicalDeviceMaintenance5Properties",    "VkPhysicalDeviceMaintenance7FeaturesKHR",
    "VkPhysicalDeviceMaintenance8FeaturesKHR",   "VkPhysicalDeviceMaintenance6Properties",
    "VkPhysicalDeviceMaintenance7PropertiesKHR", "VkPhysicalDeviceHostImageCopyProperties",
    "VkPhysicalDeviceMaintenance5Features",      "VkPhysicalDeviceMaintenance6Features",
    "VkPhysicalDeviceHostImageCopyFeatures"};

// How many facts were compared. vulkaninfo names a structure by the extension's suffix where the core has none of it.
std::size_t compare(const std::vector<model::Fact>& facts, const VulkanInfo& info) {
    std::size_t compared = 0;
    for (const model::Fact& fact : facts) {
        if (kUnknownToVulkaninfo.contains(fact.group)) continue;
        INFO(fact.group << "." << fact.name);
        auto found = info.values.find({fact.group, fact.name});
        for (const char* suffix : {"KHR", "EXT"}) {
            if (found == info.values.end()) found = info.values.find({fact.group + suffix, fact.name});
        }
        CHECK(found != info.values.end());
        if (found == info.values.end()) continue;
        CHECK(fact.value == found->second);
        ++compared;
    }
    return compared;
}

std::string without_dashes(std::string text) {
    std::erase(text, '-');
    return text;
}

void check_facts(const probe_test::Driver& driver) {
    const std::string icd = probe_test::icd_or_skip(driver);
    const VulkanInfo info = probe_test::run_vulkaninfo(icd);
    REQUIRE(!info.values.empty());
    const auto source = probe_test::open_source(icd);
    const model::DeviceReport report = probe_test::read(*source);

    CHECK(report.identity == source->adapters()[0]);
    CHECK(report.identity.name == info.texts.at("deviceName"));
    CHECK(report.identity.driver_name == info.texts.at("driverName"));
    CHECK(report.identity.driver_info == info.texts.at("driverInfo"));
    CHECK(report.identity.vendor_id == info.values.at({"VkPhysicalDeviceProperties", "vendorID"}));
    CHECK(report.identity.device_id == info.values.at({"VkPhysicalDeviceProperties", "deviceID"}));
    CHECK("DRIVER_ID_" + report.identity.driver_id == info.texts.at("driverID"));
    const auto conformance = [&info](const char* part) {
        return std::to_string(info.values.at({"VkPhysicalDeviceDriverProperties", part}));
    };
    CHECK(report.identity.conformance_version == conformance("major") + "." + conformance("minor") + "." +
                                                     conformance("subminor") + "." + conformance("patch"));
    CHECK(report.identity.device_uuid == without_dashes(info.texts.at("deviceUUID")));
    CHECK(report.identity.driver_uuid == without_dashes(info.texts.at("driverUUID")));

    // A heap that is the machine's RAM is what the driver says it is at that moment.
    REQUIRE(report.heaps.size() == info.heap_sizes.size());
    for (std::size_t i = 0; i < report.heaps.size(); ++i) CHECK(report.heaps[i].size_bytes == info.heap_sizes[i]);
    REQUIRE(report.memory_types.size() == info.memory_types.size());
    for (std::size_t i = 0; i < report.memory_types.size(); ++i) {
        CHECK(report.memory_types[i].heap_index == info.memory_types[i].first);
        CHECK(report.memory_types[i].property_flags == info.memory_types[i].second);
    }
    CHECK(compare(report.limits, info) > 80);
    CHECK(compare(report.features, info) > 25);
    CHECK(!report.queue_families.empty());
    CHECK(std::is_sorted(report.extensions.begin(), report.extensions.end(),
                         [](const auto& a, const auto& b) { return a.name < b.name; }));
    CHECK(report.extensions.size() > 20);
}

}  // namespace

TEST_CASE("facts of lavapipe equal vulkaninfo's", "[lavapipe]") {
    check_facts(probe_test::kLavapipe);
}

TEST_CASE("facts of the lavapipe of backports equal vulkaninfo's", "[lavapipe-backports]") {
    check_facts(probe_test::kLavapipeBackports);
}

TEST_CASE("facts of SwiftShader equal vulkaninfo's", "[swiftshader]") {
    check_facts(probe_test::kSwiftShader);
}

TEST_CASE("structures newer than the headers are read", "[lavapipe-backports]") {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(probe_test::kLavapipeBackports));
    const model::DeviceReport report = probe_test::read(*source);
    // VK_KHR_maintenance6 guarantees at least 1; lavapipe 25.0.7 has host image copy.
    CHECK(report.limit(model::FactName::made("maxCombinedImageSamplerDescriptorCount")).value_or(0) >= 1);
    CHECK(report.feature(model::FactName::made("hostImageCopy")));
    CHECK(report.feature(model::FactName::made("maintenance5")));
    CHECK(!report.run.heap_budgets.empty());
}
