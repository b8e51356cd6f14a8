// What a device keeps whose probe or validation is cut short, and how its failures are told.
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "isolate/failed_parts.hpp"
#include "validate/validate.hpp"

using namespace heapwright;
using namespace heapwright::isolate;

namespace {

model::DeviceValidation with_scenario(model::Verdict verdict, std::string reason) {
    model::DeviceValidation done;
    done.verdict = verdict;
    done.scenarios.push_back({.name = std::string(validate::scenario_names().front()),
                              .seed = 7,
                              .verdict = verdict,
                              .reason = std::move(reason)});
    return done;
}

Error driver_error(const std::string& where) {
    return {.code = ErrorCode::kOutOfHostMemory, .message = "VK_ERROR_OUT_OF_HOST_MEMORY", .where = where};
}

}  // namespace

TEST_CASE("A crash after good scenarios leaves a validation open, with the scenario that was under way") {
    const std::string step(validate::scenario_names().back());
    const auto left = left_with(with_scenario(model::Verdict::kValidated, ""), step, "the driver crashed");
    CHECK(left.verdict == model::Verdict::kInconclusive);
    CHECK(left.reason == step + ": the driver crashed");
    REQUIRE(left.scenarios.size() == 2);
    CHECK(left.scenarios[1].name == step);
    CHECK(left.scenarios[1].seed == 7);
    CHECK(left.scenarios[1].verdict == model::Verdict::kInconclusive);
    CHECK(left.scenarios[1].reason == "the driver crashed");
}

TEST_CASE("A crash excuses no scenario that failed before it") {
    const auto left = left_with(with_scenario(model::Verdict::kFailed, "a byte differs"),
                                std::string(validate::scenario_names().back()), "the driver crashed");
    CHECK(left.verdict == model::Verdict::kFailed);
    CHECK(left.reason.starts_with(std::string(validate::scenario_names().front()) + ": a byte differs; "));
    CHECK(left.reason.ends_with("the driver crashed"));
    CHECK(left.scenarios.size() == 2);
}

TEST_CASE("A crash outside of any scenario makes none") {
    for (const std::string step : {"", "baselines"}) {
        const auto left = left_with(with_scenario(model::Verdict::kValidated, ""), step, "the driver crashed");
        CHECK(left.verdict == model::Verdict::kInconclusive);
        CHECK(left.scenarios.size() == 1);
    }
}

TEST_CASE("Failed parts are told once each, eight of them in words and the rest by their number") {
    model::DeviceReport report;
    const probe::FailureFunction first = note_failures(model::kCostNotMeasured, report);
    const probe::FailureFunction copy = first;
    const auto fail_part = [&](int part) {
        const std::string name = "part " + std::to_string(part);
        (part % 2 == 0 ? first : copy)(name, driver_error("vkAllocateMemory"));
    };
    for (const int repeated : {0, 0, 1}) fail_part(repeated);
    CHECK(report.findings.size() == 2);
    for (int part = 2; part < 8; ++part) fail_part(part);
    REQUIRE(report.findings.size() == 8);
    CHECK(report.findings.back().statement.starts_with("part 7: vkAllocateMemory"));
    fail_part(8);
    REQUIRE(report.findings.size() == 9);
    CHECK(report.findings.back().statement == "1 part failed besides");
    // A finding of another kind in between stays as it is.
    REQUIRE(note_failure(driver_error("vkCreateDevice"), model::kEnginesNotMeasured, report));
    for (int part = 9; part < 12; ++part) fail_part(part);
    REQUIRE(report.findings.size() == 10);
    CHECK(report.findings[8].statement == "4 parts failed besides");
    for (const model::Finding& finding : report.findings) CHECK(finding.severity == model::FindingSeverity::kWarning);
}

TEST_CASE("An interruption is no finding") {
    model::DeviceReport report;
    CHECK_FALSE(note_failure({.code = ErrorCode::kInterrupted}, model::kCostNotMeasured, report));
    CHECK(report.findings.empty());
}
