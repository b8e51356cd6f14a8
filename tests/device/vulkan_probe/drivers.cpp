#include "drivers.hpp"

#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

#include "vulkan/capability_source.hpp"

namespace probe_test {

std::string icd_or_skip(const Driver& driver) {
    const char* icd = std::getenv(driver.variable);
    if (icd == nullptr || *icd == '\0') SKIP(driver.name << ": " << driver.variable << " is not set");
    return icd;
}

std::unique_ptr<heapwright::device::CapabilitySource> open_source(const std::string& icd) {
    auto source = heapwright::vulkan::create_capability_source({.icd_files = {icd}});
    if (!source) FAIL(heapwright::to_string(source.error()));
    REQUIRE(!(*source)->adapters().empty());
    return std::move(*source);
}

heapwright::model::DeviceReport read(heapwright::device::CapabilitySource& source,
                                     const heapwright::device::ReadOptions& options) {
    auto report = source.read(0, options);
    if (!report) FAIL(heapwright::to_string(report.error()));
    return std::move(*report);
}

}  // namespace probe_test
