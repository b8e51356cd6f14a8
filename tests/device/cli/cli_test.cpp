#include <csignal>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

constexpr const char* kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS",
                                    "HEAPWRIGHT_ICD_SWIFTSHADER"};

// The preset with a fifth of its churn: what every document holds, in less time.
std::string short_workload(const std::filesystem::path& folder) {
    auto workload = nlohmann::json::parse(read_file(test::source_path("policies/presets/desktop-app.json")).value());
    workload.at("churn_steps") = 1000;
    const auto file = folder / "workload.json";
    REQUIRE(write_file_atomically(file, workload.dump()));
    return file.string();
}

model::Report report_of(const std::string& text) {
    return model::read_report(text, "probe").value();
}

}  // namespace

TEST_CASE("run leaves three documents that the strict readers accept, on every driver") {
    for (const char* variable : kDrivers) {
        const std::string icd = require_driver(variable);
        const auto input = fresh_folder("run-input");
        const auto folder = fresh_folder("run");
        // One that plays the workload and one that uses the engines; test_everything_fast runs all.
        const Output output =
            run_program({"run", "--icd", icd, "--workload", short_workload(input), "--scenario", "mixed-workload",
                         "--scenario", "multi-engine-frame", "-o", folder.string(), "-q"});
        INFO(variable << "\n" << output.err);
        CHECK(output.exit_code == 0);
        CHECK(output.out.empty());
        CHECK(output.err.empty());
        const auto text = [&](const char* name) { return read_file(folder / name).value(); };
        const auto report = model::read_report(text("report.json"), "report.json");
        const auto policy = model::read_policy(text("policy.json"), "policy.json");
        const auto validation = model::read_validation(text("validation.json"), "validation.json");
        REQUIRE(report);
        REQUIRE(policy);
        REQUIRE(validation);
        INFO(validation->devices.front().reason);
        CHECK(validation->devices.front().verdict == model::Verdict::kValidated);
        CHECK(policy->header.sources.front().stable_hash == model::stable_hash(*report));
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
        CHECK(files == 3);
        std::filesystem::remove_all(folder);
        std::filesystem::remove_all(input);
    }
}

TEST_CASE("run without a folder prints one object with the three documents") {
    const std::string icd = require_driver(kDrivers[0]);
    const auto input = fresh_folder("run-input");
    const Output output =
        run_program({"run", "--icd", icd, "--workload", short_workload(input), "--scenario", "mixed-workload", "-q"});
    const auto bundle = nlohmann::json::parse(output.out);
    INFO(output.err << bundle.at("validation").at("devices").at(0).at("reason"));
    REQUIRE(output.exit_code == 0);
    CHECK(model::read_report(bundle.at("report").dump(), "report"));
    CHECK(model::read_policy(bundle.at("policy").dump(), "policy"));
    CHECK(model::read_validation(bundle.at("validation").dump(), "validation"));
    std::filesystem::remove_all(input);
}

TEST_CASE("two probes of one driver are identical outside the volatile sections") {
    for (const char* variable : kDrivers) {
        const std::string icd = require_driver(variable);
        const Output first = run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing"});
        const Output second = run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing"});
        REQUIRE(first.exit_code == 0);
        REQUIRE(second.exit_code == 0);
        CHECK(model::without_volatile(report_of(first.out)) == model::without_volatile(report_of(second.out)));
        CHECK(first.out.size() < 2'000'000);
    }
}

TEST_CASE("one probe reports the devices of both APIs, and why a runtime refused one") {
    const std::string lavapipe = require_driver(kDrivers[0]);
    const std::string swiftshader = require_driver(kDrivers[2]);
    const Output output =
        run_program({"probe", "--api", "all", "--icd", lavapipe, "--icd", swiftshader, "--no-timing"});
    INFO(output.err);
    REQUIRE(output.exit_code == 0);
    const model::Report report = report_of(output.out);
    REQUIRE(report.devices.size() == 3);
    CHECK(report.devices[0].identity.api == model::Api::kVulkan);
    CHECK(report.devices[1].identity.name.find("SwiftShader") != std::string::npos);
    CHECK(report.devices[2].identity.api == model::Api::kD3d12);
    CHECK_FALSE(report.devices[2].image_sweep.tables.empty());
    REQUIRE(report.failures.size() == 1);
    CHECK(report.failures[0].api == model::Api::kD3d12);
    CHECK(report.failures[0].driver.find("SwiftShader") != std::string::npos);
    CHECK(report.failures[0].reason.find("it printed: err:") != std::string::npos);
}

