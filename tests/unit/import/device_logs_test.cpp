// The devices in DXVK's logs and in gfxreconstruct's info.
#include <catch2/catch_test_macros.hpp>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace device_logs_test {

using namespace heapwright;

namespace {

std::string error_of(std::string_view text) {
    const auto report = imports::import_report(text, "log");
    REQUIRE_FALSE(report);
    return to_string(report.error());
}

// Of DXVK 1 with two devices, among what Wine and vkd3d-proton print, as Proton gathers it.
constexpr const char* kProtonLog =
    "ATTENTION: default value of option vk_xwayland_wait_ready overridden by environment.\n"
    "952:info:vkd3d_instance_init: vkd3d-proton - build: 42fb018d85787fb.\n"
    "info:  Game: Some.exe\n"
    "info:  DXVK: v1.8.1\n"
    "info:  Built-in extension providers:\n"
    "info:    Win32 WSI\n"
    "info:  Radeon X: special edition:\n"
    "info:    Driver: 2.0.184\n"
    "info:    Vulkan: 1.2.174\n"
    "info:    Memory Heap[0]: \n"
    "info:      Size: 3840 MiB\n"
    "03ec:err:openxr:get_vulkan_extensions Could not create key, status 0x2.\n"
    "info:      Flags: 0x3\n"
    "info:      Memory Type[0]: Property Flags = 0x1\n"
    "info:      Memory Type[2]: Property Flags = 0x7\n"
    "info:    Memory Heap[1]: \n"
    "info:      Size: 7001 MiB\n"
    "info:      Flags: 0x0\n"
    "info:      Memory Type[1]: Property Flags = 0x6\n"
    "info:  Small GPU:\n"
    "info:    Driver : radv 23.1.3\n"
    "info:    Memory Heap[0]: \n"
    "info:      Size: 512 MiB\n"
    "info:      Flags: 0x1\n"
    "info:      Memory Type[0]: Property Flags = 0xf\n"
    "warn:  OpenVR: Failed to locate module\n"
    "info:  Device properties:\n"
    "info:    Device : Small GPU\n";

}  // namespace

TEST_CASE("DXVK's log gives name, versions and heaps, and leaves out a list of memory types with gaps") {
    const model::Report report = test::imported_text(test::case_text("log-dxvk-heaps.txt"));
    REQUIRE(report.devices.size() == 1);
    const model::DeviceReport& device = report.devices.front();
    CHECK(device.identity.name == "NVIDIA GeForce GTX 1650");
    CHECK(device.identity.driver_info == "470.57.2");
    CHECK(device.identity.api_version == "1.2.175");
    REQUIRE(device.heaps.size() == 2);
    CHECK(device.heaps[0].size_bytes == 4096ull << 20);
    CHECK(device.heaps[0].flags == 1);
    CHECK(device.heaps[1].size_bytes == 11978ull << 20);
    CHECK(device.heaps[1].flags == 0);
    CHECK(device.memory_types.empty());
    CHECK(test::has_finding(device, "incomplete-memory-types"));
    CHECK(test::has_finding(device, "rounded-heap-sizes"));
    for (const char* pointer : {"/identity/vendor_id", "/identity/device_id", "/identity/driver_version",
                                "/identity/type", "/memory_types", "/limits", "/queue_families", "/extensions"}) {
        CHECK(test::is_absent(device, pointer));
    }
    CHECK_FALSE(test::is_absent(device, "/identity/driver_info"));
}

TEST_CASE("each device of a log of Proton counts once, however often its processes list it") {
    const std::string log = kProtonLog;
    for (const std::string& text : {log, log + log, "```\n" + log + "```\n"}) {
        const model::Report report = test::imported_text(text);
        REQUIRE(report.devices.size() == 2);
        const model::DeviceReport& large = report.devices[0];
        CHECK(large.identity.name == "Radeon X: special edition");
        CHECK(large.heaps.at(1).size_bytes == 7001ull << 20);
        REQUIRE(large.memory_types.size() == 3);
        CHECK(large.memory_types[1].heap_index == 1);
        CHECK(large.memory_types[1].property_flags == 6);
        CHECK(large.memory_types[2].heap_index == 0);
        CHECK_FALSE(test::has_finding(large, "incomplete-memory-types"));
        const model::DeviceReport& small = report.devices[1];
        CHECK(small.identity.name == "Small GPU");
        CHECK(small.identity.driver_info == "radv 23.1.3");
        CHECK(small.memory_types.at(0).property_flags == 0xf);
        CHECK(test::is_absent(small, "/identity/api_version"));
    }
}

