#include <catch2/catch_test_macros.hpp>

#include "planted_findings.hpp"
#include "probe/examine.hpp"
#include "probe/reproducer.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

model::Report planted_report(std::string_view id) {
    model::Report report;
    report.devices = {sound_device(), sound_device()};
    for (const PlantedFinding& planted : planted_findings()) {
        if (planted.id == id) planted.plant(report.devices[1]);
    }
    return report;
}

}  // namespace

TEST_CASE("A program holds the two queries, the clause and the condition") {
    const auto found = probe::find_finding(planted_report("image-memory-type-bits-differ:color:optimal"),
                                           "image-memory-type-bits-differ:color:optimal");
    REQUIRE(found);
    const auto text = probe::reproducer(found->device, found->detailed);
    REQUIRE(text);
    CHECK(says(*text, "#include <vulkan/vulkan.h>"));
    CHECK(!says(*text, "heapwright"));
    CHECK(says(*text, "kVendorId = 0xfade"));
    CHECK(says(*text, "first_info.format = VK_FORMAT_R8G8B8A8_UNORM;"));
    CHECK(says(*text, "first_info.usage = 0x6;"));
    CHECK(says(*text, "second_info.format = VK_FORMAT_R8_UNORM;"));
    CHECK(says(*text, "second_info.extent = {16, 16, 1};"));
    CHECK(says(*text, "first.memoryTypeBits != second.memoryTypeBits"));
    CHECK(says(*text, "// Clause: VkMemoryRequirements: for images created with a color format"));
}

TEST_CASE("Every planted finding has a program") {
    for (const PlantedFinding& planted : planted_findings()) {
        const auto found = probe::find_finding(planted_report(planted.id), planted.id);
        INFO(planted.id);
        REQUIRE(found);
        CHECK(found->detailed.finding.id == planted.id);
        CHECK(probe::reproducer(found->device, found->detailed));
    }
}

TEST_CASE("A finding that is not there is refused with those that are") {
    const auto unknown = probe::find_finding(planted_report("memory-type-order"), "nonsense");
    REQUIRE(!unknown);
    CHECK(unknown.error().code == ErrorCode::kInvalidArgument);
    CHECK(says(unknown.error().message, "memory-type-order"));
    CHECK(probe::find_finding({}, "nonsense").error().code == ErrorCode::kInvalidArgument);

    model::Report crashed;
    crashed.devices = {sound_device()};
    crashed.devices[0].findings = {{.id = "driver-crash"}};
    CHECK(probe::find_finding(crashed, "driver-crash").error().code == ErrorCode::kNotSupported);
}

TEST_CASE("Direct3D 12 findings are said not to be reproducible") {
    const auto refused = probe::reproducer({.api = model::Api::kD3d12}, {});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
}

TEST_CASE("A driver's own words cannot leave the comment") {
    model::DeviceIdentity device = sound_device().identity;
    device.driver_info = "one\nint injected;\\";
    const auto text = probe::reproducer(device, {});
    REQUIRE(text);
    CHECK(!says(*text, "\nint injected"));
    CHECK(!says(*text, "\\\n//"));
}