TEST_CASE("devices --best names the index of one device, and no table with it") {
    const std::string icd = require_driver(kDrivers[0]);
    const Output best = run_program({"devices", "--api", "vulkan", "--icd", icd, "--best"});
    CHECK(best.exit_code == 0);
    CHECK(best.out == "0\n");
    CHECK(run_program({"devices", "--icd", icd, "--best", "--text"}).exit_code == 2);
}

TEST_CASE("devices lists what --device selects") {
    const std::string icd = require_driver(kDrivers[0]);
    const auto listed = nlohmann::json::parse(run_program({"devices", "--api", "vulkan", "--icd", icd}).out);
    const std::string selector = listed.at("devices").at(0).at("selector");
    CHECK(run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing", "-d", selector}).exit_code == 0);
    const Output missing =
        run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing", "-d", "no such device"});
    CHECK(missing.exit_code == 2);
    CHECK(missing.err.find("no device matches 'no such device'") != std::string::npos);
}

TEST_CASE("a policy is refused on another device, and runs there when told to") {
    const std::string lavapipe = require_driver(kDrivers[0]);
    const std::string swiftshader = require_driver(kDrivers[2]);
    const auto folder = fresh_folder("other");
    const std::string report = (folder / "report.json").string();
    const std::string policy = (folder / "policy.json").string();
    // SwiftShader's bufferImageGranularity is the greater one, so its policy holds on lavapipe.
    REQUIRE(run_program({"probe", "--api", "vulkan", "--icd", swiftshader, "--no-timing", "-o", report}).exit_code ==
            0);
    REQUIRE(run_program({"advise", report, "-w", "desktop-app", "-o", policy}).exit_code == 0);
    const Output refused = run_program({"validate", policy, "--icd", lavapipe});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("the policy was made for SwiftShader") != std::string::npos);
    const Output allowed =
        run_program({"validate", policy, "--icd", lavapipe, "--allow-other-device", "--memory-limit", "512MiB"});
    INFO(allowed.err);
    CHECK(allowed.exit_code != 2);
    CHECK(model::read_validation(allowed.out, "validation"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a missing loader, a driver that is no driver and a missing file are told apart") {
    const Output no_manifest = run_program({"probe", "--icd", "/absent/icd.json"});
    CHECK(no_manifest.exit_code == 2);
    CHECK(no_manifest.err.find("/absent/icd.json") != std::string::npos);

    const auto folder = fresh_folder("icd");
    const std::string broken = (folder / "broken_icd.json").string();
    REQUIRE(write_file_atomically(
        broken, R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/absent.so", "api_version": "1.3.0"}})"));
    const Output no_device = run_program({"probe", "--icd", broken});
    CHECK(no_device.exit_code == 3);
    CHECK_FALSE(no_device.err.empty());

    const std::string icd = require_driver(kDrivers[0]);
    const Output no_loader = run_program({"probe", "--icd", icd}, {"HEAPWRIGHT_VULKAN_LOADER=/absent/libvulkan.so.1"});
    CHECK(no_loader.exit_code == 3);
    CHECK(no_loader.err.find("/absent/libvulkan.so.1") != std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("an interrupted run cleans up and leaves no half-written file") {
    const std::string icd = require_driver(kDrivers[1]);
    const auto folder = fresh_folder("interrupted");
    const Output output = interrupt_program(
        {"run", "--icd", icd, "-o", folder.string(), "-q", "--memory-limit", "1GiB", "--scale-to-fit"}, SIGINT, 700);
    INFO(output.err);
    CHECK((output.exit_code == 4 || output.exit_code == 0));  // 0: it was done first
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        INFO(entry.path());
        CHECK(entry.path().extension() == ".json");
        const std::string text = read_file(entry.path()).value();
        CHECK(nlohmann::json::accept(text));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("wrong usage and help have their documented exit codes") {
    CHECK(run_program({}).exit_code == 0);
    CHECK(run_program({}).out.find("heapwright help COMMAND") != std::string::npos);
    CHECK(run_program({"help", "advise"}).out == run_program({"advise", "--help"}).out);
    CHECK(run_program({"help", "nonsense"}).exit_code == 2);
    CHECK(run_program({"advice"}).err.find("the nearest is \"advise\"") != std::string::npos);
    CHECK(run_program({"probe", "--no-such-flag"}).exit_code == 2);
    CHECK(run_program({"schema", "nonsense"}).exit_code == 2);
    CHECK(run_program({"worker"}).exit_code == 2);
    const Output help = run_program({"--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.out.find("Exit codes: 0 good, 1 validation failed") != std::string::npos);
    CHECK(run_program({"--version"}).out.starts_with("heapwright "));
    for (const auto name : model::schema_names()) {
        CHECK(run_program({"schema", std::string(name)}).out == model::schema(name).value());
    }
}
