// Mesa's real AMD and Intel drivers, each on a GPU that Mesa's drm-shim plays: memory requirements are the drivers'
// own.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::model;

namespace {

struct Output {
    int exit_code = -1;
    std::string text;
};

Output output_of(const std::string& command) {
    Output output;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 1 << 16> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
        output.text.append(buffer.data(), count);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
    return output;
}

const std::string kDrivers = test::source_path("scripts/drivers");

std::vector<std::string> played_drivers() {
    const Output listed = output_of(kDrivers);
    REQUIRE(listed.exit_code == 0);
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < listed.text.size();) {
        const std::size_t end = listed.text.find('\n', begin);
        const std::string line = listed.text.substr(begin, end - begin);
        if (line.starts_with("radv-") || line.starts_with("anv-")) names.push_back(line.substr(0, line.find('=')));
        begin = end + 1;
    }
    return names;
}

DeviceReport probe(const std::string& driver) {
    const Output probed = output_of(kDrivers + " run " + driver + " " + test::build_path("heapwright") +
                                    " probe --api vulkan --no-timing -q");
    INFO(driver);
    REQUIRE(probed.exit_code == 0);
    const auto report = read_report(probed.text, driver);
    if (!report) FAIL(to_string(report.error()));
    const auto device = std::find_if(report->devices.begin(), report->devices.end(),
                                     [](const DeviceReport& entry) { return entry.identity.api == Api::kVulkan; });
    REQUIRE(device != report->devices.end());
    return *device;
}

// What the driver asks for an RGBA8 texture that is uploaded and sampled.
MemoryRequirements texture(const DeviceReport& device, std::uint32_t width, std::uint32_t height) {
    const auto answer =
        find_requirements(device.image_sweep, {.format = Format::kR8G8B8A8Unorm,
                                               .tiling = ImageTiling::kOptimal,
                                               .usage = image_usage::kTransferDst | image_usage::kSampled,
                                               .width = width,
                                               .height = height});
    INFO(width << "x" << height);
    REQUIRE(answer.has_value());
    return *answer;
}

void check_navi10_alignment(const std::string& driver) {
    const DeviceReport device = probe(driver);
    CHECK(device.identity.name.find("NAVI10") != std::string::npos);
    for (std::uint32_t width = 1; width <= 4096; width *= 2) {
        for (std::uint32_t height = 1; height <= 4096; height *= 2) {
            INFO(driver << " " << width << "x" << height);
            const std::uint64_t alignment = texture(device, width, height).alignment_bytes;
            CHECK((alignment == 65536) == (width >= 128 && height >= 128));
            CHECK((alignment == 65536 || alignment == 4096 || (alignment == 256 && height == 1)));
        }
    }
}

}  // namespace

TEST_CASE("RADV aligns an image of NAVI10 to 64 KiB exactly when both sides are at least 128") {
    check_navi10_alignment("radv-navi10-22.3.6");
    check_navi10_alignment("radv-navi10-25.0.7");
}

TEST_CASE("ANV on Kaby Lake asks for 20504 bytes for a 128x16 image") {
    const DeviceReport device = probe("anv-kbl-22.3.6");
    CHECK(device.identity.name.find("KBL") != std::string::npos);
    CHECK(texture(device, 128, 16).size_bytes == 20504);
    CHECK(texture(device, 128, 16).alignment_bytes == 4096);
}

TEST_CASE("every GPU that the shim plays gives a whole report") {
    const std::vector<std::string> drivers = played_drivers();
    CHECK(drivers.size() > 50);
    for (const std::string& driver : drivers) {
        const DeviceReport device = probe(driver);
        INFO(driver << ": " << device.identity.name);
        CHECK(device.identity.vendor_id == (driver.starts_with("radv-") ? 0x1002u : 0x8086u));
        CHECK_FALSE(device.heaps.empty());
        CHECK_FALSE(device.memory_types.empty());
        CHECK(texture(device, 256, 256).size_bytes >= 256 * 256 * 4);
        CHECK_FALSE(device.buffer_sweep.tables.empty());
        CHECK(std::none_of(device.findings.begin(), device.findings.end(),
                           [](const Finding& finding) { return finding.id == "driver-crash"; }));
    }
}
