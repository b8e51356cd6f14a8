// What each command makes of many files: names of results, what is bad, what a second run makes anew, exit codes.
#include <signal.h>

#include <algorithm>
#include <filesystem>
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

namespace batch_commands_test {
namespace {

namespace fs = std::filesystem;

const char* const kLavapipe = "lavapipe-mesa-22.3.6-desktop-app";
const char* const kH100 = "nvidia-h100-580.159.04-vulkan-general-engine";
const char* const kVkd3d = "nvidia-h100-580.159.04-vkd3d-1.2-general-engine";

std::string policy_file(const std::string& name) {
    return test::source_path("policies/" + name + ".json");
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Policies of both APIs and of one name, what is no policy, and a broken one where it is asked for.
fs::path policy_folder(const std::string& name, bool with_broken) {
    const fs::path folder = test::fresh_folder(name) / "in";
    fs::create_directories(folder / "again");
    fs::copy_file(policy_file(kLavapipe), folder / "a.json");
    fs::copy_file(policy_file(kH100), folder / "again" / "a.json");
    fs::copy_file(policy_file(kVkd3d), folder / "b.json");
    fs::copy_file(test::source_path("reports/lavapipe-mesa-22.3.6.json"), folder / "report.json");
    REQUIRE(write_file_atomically(folder / "page.html", "<p>"));
    if (with_broken) REQUIRE(write_file_atomically(folder / "broken.json", "{"));
    return folder;
}

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(path_text(entry.path().filename()));
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST_CASE("export writes a file a policy, with the target's ending, as it does alone") {
    const fs::path in = policy_folder("batch-export", false);
    const fs::path out = in.parent_path() / "out";
    const std::vector<std::string> arguments{"export", path_text(in), "-t", "wgpu", "-o", path_text(out)};
    const Output run = test::run_program(arguments);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "exported 3 files into " + path_text(out) + "; 1 of other kinds passed over\n");
    const auto index = nlohmann::json::parse(read_file(out / "batch.json").value());
    for (const auto& entry : index["inputs"]) {
        const fs::path alone = in.parent_path() / "alone.rs";
        CHECK(test::run_program({"export", entry["source"], "-t", "wgpu", "-o", path_text(alone), "-q"}).exit_code ==
              0);
        const std::string file = entry["results"][0]["file"];
        CHECK(read_file(out / file).value() == read_file(alone).value());
    }
    const auto files = files_in(out);
    REQUIRE(files.size() == 4);
    CHECK(files[0].starts_with("a-"));
    CHECK(files[1] == "a.rs");
    CHECK(files[2] == "b.rs");

    const Output again = test::run_program(arguments);
    CHECK(holds(again.out, "exported 0 files"));
    CHECK(holds(again.out, "3 there already"));
    fs::copy_file(policy_file(kH100), in / "b.json", fs::copy_options::overwrite_existing);
    const Output changed = test::run_program(arguments);
    CHECK(holds(changed.out, "exported 1 file into"));
    const Output listed = test::run_program({"export", path_text(in), "-t", "cpp", "-o", path_text(out), "--json"});
    CHECK(nlohmann::json::parse(listed.out)["inputs"].size() == 3);
}

TEST_CASE("export names the policies that a target cannot take, and goes on") {
    const fs::path in = policy_folder("batch-export-some", true);
    const fs::path out = in.parent_path() / "out";
    const Output some = test::run_program({"export", path_text(in), "-t", "vma", "-o", path_text(out)});
    CHECK(some.exit_code == 5);
    CHECK(holds(some.out, "exported 2 files"));
    CHECK(holds(some.err, "b.json: --target: the policy is for Direct3D 12"));
    CHECK(holds(some.err, "broken.json"));
    const std::string broken = path_text(in / "broken.json");
    CHECK(
        test::run_program({"export", broken, path_text(in / "b.json"), "-t", "vma", "-o", path_text(out)}).exit_code ==
        2);
    const fs::path never = in.parent_path() / "never";
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"-t", "vmx"}, {"-t", "vma", "--account", "x"}}) {
        std::vector<std::string> arguments{"export", path_text(in), "-o", path_text(never)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        CHECK(test::run_program(arguments).exit_code == 2);
        CHECK_FALSE(fs::exists(never));
    }
}

