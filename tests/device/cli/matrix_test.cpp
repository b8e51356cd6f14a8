// heapwright matrix on drivers that are shells, which end in every way that a driver can, and on lavapipe.
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

namespace matrix_test {

using namespace heapwright;
using namespace heapwright::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kReports = test::source_path("reports/");

// A driver whose process is this script; its arguments are those of the probe.
Json scripted(const std::string& id, const std::string& script) {
    return {{"id", id},
            {"family", id.substr(0, id.find('-'))},
            {"command", {"/bin/sh", "-c", script, "sh"}},
            {"purpose", "a test"}};
}

std::string prints(const std::string& report) {
    return "cat '" + kReports + report + "'";
}

class Matrix {
public:
    explicit Matrix(const std::string& name) : folder_(fresh_folder(name)) {}
    ~Matrix() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;

    Output run(const std::vector<Json>& drivers, const std::vector<std::string>& further = {}) const {
        REQUIRE(write_file_atomically(folder_ / "drivers.json", Json{{"drivers", drivers}}.dump()));
        std::vector<std::string> arguments{"matrix", "--drivers", (folder_ / "drivers.json").string()};
        arguments.insert(arguments.end(), further.begin(), further.end());
        arguments.push_back(out().string());
        return run_program(arguments);
    }

    [[nodiscard]] fs::path out() const { return folder_ / "out"; }
    [[nodiscard]] bool has(const std::string& name) const { return fs::exists(out() / name); }
    [[nodiscard]] std::string text(const std::string& name) const { return read_file(out() / name).value(); }
    [[nodiscard]] Json rows() const { return Json::parse(text("matrix.json")).at("rows"); }

private:
    fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a driver that fails, crashes, hangs, is none or is absent is a row, and the others are compared") {
    const Matrix matrix("matrix-ends");
    const Output output = matrix.run(
        {scripted("radv-navi10-22.3.6", prints("radv-navi10-mesa-22.3.6.json")),
         scripted("failing", "echo first >&2; echo 'no device at all' >&2; exit 3"),
         scripted("crashing", "kill -SEGV $$"),
         scripted("hanging", "echo loading >&2; sleep 300"),
         scripted("silent", "exit 0"),
         scripted("babbling", "echo '{\"no\": \"report\"}'"),
         {{"id", "uncalled"}, {"family", "uncalled"}, {"command", Json::array({"/nowhere/program"})}, {"purpose", ""}},
         {{"id", "uninstalled"}, {"family", "uninstalled"}, {"icd", "/nowhere/icd.json"}, {"purpose", ""}},
         {{"id", "listed-absent"}, {"family", "listed"}, {"absent", "no such library"}, {"purpose", ""}},
         scripted("radv-navi10-25.0.7", prints("radv-navi10-mesa-25.0.7.json"))},
        {"--time-limit", "5"});
    INFO(output.err);
    CHECK(output.exit_code == 1);
    CHECK(output.out.empty());

    const Json rows = matrix.rows();
    REQUIRE(rows.size() == 10);
    const auto is = [&](std::size_t row, const std::string& outcome, const std::string& reason) {
        INFO(rows[row].dump());
        CHECK(rows[row].at("outcome") == outcome);
        CHECK(contains(rows[row].at("reason").get<std::string>(), reason));
    };
    is(0, "reported", "");
    CHECK(rows[0].at("exit_code") == 0);
    CHECK(rows[0].at("device_count") == 1);
    is(1, "failed", "no device at all");
    CHECK(rows[1].at("exit_code") == 3);
    is(2, "crashed", "");
    CHECK(rows[2].at("signal") == "SIGSEGV (signal 11)");
    is(3, "timed_out", "time limit of 5 s: loading");
    is(4, "failed", "no report");
    is(5, "failed", "no report that can be read");
    is(6, "failed", "/nowhere/program");
    is(7, "absent", "/nowhere/icd.json");
    is(8, "absent", "no such library");
    is(9, "reported", "");

