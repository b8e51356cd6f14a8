// vulkaninfo --json before 1.3: made-up files of that form, since it is no longer written.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

using namespace heapwright;

namespace {

// A discrete GPU with a BAR: device memory, host memory, and host-visible device memory.
const std::string kFile = R"({
  "$schema": "https://schema.khronos.org/vulkan/devsim_1_0_0.json#",
  "comments": {"desc": "made up", "vulkanApiVersion": "1.2.162"},
  "ArrayOfVkExtensionProperties": [
    {"extensionName": "VK_KHR_maintenance3", "specVersion": 1},
    {"extensionName": "VK_EXT_memory_priority", "specVersion": 1},
    {"extensionName": "VK_KHR_swapchain", "specVersion": 70}],
  "ArrayOfVkQueueFamilyProperties": [
    {"minImageTransferGranularity": {"depth": 1, "height": 1, "width": 1}, "queueCount": 16, "queueFlags": 15,
     "timestampValidBits": 64},
    {"minImageTransferGranularity": {"depth": 4, "height": 3, "width": 2}, "queueCount": 2, "queueFlags": 12,
     "timestampValidBits": 36}],
  "VkPhysicalDeviceFeatures": {"sparseBinding": 1}, "VkPhysicalDeviceMemoryPriorityFeaturesEXT": {"memoryPriority": 1},
  "VkPhysicalDeviceMaintenance3PropertiesKHR": {"maxMemoryAllocationSize": 4292870144, "maxPerSetDescriptors": 1024},
  "VkPhysicalDeviceMemoryProperties": {
    "memoryHeaps": [{"flags": 1, "size": 8589934592}, {"flags": 0, "size": 17179869184}, {"flags": 1, "size": 268435456}],
    "memoryTypes": [{"heapIndex": 0, "propertyFlags": 1}, {"heapIndex": 1, "propertyFlags": 14},
                    {"heapIndex": 2, "propertyFlags": 7}]},
  "VkPhysicalDeviceProperties": {
    "apiVersion": 4202658, "deviceID": 9860, "deviceName": "Made-up 8", "deviceType": 2, "driverVersion": 77,
    "limits": {"bufferImageGranularity": 1024, "nonCoherentAtomSize": 64, "maxMemoryAllocationCount": 4096},
    "sparseProperties": {"residencyAlignedMipSize": 0},
    "vendorID": 4318}
})";

Result<model::Report> import_text(const std::string& text) {
    return imports::import_report(text, "made up");
}

std::string without(std::string text, std::string_view what) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.erase(at, what.size());
}

}  // namespace

TEST_CASE("vulkaninfo's JSON before 1.3 gives identity, memory, queues, limits and features") {
    const auto report = import_text(kFile);
    if (!report) FAIL(to_string(report.error()));
    CHECK(imports::detect_format(kFile, "made up").value() == imports::ImportFormat::kDevsim);
    REQUIRE(report->devices.size() == 1);
    const model::DeviceReport& device = report->devices[0];
    CHECK(device.identity.name == "Made-up 8");
    CHECK(device.identity.type == model::DeviceType::kDiscreteGpu);
    CHECK(device.identity.vendor_id == 0x10de);
    CHECK(device.identity.device_id == 0x2684);
    CHECK(device.identity.driver_version == 77);
    CHECK(device.identity.api_version == "1.2.162");
    REQUIRE(device.heaps.size() == 3);
    CHECK(device.heaps[1].size_bytes == 16ull << 30);
    CHECK(device.heaps[2].flags == 1);
    REQUIRE(device.memory_types.size() == 3);
    CHECK(device.memory_types[2].heap_index == 2);
    CHECK(device.memory_types[2].property_flags == 7);
    REQUIRE(device.queue_families.size() == 2);
    CHECK(device.queue_families[1].queue_count == 2);
    CHECK(device.queue_families[1].min_image_transfer_granularity == std::array<std::uint32_t, 3>{2, 3, 4});
    REQUIRE(device.extensions.size() == 3);
    CHECK(device.extensions[2].spec_version == 70);
    CHECK(device.limit("bufferImageGranularity") == 1024);
    CHECK(device.limit("maxMemoryAllocationSize") == 4292870144);
    CHECK(device.feature("memoryPriority"));
    CHECK_FALSE(device.feature("bufferDeviceAddress"));
    CHECK(test::is_absent(device, "/image_sweep"));
    CHECK(test::is_absent(device, "/identity/luid"));
    CHECK(test::has_finding(device, "imported"));
    CHECK(model::read_report(model::write(*report), "again"));
}

TEST_CASE("a configuration of the device simulation layer may leave all but the properties out") {
    const auto report = import_text(R"({"VkPhysicalDeviceProperties": {"apiVersion": 4194304, "deviceID": 1,
        "deviceName": "x", "deviceType": 0, "driverVersion": 2, "vendorID": 3}})");
    if (!report) FAIL(to_string(report.error()));
    const model::DeviceReport& device = report->devices.at(0);
    for (const char* part : {"/heaps", "/memory_types", "/limits", "/queue_families"}) {
        INFO(part);
        CHECK(test::is_absent(device, part));
    }
}

TEST_CASE("vulkaninfo's JSON with broken memory is refused with the place") {
    const auto no_heap = import_text(without(kFile, R"(, {"flags": 1, "size": 268435456})"));
    REQUIRE_FALSE(no_heap);
    CHECK(no_heap.error().code == ErrorCode::kSchemaViolation);
    CHECK(to_string(no_heap.error()).find("/VkPhysicalDeviceMemoryProperties") != std::string::npos);
    const auto no_name = import_text(without(kFile, R"("vendorID": 4318)"));
    CHECK_FALSE(no_name);
}

TEST_CASE("an entry that is no extension is left out with a finding that shows it, and the device stays") {
    for (const auto& [entry, shown] :
         {std::pair<std::string, std::string>{R"({"extensionName": "", "specVersion": 1})", "named \"\""},
          {R"({"extensionName": 7, "specVersion": 1})", "named 7"},
          {R"({"specVersion": 1})", "an object without a name"},
          {R"(3)", "3 without a name"},
          {R"({"extensionName": "VK_X", "specVersion": -1})", "\"VK_X\" of revision -1"},
          {R"({"extensionName": "VK_X"})", "\"VK_X\" of revision none"},
          {R"({"extensionName": "VK_X\u001b", "specVersion": "one"})", "\"VK_X\\x1b\" of revision \"one\""}}) {
        std::string text = kFile;
        const std::string before = "\"ArrayOfVkExtensionProperties\": [";
        text.insert(text.find(before) + before.size(), entry + ",");
        INFO(entry);
        const auto report = imports::import_report(text, "in");
        if (!report) FAIL(to_string(report.error()));
        const model::DeviceReport& device = report->devices.front();
        CHECK(device.extensions.size() == 3);
        const auto found = std::ranges::find(device.findings, "unreadable-extension", &model::Finding::id);
        REQUIRE(found != device.findings.end());
        INFO(found->statement);
        CHECK(found->statement.find("in: /ArrayOfVkExtensionProperties/0") != std::string::npos);
        CHECK(found->statement.find(shown) != std::string::npos);
    }
}
