// advise asks once for the probe that its workload needs, by the name that the user gave, and is content afterwards.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

constexpr std::string_view kCommand = "heapwright probe --workload ";

std::size_t requests(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(kCommand); at != std::string_view::npos; at = text.find(kCommand, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("advise names the command that adds the points it lacks") {
    const auto folder = fresh_folder("missing-points");
    const std::string report = test::source_path("reports/nvidia-h100-580.159.04-vulkan.json");
    const std::string policy = (folder / "policy.json").string();
    const Output asked = run_program({"advise", report, "-w", "2d-ui", "-o", policy});
    REQUIRE(asked.exit_code == 0);
    CHECK(requests(asked.err) == 1);
    CHECK(asked.err.find("--workload 2d-ui --output report.json") != std::string::npos);
    CHECK(requests(read_file(policy).value()) == 2);  // the claim's text and its figure

    const Output quiet = run_program({"advise", report, "-w", "2d-ui", "-q", "-o", policy});
    REQUIRE(quiet.exit_code == 0);
    CHECK(quiet.err.empty());
    CHECK(requests(read_file(policy).value()) == 2);

    // A file is named by its path, not by the name in it.
    const auto file = folder / "my-ui.json";
    REQUIRE(write_file_atomically(file, read_file(test::source_path("policies/presets/2d-ui.json")).value()));
    const Output by_file = run_program({"advise", report, "-w", file.string(), "-o", policy});
    REQUIRE(by_file.exit_code == 0);
    CHECK(by_file.err.find("--workload " + file.string() + " --output") != std::string::npos);
    CHECK(read_file(policy).value().find(file.string()) != std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a probe with the workload leaves nothing to ask for") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = fresh_folder("probed-points");
    const std::string report = (folder / "report.json").string();
    REQUIRE(
        run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing", "-w", "2d-ui", "-o", report}).exit_code ==
        0);
    const Output content = run_program({"advise", report, "-w", "2d-ui", "-o", (folder / "policy.json").string()});
    REQUIRE(content.exit_code == 0);
    CHECK(requests(content.err) == 0);
    CHECK(requests(read_file(folder / "policy.json").value()) == 0);
    std::filesystem::remove_all(folder);
}
