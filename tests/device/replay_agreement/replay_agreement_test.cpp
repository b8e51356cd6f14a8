// A replayed report is as strict as its device and no stricter: each preset's policy ends on both with the same verdict
// in every scenario. Times are the machine's own and so no part of it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"

using namespace heapwright;

namespace {

std::vector<std::string> presets() {
    const test::Output listed = test::run_program({"workload", "--list"});
    REQUIRE(listed.exit_code == 0);
    std::vector<std::string> names;
    std::istringstream lines(listed.out);
    for (std::string line; std::getline(lines, line);) names.push_back(line.substr(0, line.find(' ')));
    return names;
}

// By scenario; a replay's word for "validated" is another.
std::map<std::string, std::string> verdicts(const test::Output& output) {
    std::map<std::string, std::string> found;
    const auto document = nlohmann::json::parse(output.out, nullptr, false);
    if (document.is_discarded()) return found;
    for (const auto& scenario : document["devices"][0]["scenarios"]) {
        std::string verdict = scenario["verdict"];
        if (verdict.starts_with("replayed")) verdict.replace(0, std::string("replayed").size(), "validated");
        found[scenario["name"]] = verdict;
    }
    return found;
}

}  // namespace

TEST_CASE("every preset ends in replay as on the device") {
    const std::string icd =
        test::require_driver(GENERATE("HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS"));
    const auto folder = test::fresh_folder("replay-agreement");
    const std::string report = (folder / "report.json").string();
    const std::vector<std::string> names = presets();
    CHECK(names.size() >= 9);
    for (const std::string& preset : names) {
        INFO(icd << ", " << preset);
        // With the workload's own points, so that what the report does not know is no part of it.
        REQUIRE(test::run_program({"probe", "--no-timing", "--icd", icd, "-w", preset, "-o", report}).exit_code == 0);
        const std::string policy = (folder / (preset + ".json")).string();
        REQUIRE(test::run_program({"advise", report, "-w", preset, "-o", policy}).exit_code == 0);
        const std::vector<std::string> common{"validate",       policy,           "--quiet", "--allow-broken-promises",
                                              "--scale-to-fit", "--memory-limit", "1GiB"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), common.begin(), common.end());
            return test::run_program(more);
        };
        const test::Output device = with({"--icd", icd});
        const test::Output replay = with({"--replay", report});
        UNSCOPED_INFO("device: " << device.err << "\nreplay: " << replay.err);
        CHECK(device.exit_code == replay.exit_code);
        CHECK(verdicts(device) == verdicts(replay));
    }
    std::filesystem::remove_all(folder);
}
