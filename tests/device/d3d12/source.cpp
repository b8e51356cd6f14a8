#include "source.hpp"

#include <cstdlib>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/capability_source.hpp"

namespace heapwright::test {

const char* manifest_of(const char* driver) {
    const char* icd = std::getenv(driver);
    if (icd == nullptr || *icd == '\0') SKIP(driver << " is not set");
    return icd;
}

std::unique_ptr<device::CapabilitySource> open_source(const char* driver) {
    auto source = d3d12::create_capability_source({.icd_files = {manifest_of(driver)}});
    if (!source) FAIL(to_string(source.error()));
    REQUIRE((*source)->adapters().size() == 1);
    return std::move(*source);
}

model::DeviceReport read(device::CapabilitySource& source, const device::ReadOptions& options) {
    auto report = source.read(0, options);
    if (!report) FAIL(to_string(report.error()));
    return std::move(*report);
}

}  // namespace heapwright::test