    CHECK(matrix.text("reports/radv-navi10-22.3.6.json") ==
          read_file(kReports + "radv-navi10-mesa-22.3.6.json").value());
    CHECK_FALSE(matrix.has("reports/failing.json"));
    CHECK(contains(matrix.text("reports/failing.log"), "first\nno device at all"));
    CHECK_FALSE(matrix.has("reports/silent.log"));
    const std::string skipped = matrix.text("skipped.txt");
    CHECK(contains(skipped, "failing: failed with exit code 3: no device at all\n"));
    CHECK(contains(skipped, "crashing: ended by SIGSEGV (signal 11)\n"));
    CHECK(contains(skipped, "listed-absent: no such library\n"));
    CHECK_FALSE(contains(skipped, "radv"));
    CHECK(contains(matrix.text("matrix.md"), "| hanging | vulkan | timed out |"));
    // Both versions gave a report, so they are compared, as whoever stands in the folder names them.
    const Json comparison = Json::parse(matrix.text("comparison.json"));
    REQUIRE(comparison.at("documents").size() == 1);
    CHECK(contains(matrix.text("comparison.json"), "\"reports/radv-navi10-22.3.6.json\""));
    for (const char* form : {"comparison.txt", "comparison.md", "comparison.xml", "step-summary.md"}) {
        CHECK(matrix.has(form));
    }
    CHECK(contains(output.err, "no report of failing, crashing, hanging, silent, babbling, uncalled"));
}

TEST_CASE("a driver's process gets the probe's arguments and its own environment") {
    const Matrix matrix("matrix-environment");
    Json driver = scripted("played", "echo \"$@|$VK_DRIVER_FILES|$VK_ICD_FILENAMES|$PLAYED|${HOME-gone}\" >&2; exit 1");
    driver.update({{"api", "d3d12"},
                   {"icd", "/dev/null"},
                   {"timing", false},
                   {"environment", Json::parse(R"([{"name": "PLAYED", "value": "navi10"}, {"name": "HOME"}])")}});
    CHECK(matrix.run({driver}).exit_code == 3);
    CHECK(matrix.rows()[0].at("reason") == "probe -q --api d3d12 --no-timing|/dev/null|/dev/null|navi10|gone");
}

TEST_CASE("nothing ran where no driver is there, and where none gave a report") {
    const Matrix matrix("matrix-nothing");
    const Json absent{{"id", "a"}, {"family", "a"}, {"absent", "not here"}, {"purpose", ""}};
    CHECK(matrix.run({}).exit_code == 3);
    CHECK(matrix.run({absent}).exit_code == 3);
    CHECK(matrix.text("skipped.txt") == "a: not here\n");
    const Output output = matrix.run({absent, scripted("failing", "exit 1")});
    CHECK(output.exit_code == 3);
    CHECK(contains(output.err, "no driver gave a report"));
    CHECK(matrix.rows().size() == 2);
}

TEST_CASE("a report of an earlier matrix is not taken for this one's") {
    const Matrix matrix("matrix-earlier");
    const std::string report = prints("radv-navi10-mesa-22.3.6.json");
    CHECK(matrix.run({scripted("a-1", report), scripted("a-2", report), scripted("b", report)}).exit_code == 0);
    CHECK(matrix.has("comparison.json"));
    CHECK(matrix.run({scripted("a-1", "exit 1"), scripted("b", report)}, {"--only", "a", "--only", "b"}).exit_code ==
          1);
    CHECK_FALSE(matrix.has("reports/a-1.json"));
    CHECK(matrix.has("reports/a-1.json.previous"));
    // Only one version is left to compare.
    CHECK_FALSE(matrix.has("comparison.json"));
    CHECK(contains(matrix.text("skipped.txt"), "comparison of versions: no driver is there in two versions"));
}

TEST_CASE("a baseline decides the exit code, and what only one side has is told") {
    const Matrix matrix("matrix-baseline");
    const std::string old_report = prints("radv-navi10-mesa-22.3.6.json");
    const std::string new_report = prints("anv-kbl-mesa-22.3.6.json");
    REQUIRE(matrix.run({scripted("a", old_report), scripted("gone", old_report)}).exit_code == 0);
    const fs::path baseline = matrix.out().parent_path() / "baseline";
    fs::copy(matrix.out() / "reports", baseline, fs::copy_options::recursive);
    const std::vector<std::string> against{"--baseline", baseline.string()};
    CHECK(matrix.run({scripted("a", old_report)}, against).exit_code == 0);
    CHECK(matrix.has("comparison-with-baseline.xml"));
    fs::remove(matrix.out() / "reports/gone.json");

    const Output changed = matrix.run({scripted("a", new_report), scripted("new", old_report)}, against);
    INFO(changed.err);
    CHECK(changed.exit_code == 1);
    CHECK(contains(changed.err, "something regressed"));
    CHECK(contains(matrix.text("skipped.txt"), "comparison with the baseline: it has no new.json\n"));
    CHECK(contains(matrix.text("skipped.txt"), "comparison with the baseline: only it has gone.json\n"));

    // What is in the folder already is compared without the drivers.
    const std::string skipped = "elsewhere: no such driver\n";
    REQUIRE(write_file_atomically(matrix.out() / "skipped.txt", skipped));
    const Output again =
        run_program({"matrix", "--compare-only", "--baseline", baseline.string(), matrix.out().string()});
    CHECK(again.exit_code == 1);
    CHECK(matrix.text("skipped.txt").starts_with(skipped));
    CHECK(contains(matrix.text("skipped.txt"), "only it has gone.json\n"));
}

TEST_CASE("wrong usage and a broken list or report are refused by name") {
    const Matrix matrix("matrix-usage");
    const auto refused = [](const Output& output, const std::string& part) {
        INFO(output.err);
        CHECK(output.exit_code == 2);
        CHECK(contains(output.err, part));
    };
    const Json driver = scripted("a", "exit 0");
    refused(run_program({"matrix", matrix.out().string()}), "--drivers");
    refused(run_program({"matrix", "--drivers", "/nowhere/list.json", matrix.out().string()}), "/nowhere/list.json");
    refused(matrix.run({driver, driver}), "two drivers have the id 'a'");
    refused(matrix.run({driver}, {"--only", "nope"}), "'nope'");
    refused(matrix.run({driver}, {"--time-limit", "0"}), "--time-limit");
    refused(matrix.run({driver}, {"--baseline", "/nowhere"}), "/nowhere");
    refused(matrix.run({driver}, {"--strict"}), "--baseline");
    REQUIRE(write_file_atomically(matrix.out() / "reports/a-1.json", "{"));
    REQUIRE(write_file_atomically(matrix.out() / "reports/a-2.json", "{"));
    refused(run_program({"matrix", "--compare-only", matrix.out().string()}), "reports/a-1.json");
}

TEST_CASE("an interrupted matrix leaves the rows that it has, and no process") {
    const Matrix matrix("matrix-interrupted");
    const fs::path list = matrix.out().parent_path() / "drivers.json";
    const Json drivers{scripted("first", "exit 1"), scripted("hanging", "exec sleep 300")};
    REQUIRE(write_file_atomically(list, Json{{"drivers", drivers}}.dump()));
    const Output output =
        interrupt_program({"matrix", "--drivers", list.string(), matrix.out().string()}, SIGINT, 1500);
    INFO(output.err);
    CHECK(output.exit_code == 4);
    REQUIRE(matrix.rows().size() == 1);
    CHECK(matrix.rows()[0].at("driver") == "first");
}

TEST_CASE("lavapipe is probed as probe does it") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const Matrix matrix("matrix-lavapipe");
    const Output output = matrix.run(
        {{{"id", "lavapipe"}, {"family", "lavapipe"}, {"icd", icd}, {"timing", false}, {"purpose", "runs work"}}});
    INFO(output.err);
    REQUIRE(output.exit_code == 0);
    const Output probed = run_program({"probe", "-q", "--api", "vulkan", "--icd", icd, "--no-timing"});
    const auto report = model::read_report(matrix.text("reports/lavapipe.json"), "lavapipe");
    const auto direct = model::read_report(probed.out, "probe");
    REQUIRE(report);
    REQUIRE(direct);
    CHECK(model::without_volatile(*report) == model::without_volatile(*direct));
    CHECK(matrix.rows()[0].at("device_count") == 1);
    CHECK(contains(output.err, "1 report in "));
}

TEST_CASE("a driver that hangs in the worker is ended with it, and the next one has its turn") {
    const Matrix matrix("matrix-hanging");
    const fs::path icd = matrix.out().parent_path() / "hanging.json";
    const Json manifest{
        {"file_format_version", "1.0.0"},
        {"ICD",
         {{"library_path", test::build_path("tests/device/cli/libhanging_driver.so")}, {"api_version", "1.3.0"}}}};
    REQUIRE(write_file_atomically(icd, manifest.dump()));
    const Output output = matrix.run({{{"id", "hanging"}, {"family", "a"}, {"icd", icd.string()}, {"purpose", ""}},
                                      scripted("next", prints("radv-navi10-mesa-22.3.6.json"))},
                                     {"--time-limit", "2"});
    INFO(output.err);
    CHECK(output.exit_code == 1);
    CHECK(matrix.rows()[0].at("outcome") == "timed_out");
    CHECK(matrix.rows()[1].at("outcome") == "reported");
}

}  // namespace matrix_test
