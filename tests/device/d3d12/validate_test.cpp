// The whole of advise and validate on Direct3D 12.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "../validate/churn_workload.hpp"
#include "policy/advise.hpp"
#include "source.hpp"
#include "validate/validate.hpp"

using namespace heapwright;

TEST_CASE("an advised policy holds byte for byte on Direct3D 12", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::Workload workload = test::churn_workload();
    const model::DeviceReport report = test::read(*source, {.workload = &workload});
    const auto policy = policy::advise(report, workload);
    if (!policy) FAIL(to_string(policy.error()));
    auto device = source->open(0, {});
    if (!device) FAIL(to_string(device.error()));
    validate::ValidateOptions options;
    options.memory_limit_bytes = 2ull << 30;
    options.churn_steps = 500;
    const auto result = validate::validate(**device, *policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    const model::ScenarioResult& scenario = result->scenarios.front();
    INFO(scenario.reason);
    for (const model::ValidationFinding& finding : scenario.findings) {
        UNSCOPED_INFO(finding.resource << ": " << finding.statement);
    }
    CHECK(result->verdict == model::Verdict::kValidated);
    CHECK(scenario.counts.failures == 0);
    CHECK(scenario.counts.peak_images >= 2000);
    CHECK(scenario.counts.peak_buffers >= 5000);
    CHECK(scenario.counts.verified_resources >= 7000);
}