TEST_CASE("export writes a file a device of a policy for several, each for the API that the target configures") {
    const fs::path folder = test::fresh_folder("batch-export-devices");
    auto policy = model::read_policy(read_file(policy_file(kH100)).value(), "policy");
    REQUIRE(policy);
    policy->devices.push_back(policy->devices.front());
    policy->devices.push_back(model::read_policy(read_file(policy_file(kVkd3d)).value(), "d3d12")->devices.front());
    fs::create_directory(folder / "in");
    REQUIRE(write_file_atomically(folder / "in" / "p.json", model::write(*policy)));
    const fs::path out = folder / "out";
    const std::vector<std::string> arguments{"export", path_text(folder / "in"), "-t", "vma", "-o", path_text(out)};
    CHECK(test::run_program(arguments).exit_code == 0);
    CHECK(files_in(out) == std::vector<std::string>{"batch.json", "p-device0.hpp", "p-device1.hpp"});
    CHECK(holds(test::run_program(arguments).out, "1 there already"));
    // The name that a device's file has is wanted by another input: both are there.
    fs::copy_file(policy_file(kH100), folder / "in" / "p-device1.json");
    CHECK(test::run_program(arguments).exit_code == 0);
    CHECK(files_in(out).size() == 4);
    const fs::path both = folder / "both";
    CHECK(test::run_program({"export", path_text(folder / "in"), "-t", "vma", "-o", path_text(both)}).exit_code == 0);
    CHECK(files_in(both).size() == 4);
    const fs::path third = folder / "third";
    const Output one = test::run_program({"export", path_text(folder / "in" / "p.json"), policy_file(kVkd3d), "-d", "2",
                                          "-t", "cpp", "-o", path_text(third)});
    CHECK(one.exit_code == 5);
    CHECK(holds(one.err, "holds no device of this index"));
    CHECK(files_in(third) == std::vector<std::string>{"batch.json", "p-device2.hpp"});
}

TEST_CASE("explain writes a text or a document a policy") {
    const fs::path in = policy_folder("batch-explain", true);
    const fs::path out = in.parent_path() / "out";
    const Output text = test::run_program({"explain", path_text(in), "-o", path_text(out)});
    CHECK(text.exit_code == 5);
    CHECK(holds(text.out, "explained 3 files"));
    CHECK(read_file(out / "b.explanation.txt").value() == test::run_program({"explain", path_text(in / "b.json")}).out);
    CHECK(holds(test::run_program({"explain", path_text(in), "-o", path_text(out)}).out, "3 there already"));
    const Output documents = test::run_program({"explain", path_text(in), "-o", path_text(out), "--json"});
    CHECK(nlohmann::json::parse(documents.out)["inputs"].size() == 4);
    CHECK(read_file(out / "b.explanation.json").value() ==
          test::run_program({"explain", path_text(in / "b.json"), "--json"}).out);
    const Output none = test::run_program({"explain", path_text(in), "--why", "nothing", "-o", path_text(out)});
    CHECK(none.exit_code == 2);
    CHECK(holds(none.err, "b.json: --why: the policy has no number"));
}

TEST_CASE("validate replays each policy on the report that it was made from, else on one of its device") {
    const fs::path in = policy_folder("batch-validate", false);
    const fs::path out = in.parent_path() / "out";
    const fs::path reports = in.parent_path() / "reports";
    fs::copy(test::source_path("reports"), reports);  // validations are in it, too
    const std::vector<std::string> arguments{"validate", path_text(in),      "--scenario", "upload",
                                             "--replay", path_text(reports), "-o",         path_text(out)};
    const Output run = test::run_program(arguments);
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(holds(run.out, "validated 3 files into"));
    CHECK(holds(run.out, "a.json: llvmpipe"));
    CHECK(holds(run.out, "b.json: NVIDIA H100"));
    const auto index = nlohmann::json::parse(read_file(out / "batch.json").value());
    for (const auto& entry : index["inputs"]) {
        const std::string policy_name = entry["source"];
        const std::string name = entry["results"][0]["file"];
        const auto validation = model::read_validation(read_file(out / name).value(), name);
        const auto policy = model::read_policy(read_file(policy_name).value(), policy_name);
        REQUIRE(validation);
        REQUIRE(policy);
        CHECK(validation->devices.at(0).verdict == model::Verdict::kReplayed);
        CHECK(validation->header.sources.at(0).stable_hash == model::stable_hash(*policy));
        CHECK(validation->header.sources.at(2).stable_hash == policy->header.sources.at(0).stable_hash);
    }
    CHECK(holds(test::run_program(arguments).out, "3 there already"));

    // The report that it was made from has changed: still one of its device and driver, and all is judged anew.
    const fs::path lavapipe = reports / "lavapipe-mesa-22.3.6.json";
    auto report = model::read_report(read_file(lavapipe).value(), "report");
    REQUIRE(report);
    report->header.tool_version = "0.0.1";
    REQUIRE(write_file_atomically(lavapipe, model::write(*report)));
    CHECK(holds(test::run_program(arguments).out, "validated 3 files"));
    const auto replayed = model::read_validation(read_file(out / "a.validation.json").value(), "a");
    REQUIRE(replayed);
    CHECK(replayed->header.sources.at(2).stable_hash == model::stable_hash(*report));

    // Of one policy, too, the report is chosen.
    const Output one = test::run_program({"validate", policy_file(kH100), "--scenario", "upload", "--replay",
                                          path_text(lavapipe), "--replay", path_text(reports), "--json"});
    CHECK(one.exit_code == 0);
    CHECK(holds(one.out, "NVIDIA H100"));
}

