// The engines' measurements through the program: in a worker of its own, within the limits, and into a policy.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

model::Report probed(const std::filesystem::path& file, const std::string& icd, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"probe", "--api", "vulkan", "--icd", icd, "-q", "-o", file.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = run_program(arguments);
    INFO(output.err);
    REQUIRE(output.exit_code == 0);
    const auto text = read_file(file);
    REQUIRE(text);
    auto report = model::read_report(*text, file.string());
    if (!report) FAIL(to_string(report.error()));
    return std::move(*report);
}

}  // namespace

TEST_CASE("a probe measures the engines, and the policy made from it spreads the work over them") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const auto folder = fresh_folder("engines");
    const auto file = folder / "report.json";
    const model::Report report = probed(file, icd, {});
    REQUIRE(report.devices.at(0).run.engines);
    const model::EngineMeasurements& measured = *report.devices[0].run.engines;
    CHECK(!measured.copies.empty());
    CHECK(!measured.signal_latencies.empty());

    const Output advised = run_program({"advise", file.string()});
    REQUIRE(advised.exit_code == 0);
    const auto policy = model::read_policy(advised.out, "policy");
    REQUIRE(policy);
    REQUIRE(policy->devices.at(0).engines);
    CHECK(policy->devices[0].engines->assignments.size() == 7);
    const auto policy_file = folder / "policy.json";
    REQUIRE(write_file_atomically(policy_file, advised.out));
    const Output explained = run_program({"explain", "--all", policy_file.string()});
    CHECK(explained.out.find("assignment draws: engine: graphics") != std::string::npos);
    CHECK(explained.out.find("async copy: false") != std::string::npos);
    const std::string text = run_program({"probe", "--api", "vulkan", "--icd", icd, "-v", "--text"}).out;
    for (const char* part : {"engine graphics: graphics", "uploads on graphics: ", "engine times: "}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("a probe without timing measures no engines, and one without memory says why it does not") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const auto folder = fresh_folder("engines-limits");
    CHECK(!probed(folder / "untimed.json", icd, {"--no-timing"}).devices.at(0).run.engines);
    const model::DeviceReport small = probed(folder / "small.json", icd, {"--memory-limit", "1MiB"}).devices.at(0);
    CHECK(!small.run.engines);
    CHECK(std::ranges::any_of(small.findings, [](const model::Finding& finding) {
        return finding.id == "engines-not-measured" && finding.severity == model::FindingSeverity::kNote &&
               finding.statement.find("memory limit") != std::string::npos;
    }));
}
