// What did not run decides the exit code unless it was asked for; what no policy can be made for is named. On reports.
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

using Json = nlohmann::ordered_json;

const std::string kVerdictReport = test::source_path("reports/radv-navi10-mesa-25.0.7.json");

// A few buffers, and images that the device does not have.
Json workload() {
    Json one = Json::parse(run_program({"workload", "--show", "2d-ui", "--json"}).out);
    one["name"] = "partly";
    one["churn_steps"] = 200;
    one["images"] = Json::array({{{"format", "ASTC_4x4_UNORM_BLOCK"},
                                  {"usage", {"TRANSFER_DST", "SAMPLED"}},
                                  {"smallest_side", 64},
                                  {"largest_side", 64},
                                  {"count", 20}}});
    return one;
}

std::string save(const std::filesystem::path& folder, const char* name, const Json& document) {
    const auto file = folder / name;
    REQUIRE(write_file_atomically(file, document.dump(1)));
    return file.string();
}

}  // namespace

TEST_CASE("a part of the workload ends with 4, or 0 where that was asked for or planned") {
    const auto folder = fresh_folder("verdict");
    Json described = workload();
    const auto play = [&](const std::vector<std::string>& more) {
        const std::string file = save(folder, "workload.json", described);
        const std::string policy = (folder / "policy.json").string();
        REQUIRE(run_program({"advise", kVerdictReport, "-w", file, "-o", policy, "-q"}).exit_code == 0);
        std::vector<std::string> arguments{"validate",   policy,           "-w",    file, "--replay", kVerdictReport,
                                           "--scenario", "mixed-workload", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Output output = run_program(arguments);
        const Json document = Json::parse(output.out);
        return std::pair{output.exit_code, document["devices"][0]};
    };
    const auto [code, device] = play({});
    CHECK(code == 4);
    CHECK(device["verdict"] == "replayed_in_part");
    const Json& part = device["scenarios"][0]["part"];
    CHECK(part["asked_for"] == false);
    CHECK(part["unplayed"][0]["hint"] == "images/0");
    CHECK(std::string(device["reason"]).starts_with(std::string(part["statement"])));

    const auto [allowed, asked] = play({"--allow-unplayed"});
    CHECK(allowed == 0);
    CHECK(asked["verdict"] == "replayed_in_part");
    CHECK(asked["scenarios"][0]["part"]["asked_for"] == true);
    // Of what the device lacks; the other option speaks of the limit.
    CHECK(play({"--scale-to-fit"}).first == 4);

    described["images"][0]["requires"] = {"texture_compression_astc"};
    const auto [planned, whole] = play({});
    CHECK(planned == 0);
    CHECK(whole["verdict"] == "replayed");
    CHECK(whole["left_out"][0]["hint"] == "images/0");
    CHECK(std::string(whole["reason"]).starts_with("by plan without "));
}

TEST_CASE("a limit below what the workload needs ends with 4, or 0 where a part was asked for") {
    const auto folder = fresh_folder("stand-in");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", kVerdictReport, "-w", "compute-inference", "-o", policy, "-q"}).exit_code == 0);
    std::vector<std::string> arguments{"validate",       policy,           "--replay", kVerdictReport, "--scenario",
                                       "mixed-workload", "--memory-limit", "100MiB",   "--json"};
    const Output part = run_program(arguments);
    CHECK(part.exit_code == 4);
    CHECK(Json::parse(part.out)["devices"][0]["verdict"] == "replayed_in_part");
    arguments.emplace_back("--scale-to-fit");
    CHECK(run_program(arguments).exit_code == 0);
}

TEST_CASE("a replay names the devices of the policy that the report does not have") {
    const auto folder = fresh_folder("replay-lost");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", kVerdictReport, "-w", "2d-ui", "-o", policy, "-q"}).exit_code == 0);
    Json two = Json::parse(read_file(policy).value());
    two["devices"].push_back(two["devices"][0]);
    two["devices"][1]["identity"]["name"] = "the lost one";
    const std::vector<std::string> how{"--replay",       kVerdictReport, "--scenario",     "upload",
                                       "--memory-limit", "64MiB",        "--scale-to-fit", "--json"};
    const auto played = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"validate", save(folder, "two.json", two)});
        return run_program(words);
    };
    const Output output = played(how);
    CHECK(output.exit_code == 5);
    CHECK(output.err.find("the lost one") != std::string::npos);
    const Json validation = Json::parse(output.out);
    CHECK(validation["devices"].size() == 1);
    CHECK(validation["failures"][0]["driver"] == "the lost one");
    // Who names a device means that one alone.
    std::vector<std::string> chosen = how;
    chosen.insert(chosen.end(), {"--device", "0"});
    CHECK(played(chosen).exit_code == 0);
}

TEST_CASE("a device that no policy can be made for is named beside one that can, and alone is the answer") {
    const auto folder = fresh_folder("unadvisable");
    Json report = Json::parse(read_file(kVerdictReport).value());
    Json bad = report["devices"][0];
    bad["identity"]["name"] = "the odd one";
    for (Json& type : bad["memory_types"]) type["property_flags"] = {"LAZILY_ALLOCATED"};
    report["devices"].push_back(bad);
    const std::string policy = (folder / "policy.json").string();
    const Output both = run_program({"advise", save(folder, "two.json", report), "-w", "2d-ui", "-o", policy});
    CHECK(both.exit_code == 5);
    CHECK(both.err.find("left out: the odd one") != std::string::npos);
    CHECK(Json::parse(read_file(policy).value())["devices"].size() == 1);
    report["devices"].erase(0);
    CHECK(run_program({"advise", save(folder, "one.json", report), "-w", "2d-ui"}).exit_code != 0);
}

TEST_CASE("without a workload, advice names commands and workloads that can be given back") {
    const auto folder = fresh_folder("default-workload");
    Json report = Json::parse(read_file(kVerdictReport).value());
    for (Json& heap : report["devices"][0]["heaps"]) heap["size_bytes"] = 600 << 20;
    report["devices"][0]["volatile"].erase("heap_budgets");
    report["devices"][0]["volatile"]["heap_budgets"] = Json::array();
    const std::string file = save(folder, "small.json", report);
    const std::string policy = (folder / "policy.json").string();
    const Output advised = run_program({"advise", file, "-o", policy});
    INFO(advised.err);
    REQUIRE(advised.exit_code == 0);
    CHECK(advised.err.find("--workload \"\"") == std::string::npos);
    CHECK(advised.err.find("%, so that it fits ") != std::string::npos);
    const std::string name = Json::parse(read_file(policy).value())["workload_name"];
    CHECK(name.starts_with("general-engine@"));
    CHECK(run_program({"advise", file, "-w", name, "--strict", "-q"}).exit_code == 0);
    CHECK(run_program({"advise", file, "-w", "general-engine", "--strict", "-q"}).exit_code == 1);
}
