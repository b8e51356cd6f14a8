#include <catch2/catch_test_macros.hpp>

#include "probe/run_sweep.hpp"

using namespace heapwright;

TEST_CASE("Failed questions are one warning that names the first of them, and none is no warning") {
    probe::FailedQuestions failed;
    std::vector<model::Finding> findings;
    failed.tell("image-sweep-not-measured", "nothing is known", "/image_sweep", findings);
    CHECK(findings.empty());
    failed.add("vkGetPhysicalDeviceImageFormatProperties: VK_ERROR_OUT_OF_HOST_MEMORY");
    failed.add("vkGetPhysicalDeviceImageFormatProperties: VK_ERROR_DEVICE_LOST");
    CHECK(failed.count() == 2);
    failed.tell("image-sweep-not-measured", "nothing is known", "/image_sweep", findings);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].id == "image-sweep-not-measured");
    CHECK(findings[0].severity == model::FindingSeverity::kWarning);
    CHECK(findings[0].statement ==
          "vkGetPhysicalDeviceImageFormatProperties: VK_ERROR_OUT_OF_HOST_MEMORY; nothing is known");
    CHECK(findings[0].evidence == std::vector<std::string>{"/image_sweep"});
}
