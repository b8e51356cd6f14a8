// JSON as tools write it: behind JavaScript, with control characters in texts, with keys in lists; parts of a device;
// and files that are near to a known kind.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace foreign_json_test {

using namespace heapwright;
using nlohmann::json;

namespace {

std::string message_of(const std::string& text) {
    const auto report = imports::import_report(text, "in");
    REQUIRE_FALSE(report);
    return to_string(report.error());
}

const std::string kProfile = R"({"capabilities": {"device": {"properties": {"VkPhysicalDeviceDriverProperties":
{"driverID": "VK_DRIVER_ID_MESA_RADV", "driverName": "radv", "driverInfo": "INFO"}, "Other": LIST}}},
"profiles": {"VP_made_up": {"api-version": "1.3.0", "capabilities": ["device"]}}})";

std::string profile_with(std::string_view info, std::string_view list) {
    std::string text = kProfile;
    text.replace(text.find("INFO"), 4, info);
    text.replace(text.find("LIST"), 4, list);
    return text;
}

}  // namespace

TEST_CASE("D3d12info as JavaScript: every adapter of every run") {
    const std::string text = test::input_text("d3d12info-js-prefix.json");
    const json runs = json::parse(text.substr(text.find("[\n")));
    const model::Report report = test::imported_text(text);
    REQUIRE(report.devices.size() == 4);
    std::size_t index = 0;
    for (const json& run : runs) {
        for (const json& adapter : run.at("Adapters")) {
            const json& description = adapter.at("DXGI_ADAPTER_DESC3");
            const model::DeviceReport& device = report.devices[index++];
            CHECK(device.identity.name == description.at("Description").get<std::string>());
            CHECK(device.identity.device_id == description.at("DeviceId").get<std::uint32_t>());
            if (device.heaps.size() != 2) continue;
            CHECK(device.heaps[0].size_bytes == description.at("DedicatedVideoMemory").get<std::uint64_t>());
            CHECK(device.heaps[1].size_bytes == description.at("SharedSystemMemory").get<std::uint64_t>());
        }
    }
    CHECK(index == 4);
    CHECK(report.devices[0].identity.name == "NVIDIA GeForce RTX 3080 Ti");
    REQUIRE(report.devices[2].heaps.size() == 2);
    CHECK(report.devices[2].heaps[0].size_bytes == 12673089536);
    CHECK(report.devices[2].heaps[1].size_bytes == 34320400384);
    CHECK(test::statement_of(report.devices[0], "broken-json").empty());
}

TEST_CASE("what stands before and behind JSON in JavaScript changes nothing") {
    const std::string plain = test::input_text("rtx4090.2025-06-05.json");
    const model::Report expected = test::imported_text(plain);
    for (const auto& [before, behind] : {std::pair<std::string, std::string>{"var x = ", ""},
                                         {"let reports=", ";"},
                                         {"const a_1 = ", " ; \n"},
                                         {"module.exports = ", ";\n// end"},
                                         {"/* two\nlines */ window.data = // here\n", ";"},
                                         {"export default ", ";"},
                                         {"// only a comment\n", "// another"}}) {
        INFO(before);
        const model::Report report = test::imported_text(before + plain + behind);
        REQUIRE(report.devices.size() == expected.devices.size());
        CHECK(report.devices[0].heaps.at(0).size_bytes == expected.devices[0].heaps.at(0).size_bytes);
        CHECK(report.devices[0].limits == expected.devices[0].limits);
    }
    for (const char* before : {"var x ", "f(", "a == ", "\"x\" = ", "= "}) {
        INFO(before);
        CHECK_FALSE(imports::import_report(before + plain, "in"));
    }
    CHECK_FALSE(imports::import_report("var x = " + plain + "; var y = 2", "in"));
    CHECK(message_of("// one\nvar x = [\n {\"a\": 1,\n  b}]").find("in: line 4, column 3") != std::string::npos);
}

TEST_CASE("D3d12info with numbers and booleans as text") {
    const std::string plain = test::input_text("rtx4090.2025-06-05.json");
    json runs = json::parse(plain);
    json& adapter = runs.at(0).at("Adapters").at(0);
    json& description = adapter.at("DXGI_ADAPTER_DESC3");
    description["DedicatedVideoMemory"] = "25393364992";
    description["SharedSystemMemory"] = "0x7E2C00000";
    adapter["D3D12_FEATURE_DATA_D3D12_OPTIONS"]["OutputMergerLogicOp"] = "true";
    const model::DeviceReport device = test::imported_text(runs.dump()).devices.at(0);
    CHECK(device.heaps.at(0).size_bytes == 25393364992);
    CHECK(device.heaps.at(1).size_bytes == 0x7E2C00000);
    CHECK(device.features.size() == test::imported_text(plain).devices.at(0).features.size());
    CHECK(device.feature(model::FactName::made("OutputMergerLogicOp")));
}

TEST_CASE("line ends and control characters in a text are read as they stand, with their first place") {
    const model::DeviceReport lines =
        test::imported_text(test::input_text("vulkaninfo-json-raw-line-ends.json")).devices.at(0);
    CHECK(lines.identity.name == "NVIDIA H100 80GB HBM3");
    CHECK(lines.identity.driver_info == "Driver Build: 1, 2, 3\nDate: 01/02/21\nDriver Branch: none\n");
    CHECK(lines.limit(model::FactName::made("maxMemoryAllocationSize")) == 4292870144);
    CHECK(
        test::statement_of(lines, "broken-json").find("3 unescaped control characters, first at line 120, column 57") !=
        std::string::npos);
    const model::DeviceReport control =
        test::imported_text(test::input_text("vulkaninfo-json-control-character.json")).devices.at(0);
    CHECK(control.identity.driver_id == "NVIDIA_PROPRIETARY");
    CHECK(
        test::statement_of(control, "broken-json").find("1 unescaped control character, first at line 75, column 83") !=
        std::string::npos);
    CHECK(control.limits == lines.limits);

    const model::DeviceReport other = test::imported_text(profile_with("a\tb\x1b[1m\r\n\\\"c", "7")).devices.at(0);
    CHECK(other.identity.driver_info == "a\tb\x1b[1m\r\n\"c");
    CHECK(test::statement_of(other, "broken-json").find("4 unescaped control characters, first at line 2") !=
          std::string::npos);
}