TEST_CASE("validate of many ends with the worst of the verdicts, whether they are there already or not") {
    const fs::path in = policy_folder("batch-validate-worst", true);
    const std::string reports = test::source_path("reports");
    const auto validated = [&](const std::vector<std::string>& policies, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"validate"};
        arguments.insert(arguments.end(), policies.begin(), policies.end());
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"-o", path_text(in.parent_path() / "out")});
        return test::run_program(arguments);
    };
    const std::string good = policy_file(kLavapipe);
    const std::string broken = path_text(in / "broken.json");
    const std::vector<std::string> on_reports{"--replay", reports, "--scenario", "mixed-workload"};
    // A promise that nothing keeps.
    auto policy = model::read_policy(read_file(good).value(), good);
    REQUIRE(policy);
    policy->devices.front().expectations->mean_waste_interval->least = 0.001;
    policy->devices.front().expectations->mean_waste_interval->most = 0.002;
    const std::string failing = path_text(in.parent_path() / "failing.json");
    REQUIRE(write_file_atomically(failing, model::write(*policy)));
    for (const char* made : {"validated 2 files", "2 there already"}) {
        const Output failed = validated({good, failing, broken}, on_reports);
        CHECK(failed.exit_code == 1);
        CHECK(holds(failed.out, made));
        CHECK(holds(failed.out, "failed            " + failing + ": llvmpipe"));
        CHECK(holds(failed.err, "broken.json"));
    }
    CHECK(validated({good, broken}, on_reports).exit_code == 5);
    std::vector<std::string> short_of_memory = on_reports;
    short_of_memory.insert(short_of_memory.end(), {"--memory-limit", "32MiB"});
    CHECK(validated({good, good}, short_of_memory).exit_code == 4);
    const Output none =
        validated({good, policy_file(kH100)}, {"--replay", reports + "/radv-navi10-mesa-22.3.6.json", "--replay",
                                               reports + "/radv-navi10-mesa-25.0.7.json", "--scenario", "upload"});
    CHECK(none.exit_code == 2);
    CHECK(holds(none.err, std::string(kH100) + ".json: --replay: none of the 2 reports has a device"));
    CHECK(validated({good, good}, {}).exit_code == 2);
    CHECK(validated({good, good}, {"--replay", path_text(in / "again")}).exit_code == 2);
}

TEST_CASE("a replay that a signal stopped is no result") {
    const fs::path out = test::fresh_folder("batch-validate-stopped") / "out";
    const Output stopped = test::interrupt_program({"validate", policy_file(kLavapipe), policy_file(kH100), "--replay",
                                                    test::source_path("reports"), "-o", path_text(out)},
                                                   SIGTERM, 2000);
    CHECK(stopped.exit_code == 4);
    CHECK(holds(stopped.out, "validated 0 files"));
    CHECK(holds(stopped.out, "stopped by a signal"));
    CHECK(files_in(out) == std::vector<std::string>{"batch.json"});
}

TEST_CASE("report shows the documents of folders and names those that it leaves out") {
    const fs::path in = policy_folder("batch-report", false);
    REQUIRE(write_file_atomically(in / "batch.json", "{}"));
    fs::copy_file(test::source_path("policies/presets/2d-ui.json"), in / "workload.json");
    const fs::path page = in.parent_path() / "page.html";
    const std::string report = test::source_path("reports/radv-navi10-mesa-25.0.7.json");
    CHECK(test::run_program({"report", path_text(in), report, "-o", path_text(page)}).exit_code == 0);
    const std::string shown = read_file(page).value();
    for (const char* file : {"\"a.json\"", "again/a.json", "\"b.json\"", "report.json", "radv-navi10-mesa-25.0.7.json"})
        CHECK(holds(shown, file));
    REQUIRE(write_file_atomically(in / "broken.json", "{"));
    const Output some = test::run_program({"report", path_text(in), report, "-o", path_text(page)});
    CHECK(some.exit_code == 5);
    CHECK(holds(some.err, "broken.json"));
    CHECK(read_file(page).value() == shown);
    const fs::path never = in.parent_path() / "never.html";
    const std::string workload = path_text(in / "workload.json");
    const Output none = test::run_program({"report", workload, path_text(in / "broken.json"), "-o", path_text(never)});
    CHECK(none.exit_code == 2);
    CHECK(holds(none.err, "is a workload"));
    CHECK_FALSE(fs::exists(never));
    fs::create_directory(in / "empty");
    CHECK(test::run_program({"report", path_text(in / "empty"), "-o", path_text(never)}).exit_code == 2);
}

}  // namespace batch_commands_test
