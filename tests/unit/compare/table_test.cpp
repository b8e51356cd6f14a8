#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "compare/matrix_table.hpp"

using namespace heapwright::compare;

namespace {

MatrixRow row(std::string driver, MatrixOutcome outcome) {
    MatrixRow result = row_of({.id = std::move(driver), .family = "f", .purpose = "shows a|b"});
    result.outcome = outcome;
    return result;
}

MatrixTable every_outcome() {
    MatrixRow reported = row("lavapipe-22.3.6", MatrixOutcome::kReported);
    reported.exit_code = 0;
    reported.elapsed_seconds = 12.34;
    reported.device_count = 2;
    MatrixRow failed = row("swiftshader", MatrixOutcome::kFailed);
    failed.exit_code = 3;
    failed.reason = "heapwright: no device";
    MatrixRow crashed = row("radv-navi10-22.3.6", MatrixOutcome::kCrashed);
    crashed.signal = "SIGSEGV (signal 11)";
    MatrixRow timed_out = row("anv-kbl-22.3.6", MatrixOutcome::kTimedOut);
    timed_out.reason = "it was ended at the time limit of 900 s";
    MatrixRow absent = row("vkd3d", MatrixOutcome::kAbsent);
    absent.reason = "no libvkd3d";
    MatrixRow not_started = row("wine", MatrixOutcome::kFailed);
    not_started.reason = "no wine64";
    return {.tool_version = "1.0",
            .rows = {reported, failed, crashed, timed_out, absent, not_started},
            .notes = {"comparison of versions: none"}};
}

}  // namespace

TEST_CASE("the verdict is of the drivers that are there") {
    const MatrixRow reported = row("a", MatrixOutcome::kReported);
    const MatrixRow absent = row("b", MatrixOutcome::kAbsent);
    CHECK(verdict_of({}) == MatrixVerdict::kNothingRan);
    CHECK(verdict_of({absent}) == MatrixVerdict::kNothingRan);
    CHECK(verdict_of({absent, reported}) == MatrixVerdict::kGood);
    for (const MatrixOutcome outcome : {MatrixOutcome::kFailed, MatrixOutcome::kCrashed, MatrixOutcome::kTimedOut}) {
        CHECK(verdict_of({reported, row("c", outcome), absent}) == MatrixVerdict::kFailed);
    }
    CHECK(failed_drivers(every_outcome().rows) ==
          std::vector<std::string>{"swiftshader", "radv-navi10-22.3.6", "anv-kbl-22.3.6", "wine"});
}

TEST_CASE("an absent driver's row has the list's reason") {
    const MatrixRow absent = row_of({.id = "vkd3d", .family = "vkd3d", .purpose = "", .absent = "no libvkd3d"});
    CHECK(absent.outcome == MatrixOutcome::kAbsent);
    CHECK(absent.reason == "no libvkd3d");
}

TEST_CASE("in JSON a row has what is known of it alone") {
    const auto json = nlohmann::json::parse(table_json(every_outcome()));
    CHECK(json.at("tool_version") == "1.0");
    REQUIRE(json.at("rows").size() == 6);
    const auto& rows = json.at("rows");
    CHECK(rows[0].at("outcome") == "reported");
    CHECK(rows[0].at("exit_code") == 0);
    CHECK(rows[0].at("device_count") == 2);
    CHECK(rows[0].at("elapsed_seconds") == 12.34);
    CHECK_FALSE(rows[0].contains("signal"));
    CHECK(rows[1].at("exit_code") == 3);
    CHECK(rows[2].at("outcome") == "crashed");
    CHECK(rows[2].at("signal") == "SIGSEGV (signal 11)");
    CHECK_FALSE(rows[2].contains("exit_code"));
    CHECK(rows[3].at("outcome") == "timed_out");
    CHECK(rows[4].at("outcome") == "absent");
    CHECK(json.at("notes").size() == 1);
}

TEST_CASE("in Markdown every row has every column, and no cell ends early") {
    CHECK(
        table_markdown(every_outcome()) ==
        "| driver | API | outcome | exit code | seconds | devices | reason | for |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| lavapipe-22.3.6 | vulkan | reported | 0 | 12.3 | 2 |  | shows a\\|b |\n"
        "| swiftshader | vulkan | failed | 3 | 0.0 |  | heapwright: no device | shows a\\|b |\n"
        "| radv-navi10-22.3.6 | vulkan | crashed | SIGSEGV (signal 11) | 0.0 |  |  | shows a\\|b |\n"
        "| anv-kbl-22.3.6 | vulkan | timed out |  | 0.0 |  | it was ended at the time limit of 900 s | shows a\\|b |\n"
        "| vkd3d | vulkan | absent |  |  |  | no libvkd3d | shows a\\|b |\n"
        "| wine | vulkan | failed |  | 0.0 |  | no wine64 | shows a\\|b |\n"
        "\n"
        "- comparison of versions: none\n");
}

TEST_CASE("skipped.txt has a line for all that gave no report, after other machines' lines") {
    const std::string lines = skipped_lines(every_outcome());
    CHECK(lines ==
          "swiftshader: failed with exit code 3: heapwright: no device\n"
          "radv-navi10-22.3.6: ended by SIGSEGV (signal 11)\n"
          "anv-kbl-22.3.6: it was ended at the time limit of 900 s\n"
          "vkd3d: no libvkd3d\n"
          "wine: failed: no wine64\n"
          "comparison of versions: none\n");
    CHECK(skipped_lines(every_outcome(), "radv: absent\n\nvkd3d: no libvkd3d") ==
          "radv: absent\nvkd3d: no libvkd3d\n"
          "swiftshader: failed with exit code 3: heapwright: no device\n"
          "radv-navi10-22.3.6: ended by SIGSEGV (signal 11)\n"
          "anv-kbl-22.3.6: it was ended at the time limit of 900 s\n"
          "wine: failed: no wine64\n"
          "comparison of versions: none\n");
    CHECK(skipped_lines({.tool_version = {}, .rows = {row("a", MatrixOutcome::kReported)}, .notes = {}}).empty());
}