TEST_CASE("keys in a list are left out; all around them is read") {
    const model::DeviceReport device =
        test::imported_text(test::input_text("vulkaninfo-json-list-with-keys.json")).devices.at(0);
    CHECK(device.identity.driver_name == "NVIDIA");
    CHECK(device.limit(model::FactName::made("maxMemoryAllocationSize")) == 4292870144);
    CHECK(test::statement_of(device, "broken-json").find("1 list key, first at line 75, column 104") !=
          std::string::npos);
    const model::DeviceReport other =
        test::imported_text(profile_with("x", R"(["a:", "0" : {"b": ["1":2, "3"]}, "2":[]])")).devices.at(0);
    CHECK(other.identity.driver_info == "x");
    CHECK(test::statement_of(other, "broken-json").find("3 list keys") != std::string::npos);
}

TEST_CASE("JSON that is broken in any other way is refused with the place of its first defect") {
    // The text has no end: what follows it is none of its own.
    CHECK(message_of(profile_with("x\n, \"y\": ", "7")).find("in: line 2, column") != std::string::npos);
    CHECK(message_of(profile_with("x", R"(["0": ])")).find("in: line 2, column") != std::string::npos);
    CHECK(message_of(profile_with("x", R"({"a": "b": 1})")).find("in: line 2, column") != std::string::npos);
    CHECK(message_of(profile_with(std::string(2000, '\n'), "7")).find("in: line") != std::string::npos);
    const std::string lines = test::input_text("vulkaninfo-json-raw-line-ends.json");
    CHECK(message_of(lines.substr(0, lines.size() / 2 * 2 - 40)).find("in: line 12") != std::string::npos);
}

TEST_CASE("a configuration of the simulation layer without ids is imported with what it states") {
    const std::string portability = test::input_text("devsim-portability-subset-alone.json");
    const model::DeviceReport device = test::imported_text(portability).devices.at(0);
    const json features = json::parse(portability).at("VkPhysicalDevicePortabilitySubsetFeaturesKHR");
    REQUIRE(device.features.size() == features.size());
    for (const model::Fact& fact : device.features)
        CHECK(fact.value == features.at(std::string(fact.name)).get<std::uint64_t>());
    CHECK(device.limit(model::FactName::made("minVertexInputBindingStrideAlignment")) == 8);
    CHECK(device.identity.name == "unnamed device");
    for (const char* part : {"/identity/name", "/identity/vendor_id", "/identity/type", "/heaps", "/queue_families"}) {
        INFO(part);
        CHECK(test::is_absent(device, part));
    }
    CHECK(test::has_finding(device, "no-memory-information"));

    const model::DeviceReport overrides =
        test::imported_text(R"({"VkPhysicalDeviceProperties": {"deviceName": "smaller", "apiVersion": 4198400,
            "limits": {"maxImageDimension2D": 2048, "maxViewports": 1}}, "VkPhysicalDeviceMemoryProperties":
            {"memoryHeaps": [{"size": 5, "flags": 1}], "memoryTypes": []}})")
            .devices.at(0);
    CHECK(overrides.identity.name == "smaller");
    CHECK(overrides.identity.api_version == "1.1.0");
    CHECK(overrides.limit(model::FactName::made("maxImageDimension2D")) == 2048);
    CHECK_FALSE(test::is_absent(overrides, "/heaps"));
    CHECK_FALSE(test::has_finding(overrides, "no-memory-information"));
}

TEST_CASE("overrides of which a report holds none are refused as such") {
    for (const std::string& text :
         {test::input_text("devsim-overrides-alone.json"),
          std::string(R"({"$schema": "https://schema.khronos.org/vulkan/devsim_1_0_0.json#"})"),
          std::string(R"({"ArrayOfVkFormatProperties": []})")}) {
        const std::string message = message_of(text);
        INFO(message);
        CHECK(message.find("overrides, no device") != std::string::npos);
        CHECK(message.find("vulkaninfo writes a whole device") != std::string::npos);
    }
}

TEST_CASE("a file that is near to a known kind is told which, and what it lacks") {
    for (const auto& [text, kind, lack] :
         {std::tuple{R"({"profiles": {}})", "Vulkan Profiles JSON", "lacks \"capabilities\""},
          {R"({"capabilities": []})", "Vulkan Profiles JSON", "lacks \"profiles\""},
          {R"({"environment": {}, "extended": {}})", "gpuinfo.org JSON", "lacks \"properties\""},
          {R"({"properties": {"deviceName": "x"}})", "gpuinfo.org JSON and vkjson", "\"environment\""},
          {R"({"DXGI_ADAPTER_DESC3": {}})", "D3d12info JSON", "one entry of them alone"},
          {R"({"Header": {"Program": "D3d12info"}})", "D3d12info JSON", "lacks \"Adapters\""}}) {
        const std::string message = message_of(text);
        INFO(message);
        CHECK(message.find(kind) != std::string::npos);
        CHECK(message.find(lack) != std::string::npos);
    }
}

}  // namespace foreign_json_test
