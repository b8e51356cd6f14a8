// Advice for many devices in one run: known GPUs, files and folders, the table, the policies that are kept.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/path.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using test::Output;

namespace advise_many_test {
namespace {

namespace fs = std::filesystem;

nlohmann::json listed_gpus() {
    const Output listed = test::run_program({"devices", "--known", "--json"});
    REQUIRE(listed.exit_code == 0);
    return nlohmann::json::parse(listed.out)["known_devices"];
}

std::vector<std::string> advise(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "advise");
    arguments.insert(arguments.end(), {"-w", "2d-ui"});
    return arguments;
}

model::Policy policy_in(const fs::path& file) {
    auto policy = model::read_policy(read_file(file).value(), path_text(file));
    REQUIRE(policy);
    return std::move(*policy);
}

// Two reports of one device each, as `import` leaves them, and the index that it leaves beside them.
fs::path two_reports(const std::string& name) {
    fs::path folder = test::fresh_folder(name) / "reports";
    const std::string inputs = test::source_path("tests/golden/import/input/");
    const Output run = test::run_program({"import", inputs + "nvidia-rtx4090-win.38870.json",
                                          inputs + "arm-mali-g715.38609.json", "-o", path_text(folder)});
    REQUIRE(run.exit_code == 0);
    return folder;
}

}  // namespace

TEST_CASE("every known GPU is advised by its name alone, and the table has a line for each") {
    std::vector<std::string> arguments;
    std::set<std::string> gpus;
    for (const auto& device : listed_gpus()) {
        if (!gpus.insert(device["gpu"]).second) continue;
        arguments.insert(arguments.end(), {"--gpu", device["gpu"]});
    }
    std::vector<std::string> as_json = arguments;
    as_json.emplace_back("--json");
    const Output json = test::run_program(advise(as_json));
    REQUIRE(json.exit_code == 0);
    const auto devices = nlohmann::json::parse(json.out)["devices"];
    REQUIRE(devices.size() == gpus.size());
    arguments.emplace_back("--text");
    const Output text = test::run_program(advise(arguments));
    REQUIRE(text.exit_code == 0);
    std::size_t at = 0;
    for (const auto& device : devices) {
        const std::string name = device["device"];
        INFO(name);
        CHECK(name.starts_with(arguments[2 * at++ + 1]));  // in the order that was asked for
        CHECK(device["source"].get<std::string>().starts_with("known:"));
        CHECK(device["most_chunk_bytes"] >= device["least_chunk_bytes"]);
        CHECK(device["fits"] == true);
        CHECK(device.contains("worst_frame_ns") == device["assumed"].empty());
        CHECK(text.out.find("  " + name.substr(0, 20)) != std::string::npos);
    }
}

TEST_CASE("policies of known GPUs are those of their reports, kept where a folder is named") {
    const fs::path folder = test::fresh_folder("advise-known") / "policies";
    const Output run = test::run_program(
        advise({"--gpu", "RTX 4090 vulkan", "--gpu", "mali g715", "-o", path_text(folder), "--text"}));
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("NVIDIA GeForce RTX 4090 (Windows)") != std::string::npos);
    const fs::path reports = two_reports("advise-known-reports");
    const fs::path again = test::fresh_folder("advise-known-again") / "policies";
    CHECK(test::run_program(advise({path_text(reports), "-o", path_text(again), "-q"})).exit_code == 0);
    for (const auto& [known, file] : {std::pair("nvidia-rtx-4090-windows", "nvidia-rtx4090-win.38870"),
                                      std::pair("arm-mali-g715", "arm-mali-g715.38609")}) {
        INFO(known);
        model::Policy one = policy_in(folder / (std::string(known) + ".policy.json"));
        model::Policy other = policy_in(again / (std::string(file) + ".policy.json"));
        CHECK(model::write(one) == model::write(other));
    }
}

TEST_CASE("many reports give a table with and without a folder, bad ones are named and left out") {
    const fs::path reports = two_reports("advise-folder");
    const Output table = test::run_program(advise({path_text(reports), "--gpu", "Apple M1", "--json"}));
    CHECK(table.exit_code == 0);
    const auto devices = nlohmann::json::parse(table.out)["devices"];
    REQUIRE(devices.size() == 3);
    CHECK(devices[0]["device"] == "Apple M1 (MoltenVK, macOS)");

    REQUIRE(write_file_atomically(reports / "broken.json", "{\"devices\": [3"));
    REQUIRE(write_file_atomically(reports / "of-another-tool.json", "{\"devices\": 3}"));
    const Output some = test::run_program(advise({path_text(reports), "--json"}));
    CHECK(some.exit_code == 5);
    CHECK(nlohmann::json::parse(some.out)["devices"].size() == 2);
    CHECK(some.err.find("broken.json") != std::string::npos);
    const fs::path folder = test::fresh_folder("advise-folder-kept") / "policies";
    const Output kept = test::run_program(advise({path_text(reports), "-o", path_text(folder), "--text"}));
    CHECK(kept.exit_code == 5);
    CHECK(kept.out.find("advised 2 files") != std::string::npos);
    CHECK(kept.out.find("2d-ui on 2 devices") != std::string::npos);
    const Output again = test::run_program(advise({path_text(reports), "-o", path_text(folder), "--text"}));
    CHECK(again.out.find("2 there already") != std::string::npos);
    CHECK(again.out.find("2d-ui on 2 devices") != std::string::npos);
    const Output other =
        test::run_program({"advise", path_text(reports), "-o", path_text(folder), "--text", "-w", "desktop-app"});
    CHECK(other.out.find("advised 2 files") != std::string::npos);  // of another workload: made anew

    const std::string broken = path_text(reports / "broken.json");
    const Output none = test::run_program(advise({broken, broken, "--json"}));
    CHECK(none.exit_code == 2);
}

