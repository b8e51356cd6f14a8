// A driver that really crashes: RADV told by RADV_FORCE_FAMILY to play a GPU that is not there dies in the first
// question for an image's memory. This program is its own worker.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>

#include "isolate/driver_stages.hpp"
#include "isolate/worker.hpp"

using namespace heapwright;

namespace {

std::string icd_or_skip(const char* variable) {
    const char* icd = std::getenv(variable);
    if (icd == nullptr || *icd == '\0') SKIP(variable << " is not set");
    return icd;
}

std::size_t answered_cases(const model::ImageSweep& sweep) {
    return static_cast<std::size_t>(std::count_if(sweep.cases.begin(), sweep.cases.end(),
                                                  [](const auto& entry) { return entry.table.has_value(); }));
}

void check_crash_beside_a_good_driver(const std::string& bad, const std::string& good) {
    isolate::DeviceChoice choice;
    choice.icd_files = {bad, good};
    auto probed = isolate::probe_devices(choice, {.timing = false}, nullptr);
    if (!probed) FAIL(to_string(probed.error()));
    CHECK(probed->faults);
    model::Report* const report = &probed->report;
    // What reaches the same drivers through Direct3D 12 is another test's matter.
    std::erase_if(report->failures, [](const auto& entry) { return entry.api != model::Api::kVulkan; });
    std::erase_if(report->devices, [](const auto& entry) { return entry.identity.api != model::Api::kVulkan; });

    // It crashes at each image, so the stage is given up after three.
    REQUIRE(report->failures.size() >= 3);
    const model::ProbeFailure& failure = report->failures.front();
    INFO(failure.driver << ": " << failure.reason << " in " << failure.last_call);
    CHECK(failure.driver.find("NAVI10") != std::string::npos);
    CHECK(failure.code == SIGSEGV);
    CHECK(failure.reason.find("SIGSEGV (signal 11)") != std::string::npos);
    CHECK((failure.last_call.starts_with("vkCreateImage: ") ||
           failure.last_call.starts_with("vkGetDeviceImageMemoryRequirements: ")));

    // What the driver said before it crashed is kept, and marked.
    REQUIRE(report->devices.size() == 2);
    const model::DeviceReport& crashed = report->devices[0];
    CHECK(crashed.identity.name.find("NAVI10") != std::string::npos);
    CHECK_FALSE(crashed.limits.empty());  // "null hardware" has no heaps
    CHECK(answered_cases(crashed.image_sweep) == 0);
    CHECK(crashed.image_sweep.cases.front().not_supported.find("SIGSEGV") != std::string::npos);
    const auto finding = std::find_if(crashed.findings.begin(), crashed.findings.end(),
                                      [](const model::Finding& entry) { return entry.id == "driver-crash"; });
    REQUIRE(finding != crashed.findings.end());
    CHECK(finding->statement.find(failure.last_call) != std::string::npos);

    const model::DeviceReport& complete = report->devices[1];
    CHECK(complete.identity.name.find("llvmpipe") != std::string::npos);
    CHECK(answered_cases(complete.image_sweep) > 100);
    CHECK_FALSE(complete.buffer_sweep.tables.empty());
    CHECK_FALSE(complete.heaps.empty());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "worker") == 0) return isolate::run_worker() ? 0 : 1;
    setenv("RADV_FORCE_FAMILY", "navi10", 1);
    return Catch::Session().run(argc, argv);
}

TEST_CASE("a driver that crashes is named, and the good one beside it is complete") {
    check_crash_beside_a_good_driver(icd_or_skip("HEAPWRIGHT_ICD_RADV"), icd_or_skip("HEAPWRIGHT_ICD_LAVAPIPE"));
}

TEST_CASE("a newer driver that crashes is named, and the good one beside it is complete") {
    check_crash_beside_a_good_driver(icd_or_skip("HEAPWRIGHT_ICD_RADV_BACKPORTS"),
                                     icd_or_skip("HEAPWRIGHT_ICD_LAVAPIPE"));
}
