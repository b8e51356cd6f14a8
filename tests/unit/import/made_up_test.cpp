// What no real file at hand shows: several GPUs in one text, sections twice, heaps of no size, reduced files.
#include <catch2/catch_test_macros.hpp>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace made_up_test {

using namespace heapwright;

namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size(), ++count) {
        text.replace(at, from.size(), to);
    }
    REQUIRE(count > 0);
    return text;
}

}  // namespace

TEST_CASE("each GPU heading of a vulkaninfo text is a device, the same number twice too") {
    const std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    const std::string gpu = text.substr(text.find("GPU0:\n"));
    const std::string second =
        replaced(replaced(gpu, "GPU0:\n", "GPU1:\n"), "nonCoherentAtomSize", "nonCoherentAtomSize ");
    const model::Report report =
        test::imported_text(text + "\n" + replaced(second, "0x13e9700000", "0x1") + "\n" + gpu);
    REQUIRE(report.devices.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(report.devices[i].run.device_index == i);
        CHECK(report.devices[i].heaps.size() == 2);
        CHECK(report.devices[i].memory_types.size() == 5);
        CHECK(report.devices[i].limits == report.devices[0].limits);
    }
}

TEST_CASE("a section that stands twice under one GPU counts once, as it stood first") {
    std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    text +=
        "\nVkPhysicalDeviceMaintenance3Properties:\n---\n\tmaxPerSetDescriptors    = 1\n"
        "\tmaxMemoryAllocationSize = 0x1\n";
    const model::Report report = test::imported_text(text);
    CHECK(report.devices.at(0).limit("maxMemoryAllocationSize") == 0xffe00000);
}

TEST_CASE("Windows line ends and a byte order mark change nothing") {
    const std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    const model::Report plain = test::imported_text(text);
    const model::Report windows = test::imported_text("\xef\xbb\xbf" + replaced(text, "\n", "\r\n"));
    CHECK(windows.devices.at(0).limits == plain.devices.at(0).limits);
    CHECK(windows.devices.at(0).identity == plain.devices.at(0).identity);
    CHECK(test::imported_text("\xef\xbb\xbf" + test::input_text("rtx4090.2025-06-05.json")).devices.size() == 1);
}

TEST_CASE("facts are found in the core structures when the promoted ones are not printed") {
    const std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    const std::string start = "VkPhysicalDeviceMaintenance3Properties:";
    const std::string without = replaced(text, start, "SomethingElse:");
    const model::Report report = test::imported_text(without);
    CHECK(report.devices.at(0).limits == test::imported_text(text).devices.at(0).limits);
}

TEST_CASE("vulkaninfo --summary gives an identity and nothing else") {
    const model::Report report = test::imported_text(
        "==========\nVULKANINFO\n==========\n\nDevices:\n========\nGPU0:\n"
        "\tapiVersion         = 1.3.230 (4206822)\n\tdriverVersion      = 0.0.1 (1)\n\tvendorID           = 0x10005\n"
        "\tdeviceID           = 0x0000\n\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU\n"
        "\tdeviceName         = llvmpipe (LLVM 15.0.6, 256 bits)\n"
        "\tdriverID           = DRIVER_ID_MESA_LLVMPIPE\n\tdriverName         = llvmpipe\n"
        "\tdriverInfo         = Mesa 22.3.6 (LLVM 15.0.6)\n\tconformanceVersion = 1.3.1.1\n"
        "\tdeviceUUID         = 6d657361-3232-2e33-2e36-000000000000\n"
        "\tdriverUUID         = 6c6c766d-7069-7065-5555-494400000000\n");
    const model::DeviceReport& device = report.devices.at(0);
    CHECK(device.identity.name == "llvmpipe (LLVM 15.0.6, 256 bits)");
    CHECK(device.identity.type == model::DeviceType::kCpu);
    CHECK(device.identity.driver_id == "MESA_LLVMPIPE");
    CHECK(device.identity.driver_version == 1);
    CHECK(device.identity.conformance_version == "1.3.1.1");
    CHECK(test::is_absent(device, "/heaps"));
    CHECK(test::is_absent(device, "/memory_types"));
    CHECK(test::is_absent(device, "/limits"));
}

TEST_CASE("a heap of no size is imported with the finding that states it") {
    const std::string text = test::input_text("intel-b580-anv.38827.json");
    const model::Report report = test::imported_text(replaced(text, "\"0x3e3144000\"", "\"0x0\""));
    const model::DeviceReport& device = report.devices.at(0);
    CHECK(device.heaps.at(1).size_bytes == 0);
    REQUIRE(test::has_finding(device, model::kZeroSizeHeapFinding));
    CHECK(device.findings.back().evidence == std::vector<std::string>{"/heaps/1"});
}

TEST_CASE("a gpuinfo report without memory imports, with the memory absent") {
    const std::string text = test::input_text("intel-b580-anv.38827.json");
    const model::Report report = test::imported_text(replaced(text, "\"memory\":", "\"forgotten\":"));
    CHECK(test::is_absent(report.devices.at(0), "/heaps"));
    CHECK(test::is_absent(report.devices.at(0), "/memory_types"));
}

TEST_CASE("a profile has what its blocks and the first of its alternatives state") {
    const model::Report report = test::imported_text(
        "{\"profiles\": {\"VP_test\": {\"version\": 1, \"api-version\": \"1.1.0\","
        "\"capabilities\": [\"base\", [\"a\", \"b\"]]}}, \"capabilities\": {"
        "\"base\": {\"extensions\": {\"VK_KHR_maintenance3\": 1}, \"properties\": {\"VkPhysicalDeviceProperties\":"
        "{\"limits\": {\"nonCoherentAtomSize\": 256}}}},"
        "\"a\": {\"features\": {\"VkPhysicalDeviceFeatures\": {\"shaderInt64\": true}}}, \"b\": {}}}");
    const model::DeviceReport& device = report.devices.at(0);
    CHECK(device.identity.name == "VP_test");
    CHECK(device.limit("nonCoherentAtomSize") == 256);
    CHECK(device.feature(model::FactName::made("shaderInt64")));
    CHECK(test::has_finding(device, "alternative-capabilities"));
    CHECK(test::is_absent(device, "/identity/vendor_id"));
    // The extension is there, its structure is not.
    CHECK(test::is_absent(device, "/limits/VkPhysicalDeviceMaintenance3Properties"));
}

TEST_CASE("a D3d12info adapter without its architecture has no heaps to speak of") {
    const std::string text = test::input_text("rtx4090.2025-06-05.json");
    const model::Report report = test::imported_text(replaced(text, "D3D12_FEATURE_DATA_ARCHITECTURE1", "Forgotten"));
    CHECK(report.devices.at(0).heaps.empty());
    CHECK(test::is_absent(report.devices.at(0), "/heaps"));
    CHECK(test::is_absent(report.devices.at(0), "/memory_types"));
}

TEST_CASE("unified memory adds up in one heap") {
    const std::string text = test::input_text("arc-a770+warp.2024-01-07.json");
    const model::Report report = test::imported_text(replaced(text, "\"UMA\": false", "\"UMA\": true"));
    const model::DeviceReport& device = report.devices.at(0);
    REQUIRE(device.heaps.size() == 1);
    CHECK(device.heaps[0].size_bytes == 17045651456 + 34320400384);
    CHECK(device.run.heap_budgets.size() == 1);
    namespace property = model::memory_property;
    // Not cache-coherent: an UPLOAD heap is write-combined.
    CHECK(device.memory_types.at(3).property_flags ==
          (property::kDeviceLocal | property::kHostVisible | property::kHostCoherent));
}

}  // namespace made_up_test
