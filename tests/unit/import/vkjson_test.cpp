// vkjson: a real file against what nlohmann::json finds in it, and made-up ones of the forms that Android writes.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace vkjson_test {

using namespace heapwright;
using nlohmann::json;

namespace {

// A number, or text in hexadecimal.
std::uint64_t number_of(const json& value) {
    return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 16) : value.get<std::uint64_t>();
}

void check_against(const model::DeviceReport& device, const json& file) {
    const json& properties = file.at("properties");
    CHECK(device.identity.name == properties.at("deviceName").get<std::string>());
    CHECK(device.identity.vendor_id == number_of(properties.at("vendorID")));
    CHECK(device.identity.device_id == number_of(properties.at("deviceID")));
    const json& memory = file.at("memory");
    REQUIRE(device.heaps.size() == memory.at("memoryHeaps").size());
    for (std::size_t i = 0; i < device.heaps.size(); ++i) {
        CHECK(device.heaps[i].size_bytes == number_of(memory.at("memoryHeaps").at(i).at("size")));
        CHECK(device.heaps[i].flags == number_of(memory.at("memoryHeaps").at(i).at("flags")));
    }
    REQUIRE(device.memory_types.size() == memory.at("memoryTypes").size());
    for (std::size_t i = 0; i < device.memory_types.size(); ++i) {
        const json& type = memory.at("memoryTypes").at(i);
        CHECK(device.memory_types[i].heap_index == number_of(type.at("heapIndex")));
        CHECK(device.memory_types[i].property_flags == number_of(type.at("propertyFlags")));
    }
    REQUIRE(device.queue_families.size() == file.at("queues").size());
    for (std::size_t i = 0; i < device.queue_families.size(); ++i) {
        const json& family = file.at("queues").at(i);
        CHECK(device.queue_families[i].flags == number_of(family.at("queueFlags")));
        CHECK(device.queue_families[i].queue_count == number_of(family.at("queueCount")));
        CHECK(device.queue_families[i].timestamp_valid_bits == number_of(family.at("timestampValidBits")));
    }
    CHECK(device.extensions.size() == file.at("extensions").size());
    for (const model::Fact& fact : device.limits) {
        if (fact.group != "VkPhysicalDeviceLimits") continue;
        INFO(fact.name);
        CHECK(fact.value == number_of(properties.at("limits").at(std::string(fact.name))));
    }
    for (const model::Fact& fact : device.features) {
        if (fact.group != "VkPhysicalDeviceFeatures") continue;
        INFO(fact.name);
        CHECK(fact.value == number_of(file.at("features").at(std::string(fact.name))));
    }
}

// A phone as Android describes it, its numbers as real numbers; `more` stands beside its members.
json made_up_phone(const std::string& name, std::uint32_t minor, const json& more) {
    json phone = json::parse(R"({
        "properties": {"driverVersion": 512.0, "vendorID": 20803, "deviceID": 99, "deviceType": 1.0,
            "limits": {"bufferImageGranularity": "0x0000000000000040", "maxImageDimension2D": 8192.0,
                       "sparseAddressSpaceSize": "0x0000000000000000"},
            "sparseProperties": {"residencyAlignedMipSize": 0}},
        "features": {"robustBufferAccess": 1.0, "shaderInt64": 0},
        "memory": {"memoryTypeCount": 2, "memoryHeapCount": 1,
            "memoryHeaps": [{"size": "0x00000001d2f5a000", "flags": 1}],
            "memoryTypes": [{"propertyFlags": 1, "heapIndex": 0}, {"propertyFlags": 15, "heapIndex": 0}]},
        "queues": [{"queueFlags": 7, "queueCount": 3, "timestampValidBits": 48,
                    "minImageTransferGranularity": {"width": 1, "height": 2, "depth": 3}}],
        "extensions": [{"extensionName": "VK_KHR_swapchain", "specVersion": 70}],
        "layers": [], "formats": []})");
    phone["properties"]["deviceName"] = name;
    phone["properties"]["apiVersion"] = (1u << 22) | (minor << 12) | 128u;
    phone.update(more);
    return phone;
}

model::Report import_json(const json& file) {
    return test::imported_text(file.dump(1, '\t'));
}

}  // namespace

TEST_CASE("vkjson of a real device: every value is the file's, sizes in hexadecimal text too") {
    const std::string text = test::input_text("vkjson.json");
    CHECK(imports::detect_format(text, "in").value() == imports::ImportFormat::kVkjson);
    const model::Report report = test::imported("vkjson.json");
    REQUIRE(report.devices.size() == 1);
    const model::DeviceReport& device = report.devices[0];
    check_against(device, json::parse(text));
    CHECK(device.identity.name == "GeForce GTX 950");
    CHECK(device.identity.type == model::DeviceType::kDiscreteGpu);
    CHECK(device.identity.api_version == "1.0.42");
    CHECK(device.heaps.at(0).size_bytes == 2147483648);
    CHECK(device.heaps.at(1).size_bytes == 12566304768);
    CHECK(device.memory_types.size() == 11);
    CHECK(device.queue_families.at(0).queue_count == 16);
    CHECK(device.queue_families.at(1).queue_count == 1);
    CHECK(device.extensions.size() == 25);
    CHECK(device.limit(model::FactName::made("bufferImageGranularity")) == 1024);
    CHECK(device.limit(model::FactName::made("sparseAddressSpaceSize")) == 0xffffffffffffffff);
    CHECK(test::is_absent(device, "/identity/driver_id"));
    CHECK(test::is_absent(device, "/identity/luid"));
    CHECK_FALSE(test::is_absent(device, "/queue_families"));
    CHECK_FALSE(test::has_finding(device, "unreadable-value"));
}