TEST_CASE("a log of DXVK that only names its devices gives their names") {
    const model::Report report = test::imported_text(
        "info:  DXVK: v2.7.1\ninfo:  Found device: One (G13C C0) (Honeykrisp 26.0.3)\n"
        "info:  Found device: Two (turnip 25.2.7)\ninfo:    Skipping: Device filter\n");
    REQUIRE(report.devices.size() == 2);
    CHECK(report.devices[0].identity.name == "One (G13C C0)");
    CHECK(report.devices[0].identity.driver_info == "Honeykrisp 26.0.3");
    CHECK(report.devices[1].identity.name == "Two");
    CHECK(test::is_absent(report.devices[1], "/heaps"));
    CHECK(error_of("info:  DXVK: v2.7.1\ninfo:  Game: a.exe\n").find("names no device") != std::string::npos);
}

TEST_CASE("what DXVK cannot have logged is refused with its line") {
    const std::string log = test::case_text("log-dxvk-heaps.txt");
    const auto with = [&log](std::string_view from, std::string_view to) {
        std::string text = log;
        return error_of(text.replace(text.find(from), from.size(), to));
    };
    CHECK(with("4096 MiB", "4096 GB").find("log:5: no size in MiB: \"4096 GB\"") != std::string::npos);
    CHECK(with("4096 MiB", "99999999999999999 MiB").find("log:5") != std::string::npos);
    CHECK(with("Memory Heap[1]", "Memory Heap[2]").find("expected Memory Heap[1]") != std::string::npos);
    CHECK(with("Flags: 0x1", "Flags: one").find("log:6") != std::string::npos);
    CHECK(with("Memory Type[7]", "Memory Type[77]").find("log:7") != std::string::npos);
}

TEST_CASE("gfxreconstruct's info gives names, ids and versions of the devices") {
    const std::string text = test::case_text("log-gfxrecon-info.txt");
    const model::Report report = test::imported_text(text);
    REQUIRE(report.devices.size() == 1);
    const model::DeviceReport& device = report.devices.front();
    CHECK(device.identity.name == "GeForce RTX 2070");
    CHECK(device.identity.vendor_id == 0x10de);
    CHECK(device.identity.device_id == 0x1f07);
    CHECK(device.identity.driver_version == 1917288448);
    CHECK(device.identity.api_version == "1.2.142");
    CHECK(test::is_absent(device, "/heaps"));
    CHECK(test::is_absent(device, "/identity/type"));
    CHECK(test::has_finding(device, "no-memory-information"));

    const model::Report two = test::imported_text(
        "> Vulkan physical device info:\n> \tDevice name:         A\n> \tDevice ID:           0x2\n"
        "> \tVendor ID:           much\n> \tDevice name:         B\n> \tDevice ID:           0x3\n"
        "> \tVendor ID:           0x1002\n> \tAPI version:         1 (1.3.9)\n>\n> Other:\n> \tDevice ID:  9\n");
    REQUIRE(two.devices.size() == 2);
    CHECK(two.devices[0].identity.name == "A");
    CHECK(two.devices[0].identity.device_id == 2);
    CHECK(test::is_absent(two.devices[0], "/identity/vendor_id"));
    CHECK(test::has_finding(two.devices[0], "unreadable-value"));
    CHECK(test::is_absent(two.devices[0], "/identity/driver_version"));
    CHECK(two.devices[1].identity.vendor_id == 0x1002);
    CHECK(two.devices[1].identity.api_version == "1.3.9");
    CHECK(error_of("Physical device info:\nDevice memory allocation info:\n").find("names no device") !=
          std::string::npos);
}

}  // namespace device_logs_test