TEST_CASE("a GPU that is unknown or may be several ends the run with what it may be") {
    const Output unknown = test::run_program(advise({"--gpu", "GeForce RTX 4091"}));
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.err.find("the nearest is \"GeForce RTX 4090\"") != std::string::npos);
    const Output several = test::run_program(advise({"--gpu", "radeon"}));
    CHECK(several.exit_code == 2);
    CHECK(several.err.find("AMD Radeon RX 580") != std::string::npos);
    CHECK(test::run_program({"advise"}).exit_code == 2);
}

TEST_CASE("one known GPU alone is as its report") {
    const Output policy = test::run_program(advise({"--gpu", "steam deck"}));
    REQUIRE(policy.exit_code == 0);
    const auto read = model::read_policy(policy.out, "policy");
    REQUIRE(read);
    CHECK(read->devices.front().identity.name == "AMD Custom GPU 0405 (RADV VANGOGH)");
    CHECK(policy.err.find("those of one machine") != std::string::npos);
    CHECK(policy.err.find("is taken as") == std::string::npos);
    const Output part = test::run_program(advise({"--gpu", "mali"}));
    CHECK(part.err.find("is taken as Arm Mali-G715 (Android)") != std::string::npos);
}

TEST_CASE("a known GPU and a report of its file's name both keep their policies, and a GPU named twice is one") {
    const fs::path folder = test::fresh_folder("advise-same-name");
    const fs::path report = two_reports("advise-same-name-reports") / "arm-mali-g715.38609.report.json";
    const std::string same = path_text(folder / "amd-steam-deck-radv.json");
    fs::copy_file(report, same);
    const fs::path out = folder / "out";
    const Output run =
        test::run_program(advise({"--gpu", "steam deck", "--gpu", "Steam Deck", same, "-o", path_text(out), "-q"}));
    CHECK(run.exit_code == 0);
    std::size_t policies = 0;
    for (const auto& entry : fs::directory_iterator(out))
        policies += path_text(entry.path()).ends_with(".policy.json") ? 1u : 0u;
    CHECK(policies == 2);
    CHECK(policy_in(out / "amd-steam-deck-radv.policy.json").devices.front().identity.name ==
          "AMD Custom GPU 0405 (RADV VANGOGH)");
    const Output index = test::run_program(advise({"--gpu", "M1", "--gpu", "mali", "-o", path_text(out), "--json"}));
    CHECK(nlohmann::json::parse(index.out)["inputs"].size() == 2);
}

TEST_CASE("a device that a batch leaves out is named, listed and makes exit code 5, now and again") {
    const fs::path reports = two_reports("advise-left-out");
    const fs::path file = reports / "arm-mali-g715.38609.report.json";
    auto report = model::read_report(read_file(file).value(), "report");
    REQUIRE(report);
    report->devices.push_back(report->devices.front());
    report->devices.back().identity.name = "no memory";
    report->devices.back().heaps.clear();
    report->devices.back().memory_types.clear();
    REQUIRE(write_file_atomically(file, model::write(*report)));
    const fs::path out = test::fresh_folder("advise-left-out-kept") / "out";
    for (int time = 0; time < 2; ++time) {
        const Output run = test::run_program(advise({path_text(reports), "-o", path_text(out), "--text"}));
        CHECK(run.exit_code == 5);
        CHECK(run.err.find("left out: no memory") != std::string::npos);
        CHECK(read_file(out / "batch.json").value().find("no memory") != std::string::npos);
    }
    CHECK(test::run_program(advise({path_text(reports), "--json"})).exit_code == 5);
}

TEST_CASE("rows of one name say which report each is of, and standard input is one of many") {
    const fs::path reports = two_reports("advise-rows");
    const fs::path file = reports / "arm-mali-g715.38609.report.json";
    fs::copy_file(file, reports / "other.json");
    const Output table = test::run_program(advise({path_text(reports), "--text"}));
    CHECK(table.out.find("Mali-G715 [") != std::string::npos);
    const Output both = test::run_program(advise({"-", "--gpu", "M1", "--json"}), {}, path_text(file));
    CHECK(both.exit_code == 0);
    CHECK(nlohmann::json::parse(both.out)["devices"].size() == 2);
}

TEST_CASE("a workload that does not fit one of many says so first, and fails where that is asked") {
    const std::vector<std::string> arguments{"advise",     "--gpu", "lavapipe",        "--gpu",
                                             "H100 linux", "-w",    "large-inference", "--text"};
    const Output told = test::run_program(arguments);
    CHECK(told.exit_code == 0);
    CHECK(told.out.find("FAILED: lavapipe (Linux): does not fit") != std::string::npos);
    std::vector<std::string> strict = arguments;
    strict.emplace_back("--strict");
    CHECK(test::run_program(strict).exit_code == 1);
}

}  // namespace advise_many_test
