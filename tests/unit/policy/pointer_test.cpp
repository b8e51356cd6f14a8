// The pointers that decisions cite lead somewhere in the documents as they are written.
#include <catch2/catch_test_macros.hpp>

#include <nlohmann/json.hpp>

#include "cited_inputs.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

TEST_CASE("every cited pointer stands in the written documents, numbers with the cited value") {
    model::Report report;
    report.devices = {test::radv_like_device()};
    report.devices[0].run.engines = test::measured_engines();
    report.devices[0].run.creations = test::measured_creations();
    const model::Workload workload = test::small_workload();
    const auto policy = policy::advise(report, workload);
    REQUIRE(policy);
    REQUIRE(policy->header.sources.size() == 2);
    REQUIRE(policy->devices.at(0).engines);
    REQUIRE(policy->devices.at(0).creations);

    const auto report_json = nlohmann::json::parse(model::write(report));
    const auto workload_json = nlohmann::json::parse(model::write(workload));
    std::size_t numbers = 0;
    for (const test::NamedDecision& decision : test::all_decisions(policy->devices.at(0))) {
        for (const model::DecisionInput& input : decision.why.inputs) {
            INFO(decision.name << " cites " << input.path << " = " << test::exact(input.value));
            const auto& document = input.document == model::DocumentKind::kReport ? report_json : workload_json;
            const nlohmann::json::json_pointer pointer(input.path);
            REQUIRE(document.contains(pointer));
            if (document.at(pointer).is_number_unsigned()) {
                CHECK(document.at(pointer).dump() == test::exact(input.value));
                ++numbers;
            }
        }
    }
    CHECK(numbers > 20);
}

TEST_CASE("devices are advised in the order in which they were selected") {
    model::Report report;
    report.devices = {test::radv_like_device(), test::radv_like_device()};
    report.devices[1].identity.name = "second";
    const std::vector<std::size_t> second_first{1, 0};
    const auto policy = policy::advise(report, test::small_workload(), second_first);
    REQUIRE(policy);
    REQUIRE(policy->devices.size() == 2);
    CHECK(policy->devices[0].identity.name == "second");
    CHECK(policy->devices[0].max_chunks.why.inputs.at(0).path.starts_with("/devices/1/"));

    const std::vector<std::size_t> beyond{2};
    const auto missing = policy::advise(report, test::small_workload(), beyond);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kOutOfRange);
    CHECK(policy::advise(model::Report{}, test::small_workload()).error().code == ErrorCode::kNoDevice);
}