TEST_CASE("vkjson of an instance: each of its devices, with the structures of 1.1 and of extensions") {
    const json first = made_up_phone("Made-up 640", 1, json::parse(R"({
            "idProperties": {"deviceUUID": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
                "driverUUID": [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
                "deviceLUID": [0, 0, 0, 0, 0, 0, 0, 9], "deviceNodeMask": 1, "deviceLUIDValid": 1},
            "maintenance3Properties": {"maxPerSetDescriptors": 700, "maxMemoryAllocationSize": "0x0000000040000000"},
            "protectedMemoryFeatures": {"protectedMemory": 1},
            "VK_KHR_driver_properties": {"driverPropertiesKHR": {"driverID": 8, "driverName": "made up",
                "driverInfo": "build 5", "conformanceVersion": {"major": 1, "minor": 1, "subminor": 6, "patch": 2}}},
            "VK_EXT_custom_border_color": {"customBorderColorPropertiesEXT": {"maxCustomBorderColorSamplers": 31}}
        })"));
    const json second = made_up_phone("Made-up 750", 3, json::parse(R"({
            "core12": {"properties": {"driverID": 9, "driverName": "other"}, "features": {"bufferDeviceAddress": 1}},
            "core13": {"properties": {"maxBufferSize": "0x0000000080000000"}, "features": {"maintenance4": 1}}
        })"));
    const json file{{"layers", json::array()}, {"extensions", json::array()}, {"devices", {first, second}}};
    const model::Report report = import_json(file);
    REQUIRE(report.devices.size() == 2);
    check_against(report.devices[0], first);
    check_against(report.devices[1], second);

    const model::DeviceReport& phone = report.devices[0];
    CHECK(phone.identity.device_uuid == "0102030405060708090a0b0c0d0e0f10");
    CHECK(phone.identity.driver_uuid == "100f0e0d0c0b0a090807060504030201");
    CHECK(phone.identity.luid == "0000000000000009");
    CHECK(phone.identity.driver_id == "QUALCOMM_PROPRIETARY");
    CHECK(phone.identity.driver_info == "build 5");
    CHECK(phone.identity.conformance_version == "1.1.6.2");
    CHECK(phone.queue_families.at(0).min_image_transfer_granularity == std::array<std::uint32_t, 3>{1, 2, 3});
    CHECK(phone.limit(model::FactName::made("maxPerSetDescriptors")) == 700);
    CHECK(phone.limit(model::FactName::made("maxMemoryAllocationSize")) == 0x40000000);
    CHECK(phone.limit(model::FactName::made("maxCustomBorderColorSamplers")) == 31);
    CHECK(phone.feature(model::FactName::made("protectedMemory")));
    CHECK(test::is_absent(phone, "/limits/VkPhysicalDeviceLimits/nonCoherentAtomSize"));

    CHECK(report.devices[1].run.device_index == 1);
    CHECK(report.devices[1].identity.driver_id == "ARM_PROPRIETARY");
    CHECK(report.devices[1].limit(model::FactName::made("maxBufferSize")) == 0x80000000);
    CHECK(report.devices[1].feature(model::FactName::made("bufferDeviceAddress")));
    CHECK(report.devices[1].feature(model::FactName::made("maintenance4")));
}

TEST_CASE("vkjson: what is no number is absent with a finding, and memory that cannot be is refused") {
    json phone = made_up_phone("Made-up 1", 0, json::object());
    phone["properties"]["vendorID"] = "Qualcomm";
    phone["properties"].erase("driverVersion");
    phone["queues"][0]["timestampValidBits"] = 65;
    const model::DeviceReport device = import_json(phone).devices.at(0);
    CHECK(test::is_absent(device, "/identity/vendor_id"));
    CHECK(test::is_absent(device, "/identity/driver_version"));
    CHECK(test::is_absent(device, "/queue_families/0/timestamp_valid_bits"));
    CHECK(device.queue_families.at(0).queue_count == 3);
    std::size_t unreadable = 0;
    for (const model::Finding& finding : device.findings) unreadable += finding.id == "unreadable-value" ? 1u : 0u;
    CHECK(unreadable == 2);

    phone["memory"]["memoryHeaps"][0]["size"] = "much";
    const auto refused = imports::import_report(phone.dump(), "in");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where == "in: /memory/memoryHeaps/0/size");
    const auto none = imports::import_report(R"({"layers": [], "extensions": [], "devices": []})", "in");
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "the file lists no device");
}

}  // namespace vkjson_test
